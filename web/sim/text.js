/**
 * Lay out text: straight lines, wrapped lines, rings and plaques.
 *
 * Lengths are in em (one em = the letter size) until a ring or a plaque gives the em a size.
 *
 * @typedef {{quad: number[], uv: number[], page: number, char: number}} Letter one glyph with ink:
 *   left, bottom, right, top; x0, y0, x1, y1 in its picture, y0 at the top; 0 for the base atlas,
 *   else 1 + its page's number; position of its code point
 *
 * Twin: godseed/sim/text.py
 */

import { LETTER, SPACE, SPACES, codePoints, face } from './glyphs.js';
import { balanced, broken, string } from './line_breaks.js';
import { TAU, roundHalfUp } from './maths.js';
import { paragraphLevel } from './scripts.js';
import { shape, width } from './shaping.js';

export const RING_SEPARATOR = ' \u2022 ';
/** Letterspacing of a ring whose repeats fill it exactly. */
export const RING_SPACING_EM = 0.06;
/** A ring's letters grow at most this much to fill the circle; beyond that they are spaced out. */
export const RING_LARGEST_SCALE = 1.2;
/** Letter sizes of a plaque, largest first, in heights of its box. */
export const PLAQUE_SIZES = [0.3, 0.25, 0.21, 0.18, 0.155, 0.13, 0.11, 0.095, 0.08, 0.07];
export const PLAQUE_LEADING_EM = 1.2;
/** Room between the ink of two lines in scripts whose letters are taller. */
export const PLAQUE_CLEAR_EM = 0.12;
/**
 * Set one line with kerning, starting at (0, 0).
 *
 * @returns {{letters: Letter[], width: number}}
 */
export function layout(text, faceName = 'serif', letterSpacingEm = 0, level = -1) {
  const line = shape(text, faceName, letterSpacingEm, level);
  return { letters: lettersOf(line.placed), width: width(line, 0, line.codes.length) };
}

/** Level of a paragraph: 1 if it runs from right to left, else 0. */
export function paragraph(text) {
  return paragraphLevel(codePoints(text));
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
 *   page: number, char: number}[]} in reading order; see the twin
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
    for (const { quad, uv, page, char } of letters) {
      const turn = ((quad[0] + quad[2]) * 0.5 + start) / (length * fit.repeats);
      laid.push({
        angle: (turn - Math.floor(turn)) * TAU,
        height: ((quad[1] + quad[3]) * 0.5 - middle) * size,
        halfWidth: (quad[2] - quad[0]) * 0.5 * size,
        halfHeight: (quad[3] - quad[1]) * 0.5 * size,
        uv,
        page,
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
  const leading = leadingOf(line, reach);
  const inside = sizes.map((size) =>
    insideOf(reach, boxWidth / (size * boxHeight), 1 / size, font, leading),
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
  return centred(rows, em, font, letterSpacingEm, paragraph(text), leading);
}

function lettersOf(placed) {
  return placed.map((p) => ({
    quad: moved(p.glyph.plane, p.x, p.y),
    uv: p.glyph.uv,
    page: p.glyph.page,
    char: p.position,
  }));
}

function moved(plane, x, y) {
  const [left, bottom, right, top] = plane ?? [0, 0, 0, 0];
  return [left + x, bottom + y, right + x, top + y];
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
    const { margin } = p.glyph;
    above = Math.max(above, top - margin);
    below = Math.max(below, -(bottom + margin));
    const end = p.end - line.letterSpacingEm;
    side = Math.max(side, p.start - (left + margin), right - margin - end);
  }
  return [above, below, side];
}

/** From one baseline to the next, em: more where a page of the atlas has taller letters. */
function leadingOf(line, [above, below]) {
  if (line.placed.every((p) => p.glyph.page === 0)) return PLAQUE_LEADING_EM;
  return Math.max(PLAQUE_LEADING_EM, above + below + PLAQUE_CLEAR_EM);
}

/** Line width and line count that keep ink of such reach within a box; all in em. */
function insideOf([above, below, side], across, down, font, leading) {
  const spare = down - font.capHeight - 2 * Math.max(above - font.capHeight, below);
  const room = spare >= 0 ? Math.floor(spare / leading) + 1 : 0;
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

/** The row shortened until it and an ellipsis fit. */
function ended(row, limit, faceName, spacing) {
  let kept = stripEnd(row);
  while (kept && measure(`${kept}\u2026`, faceName, spacing) > limit) {
    kept = stripEnd(String.fromCodePoint(...codePoints(kept).slice(0, -1)));
  }
  return `${kept}\u2026`;
}

/** Rows centred on (0, 0) between the top of the first capitals and the last baseline. */
function centred(rows, em, font, spacing, level, leading) {
  const middle = ((rows.length - 1) * leading + font.capHeight) * 0.5;
  const letters = [];
  let earlier = 0;
  rows.forEach((row, i) => {
    const line = shape(row, font.name, spacing, level);
    const x = width(line, 0, line.codes.length) * -0.5;
    const y = middle - font.capHeight - i * leading;
    for (const { quad, uv, page, char } of lettersOf(line.placed)) {
      const placed = [
        (quad[0] + x) * em,
        (quad[1] + y) * em,
        (quad[2] + x) * em,
        (quad[3] + y) * em,
      ];
      letters.push({ quad: placed, uv, page, char: char + earlier });
    }
    earlier += line.codes.length;
  });
  return { letters, em, lines: rows };
}
