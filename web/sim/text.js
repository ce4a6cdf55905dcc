/**
 * Lay out text: straight lines, wrapped lines, rings and plaques.
 *
 * Lengths are in em (one em = the letter size) until a ring or a plaque gives the em a size.
 *
 * @typedef {{quad: number[], uv: number[], char: number}} Letter one glyph with ink: left, bottom,
 *   right, top; x0, y0, x1, y1 in the atlas, y0 at the top; position of its code point
 *
 * Twin: godseed/sim/text.py
 */

import { LETTER, SPACE, SPACES, codePoints, face, shape, width } from './glyphs.js';
import { TAU, roundHalfUp } from './maths.js';

export const RING_SEPARATOR = ' \u2022 ';
/** Letterspacing of a ring whose repeats fill it exactly. */
export const RING_SPACING_EM = 0.06;
/** A ring's letters grow at most this much to fill the circle; beyond that they are spaced out. */
export const RING_LARGEST_SCALE = 1.2;
/** Letter sizes of a plaque, largest first, in heights of its box. */
export const PLAQUE_SIZES = [0.3, 0.25, 0.21, 0.18, 0.155, 0.13, 0.11, 0.095, 0.08, 0.07];
export const PLAQUE_LEADING_EM = 1.2;
/** Halvings in the search for the narrowest block. */
export const BALANCE_STEPS = 7;
/** Spaces at which a line never breaks. */
export const UNBREAKABLE = new Set([0xa0, 0x2007, 0x202f]);
/** Always end a line in `wrap`. */
export const LINE_ENDS = new Set([0x0a, 0x0b, 0x0c, 0x85, 0x2028, 0x2029]);
/** Hyphens and dashes: a line may break after them. */
export const BREAK_AFTER = new Set([0x2d, 0x2010, 0x2012, 0x2013, 0x2014]);

/**
 * Set one line with kerning, starting at (0, 0).
 *
 * @returns {{letters: Letter[], width: number}}
 */
export function layout(text, faceName = 'serif', letterSpacingEm = 0) {
  const line = shape(text, faceName, letterSpacingEm);
  return { letters: lettersOf(line.placed), width: width(line, 0, line.codes.length) };
}

/** Width of one line in em, as `layout` gives it. */
export function measure(text, faceName = 'serif', letterSpacingEm = 0) {
  const line = shape(text, faceName, letterSpacingEm);
  return width(line, 0, line.codes.length);
}

/** Break text into lines no wider than a width; a word wider than a line is cut between letters. */
export function wrap(text, faceName, maxWidthEm, letterSpacingEm = 0) {
  const line = shape(text, faceName, letterSpacingEm);
  return broken(line, maxWidthEm)[0].map(([i, j]) => string(line, i, j));
}

/**
 * Choose repeats, letterspacing and letter size so that the text fills a circle evenly.
 *
 * @returns {{repeats: number, spacingEm: number, emScale: number}}
 */
export function fitRing(text, circumferenceEm, faceName = 'serif') {
  if (!(circumferenceEm > 0)) {
    throw new RangeError(
      `text.fitRing: ${circumferenceEm} em; expected more than 0; give a positive length`,
    );
  }
  const [unit, length] = ringUnit(text, faceName, RING_SPACING_EM);
  const ratio = circumferenceEm / length;
  const repeats = Math.max(1, roundHalfUp(ratio));
  const emScale = Math.min(RING_LARGEST_SCALE, ratio / repeats);
  const slack = circumferenceEm / emScale / repeats - length;
  const steps = unit.kinds.filter((kind) => kind === SPACE || kind === LETTER).length;
  return { repeats, spacingEm: RING_SPACING_EM + Math.max(0, slack) / steps, emScale };
}

/**
 * Set a text round a circle, repeated and spaced by `fitRing`.
 *
 * @returns {{angle: number, height: number, halfWidth: number, halfHeight: number, uv: number[],
 *   char: number}[]} in reading order; see the twin
 */
