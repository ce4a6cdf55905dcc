/**
 * Faces of the glyph atlas, and one line of text as glyphs with pens.
 *
 * Lengths are in em. Text is taken in Unicode NFC and read code point by code point. A character
 * that the atlas lacks is drawn as its base letter with marks when it decomposes to those, else as
 * U+FFFD, a hollow lozenge. `uv` counts from the first row of the picture down; upload the rows as
 * they are in the file and v needs no flip.
 *
 * @typedef {{advance: number, plane: number[] | null, uv: number[] | null}} Glyph plane: left,
 *   bottom, right, top from the pen
 * @typedef {{glyph: Glyph, x: number, y: number, position: number}} Placed a glyph with its pen,
 *   and its code point's position
 * @typedef {object} Shape one line of n code points, baseline at y = 0
 * @property {number[]} codes code points, NFC
 * @property {number[]} kinds NOTHING, SPACE, MARK or LETTER
 * @property {number[]} starts pens before each code point, after the kerning with what precedes it
 * @property {number[]} ends pens after each code point and its letterspacing
 * @property {Placed[]} placed glyphs with ink, in text order
 * @property {number} letterSpacingEm added after each letter and space
 *
 * Twin: godseed/sim/glyphs.py
 */

import { once, spec } from './spec.js';

export const NOTHING = 0;
export const SPACE = 1;
export const MARK = 2;
export const LETTER = 3;

/** Clearance between a letter and the mark put above it. */
export const MARK_GAP_EM = 0.05;
export const REPLACEMENT = 0xfffd;
/** Drawn as the face's space. */
export const SPACES = new Set([
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029],
  ...[0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
  ...[0x202f, 0x205f, 0x3000],
]);
/** Combining marks: no advance; one that the atlas lacks is not drawn. */
export const MARKS = [
  [0x300, 0x36f],
  [0x483, 0x489],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
];
/** Controls and other characters without a look of their own: nothing drawn, no advance. */
export const IGNORED = [
  [0x00, 0x08],
  [0x0e, 0x1f],
  [0x7f, 0x84],
  [0x86, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfe20, 0xfe2f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xe0000, 0xe0fff],
];

/** The face `serif` or `mono` of the atlas; lengths in em. */
export const face = once((name) => {
  const table = spec('glyphs.json');
  const row = table.faces[name];
  if (!row) {
    const known = Object.keys(table.faces).join(', ');
    throw new RangeError(`glyphs.face: '${name}'; expected one of ${known}; use one of these`);
  }
  const { width: across, height: down, spread_px: spread } = table.atlas;
  const glyphs = new Map();
  for (const [code, { advance, plane, uv }] of Object.entries(row.glyphs)) {
    glyphs.set(Number(code), {
      advance,
      plane: plane ?? null,
      uv: uv ? quad(uv, across, down) : null,
    });
  }
  return {
    name,
    emPx: row.em_px,
    marginEm: spread / row.em_px,
    ascent: row.ascent,
    descent: row.descent,
    lineGap: row.line_gap,
    capHeight: row.cap_height,
    xHeight: row.x_height,
    glyphs,
    kerning: new Map(Object.entries(row.kerning)),
  };
});

/**
 * Place every glyph of one line, with kerning; marks are stacked above their letter.
 *
 * @returns {Shape}
 */
export function shape(text, faceName = 'serif', letterSpacingEm = 0) {
  const font = face(faceName);
  const codes = codePoints(text.normalize('NFC'));
  const [kinds, starts, ends, placed] = [[], [], [], []];
  let pen = 0;
  let previous = -1;
  let middle = 0;
  let top = font.xHeight;
  codes.forEach((code, position) => {
    const [kind, parts] = partsOf(code, font);
    kinds.push(kind);
    if (kind === SPACE || kind === LETTER) {
      const glyph = font.glyphs.get(parts[0]);
      pen += kern(previous, parts[0], font);
      starts.push(pen);
      middle = pen + glyph.advance * 0.5;
      top = font.xHeight;
      if (glyph.plane) {
        placed.push({ glyph, x: pen, y: 0, position });
        middle = pen + (glyph.plane[0] + glyph.plane[2]) * 0.5;
        top = glyph.plane[3] - font.marginEm;
      }
      pen = pen + glyph.advance + letterSpacingEm;
      previous = parts[0];
    } else {
      starts.push(pen);
    }
    ends.push(pen);
    for (const mark of kind === MARK ? parts : parts.slice(1)) {
      const glyph = font.glyphs.get(mark);
      const [left, bottom, right, high] = glyph.plane ?? [0, 0, 0, 0];
      let lift = 0;
      if (bottom + font.marginEm > font.xHeight * 0.5) {
        lift = Math.max(0, top + MARK_GAP_EM - (bottom + font.marginEm));
        top = high - font.marginEm + lift;
      }
      placed.push({ glyph, x: middle - (left + right) * 0.5, y: lift, position });
    }
  });
  return { codes, kinds, starts, ends, placed, letterSpacingEm };
}

/** Advance of the code points first..end-1, em, without the spacing after the last one. */
export function width(line, first, end) {
  let last = end;
  while (last > first && (line.kinds[last - 1] === NOTHING || line.kinds[last - 1] === MARK))
    last -= 1;
  if (last === first) return 0;
  return line.ends[last - 1] - line.letterSpacingEm - line.starts[first];
}

/** Code points of a text. */
export function codePoints(text) {
  return Array.from(text, (char) => char.codePointAt(0));
}

function quad(row, across, down) {
  return [row[0] / across, row[1] / down, row[2] / across, row[3] / down];
}

/** Kind of a code point, and the code points of the glyphs that draw it: a base, then marks. */
function partsOf(code, font) {
  if (SPACES.has(code)) return [SPACE, [0x20]];
  if (isWithin(code, IGNORED)) return [NOTHING, []];
  if (isWithin(code, MARKS)) return [MARK, font.glyphs.has(code) ? [code] : []];
  if (font.glyphs.has(code)) return [LETTER, [code]];
  const [base, ...marks] = codePoints(String.fromCodePoint(code).normalize('NFD'));
  if (!font.glyphs.has(base)) return [LETTER, [REPLACEMENT]];
  return [LETTER, [base, ...marks.filter((mark) => font.glyphs.has(mark))]];
}

function isWithin(code, ranges) {
  return ranges.some(([first, last]) => first <= code && code <= last);
}

/** Kerning of a pair, else of its letters without accents, else 0. */
function kern(left, right, font) {
  if (left < 0 || font.kerning.size === 0) return 0;
  return (
    font.kerning.get(`${left},${right}`) ?? font.kerning.get(`${plain(left)},${plain(right)}`) ?? 0
  );
}

function plain(code) {
  return String.fromCodePoint(code).normalize('NFD').codePointAt(0);
}