export function ring(text, radius, em, faceName = 'serif') {
  if (!(radius > 0 && em > 0)) {
    throw new RangeError(
      `text.ring: radius ${radius}, em ${em}; expected both above 0; give positive sizes`,
    );
  }
  const fit = fitRing(text, (TAU * radius) / em, faceName);
  const size = em * fit.emScale;
  const [unit, length] = ringUnit(text, faceName, fit.spacingEm);
  const letters = strip(text) ? lettersOf(unit.placed) : [];
  const middle = face(faceName).capHeight * 0.5;
  const laid = [];
  for (let k = 0; k < fit.repeats; k += 1) {
    const start = k * length;
    for (const { quad, uv, char } of letters) {
      const turn = ((quad[0] + quad[2]) * 0.5 + start) / (length * fit.repeats);
      laid.push({
        angle: (turn - Math.floor(turn)) * TAU,
        height: ((quad[1] + quad[3]) * 0.5 - middle) * size,
        halfWidth: (quad[2] - quad[0]) * 0.5 * size,
        halfHeight: (quad[3] - quad[1]) * 0.5 * size,
        uv,
        char,
      });
    }
  }
  return laid;
}

/**
 * Set a text in centred, balanced lines, as large as the box allows; lines that find no room end in
 * an ellipsis.
 *
 * @returns {{letters: Letter[], em: number, lines: string[]}} in the unit of the box, whose middle
 *   is (0, 0)
 */
export function plaque(
  text,
  boxWidth,
  boxHeight,
  faceName = 'serif',
  sizes = PLAQUE_SIZES,
  letterSpacingEm = 0.02,
) {
  if (!(boxWidth > 0 && boxHeight > 0 && sizes.length > 0)) {
    throw new RangeError(
      `text.plaque: box ${boxWidth} x ${boxHeight}, ${sizes.length} sizes; ` +
        'expected a box above 0 and at least one size; correct the arguments',
    );
  }
  const font = face(faceName);
  const line = shape(text, faceName, letterSpacingEm);
  const reach = reachOf(line, font);
  const inside = sizes.map((size) =>
    insideOf(reach, boxWidth / (size * boxHeight), 1 / size, font),
  );
  const [em, limit, room] = chosen(
    line,
    sizes.map((size) => size * boxHeight),
    inside,
  );
  const rows = balanced(line, limit).map(([i, j]) => string(line, i, j));
  if (rows.length > room) {
    rows.splice(room - 1, rows.length, ended(rows[room - 1], limit, faceName, letterSpacingEm));
  }
  return centred(rows, em, font, letterSpacingEm);
}

function lettersOf(placed) {
  return placed.map((p) => ({
    quad: moved(p.glyph.plane, p.x, p.y),
    uv: p.glyph.uv,
    char: p.position,
  }));
}

function moved(plane, x, y) {
  const [left, bottom, right, top] = plane ?? [0, 0, 0, 0];
  return [left + x, bottom + y, right + x, top + y];
}

function string(line, first, end) {
  return String.fromCodePoint(...line.codes.slice(first, end));
}

/** Text without blanks at its ends; the languages differ on what a blank is, so they are listed. */
function strip(text) {
  const codes = codePoints(text);
  let first = 0;
  while (first < codes.length && SPACES.has(codes[first])) first += 1;
  return stripEnd(String.fromCodePoint(...codes.slice(first)));
}

function stripEnd(text) {
  const codes = codePoints(text);
  while (codes.length > 0 && SPACES.has(codes.at(-1))) codes.pop();
  return String.fromCodePoint(...codes);
}

/** Greedy lines as [first, end] code points, and how many words were cut. */
function broken(line, limit) {
  const lines = [];
  let cuts = 0;
  let first = nextWord(line, 0);
  while (first < line.codes.length) {
    let [end, following, cut] = oneLine(line, first, limit);
    while (end > first && breakable(line, end - 1)) end -= 1;
    lines.push([first, end]);
    cuts += cut;
    first = nextWord(line, following);
  }
  return [lines, cuts];
}

function nextWord(line, position) {
  let next = position;
  while (next < line.codes.length && breakable(line, next)) next += 1;
  return next;
}

function breakable(line, position) {
  return line.kinds[position] === SPACE && !UNBREAKABLE.has(line.codes[position]);
}

/** End of the line that starts at `first`, where the next one starts, and 1 if a word is cut. */
function oneLine(line, first, limit) {
  let good = -1;
  let held = false;
  for (let position = first; position < line.codes.length; position += 1) {
    if (LINE_ENDS.has(line.codes[position])) return [position, position + 1, 0];
    if (breakable(line, position)) {
      good = position;
      continue;
    }
    if (line.kinds[position] !== SPACE && line.kinds[position] !== LETTER) {
      good = good === position ? position + 1 : good;
      continue;
    }
    if (held && line.ends[position] - line.letterSpacingEm - line.starts[first] > limit) {
      return good >= 0 ? [good, good, 0] : [position, position, 1];
    }
    if (BREAK_AFTER.has(line.codes[position]) && held) good = position + 1;
    held = true;
  }
  return [line.codes.length, line.codes.length, 0];
}

/** One repeat with RING_SEPARATOR, and the distance from one repeat to the next, em. */
function ringUnit(text, faceName, spacing) {
  const unit = strip(text) + RING_SEPARATOR;
  const one = shape(unit, faceName, spacing);
  const more = shape(RING_SEPARATOR + String.fromCodePoint(unit.codePointAt(0)), faceName, spacing);
  const last = RING_SEPARATOR.length;
  return [one, one.ends.at(-1) + (more.starts[last] - more.ends[last - 1])];
}

/** Ink above the baseline (a capital's at least), below it, and beside the advance; em. */
function reachOf(line, font) {
  let [above, below, side] = [font.capHeight, 0, 0];
  for (const p of line.placed) {
    const [left, bottom, right, top] = moved(p.glyph.plane, p.x, p.y);
    above = Math.max(above, top - font.marginEm);
    below = Math.max(below, -(bottom + font.marginEm));
    const start = line.starts[p.position];
    const end = line.ends[p.position] - line.letterSpacingEm;
    side = Math.max(side, start - (left + font.marginEm), right - font.marginEm - end);
  }
  return [above, below, side];
}

/** Line width and line count that keep ink of such reach within a box; all in em. */
function insideOf([above, below, side], across, down, font) {
  const spare = down - font.capHeight - 2 * Math.max(above - font.capHeight, below);
  const room = spare >= 0 ? Math.floor(spare / PLAQUE_LEADING_EM) + 1 : 0;
  return [across - 2 * side, room];
}

/** Largest letter size that cuts no word, else that fits, else the last: em, width, lines. */
function chosen(line, ems, inside) {
  let cutting = null;
  for (let i = 0; i < ems.length; i += 1) {
    const [limit, room] = inside[i];
    const [lines, cuts] = broken(line, limit);
    if (lines.length <= room && cuts === 0) return [ems[i], limit, room];
    if (lines.length <= room && cutting === null) cutting = [ems[i], limit, room];
  }
  const last = inside.at(-1);
  return cutting ?? [ems.at(-1), last[0], Math.max(1, last[1])];
}

/** The narrowest block with as many lines and cuts as the greedy one. */
function balanced(line, limit) {
  let [best, cuts] = broken(line, limit);
  let narrow = limit * 0.5;
  let wide = limit;
  for (let step = best.length > 1 ? BALANCE_STEPS : 0; step > 0; step -= 1) {
    const middle = (narrow + wide) * 0.5;
    const [lines, more] = broken(line, middle);
    if (lines.length === best.length && more === cuts) {
      best = lines;
      wide = middle;
    } else {
      narrow = middle;
    }
  }
  return best;
}

/** The row shortened until it and an ellipsis fit. */
function ended(row, limit, faceName, spacing) {
  let kept = stripEnd(row);
  while (kept && measure(`${kept}\u2026`, faceName, spacing) > limit) {
    kept = stripEnd(String.fromCodePoint(...codePoints(kept).slice(0, -1)));
  }
  return `${kept}\u2026`;
}

/** Rows centred on (0, 0) between the top of the first capitals and the last baseline. */
function centred(rows, em, font, spacing) {
  const middle = ((rows.length - 1) * PLAQUE_LEADING_EM + font.capHeight) * 0.5;
  const letters = [];
  let earlier = 0;
  rows.forEach((row, i) => {
    const line = shape(row, font.name, spacing);
    const x = width(line, 0, line.codes.length) * -0.5;
    const y = middle - font.capHeight - i * PLAQUE_LEADING_EM;
    for (const { quad, uv, char } of lettersOf(line.placed)) {
      const placed = [
        (quad[0] + x) * em,
        (quad[1] + y) * em,
        (quad[2] + x) * em,
        (quad[3] + y) * em,
      ];
      letters.push({ quad: placed, uv, char: char + earlier });
    }
    earlier += line.codes.length;
  });
  return { letters, em, lines: rows };
}
