/**
 * Faces of the glyph atlas, and what a character is drawn as.
 *
 * Lengths are in em. A character that the base atlas lacks is drawn as its base letter with marks
 * when it decomposes to those, else from a page of the atlas (`glyph_pages`); what no page has is
 * drawn as U+FFFD, a hollow lozenge. `uv` counts from the first row of the picture down; upload the
 * rows as they are in the file and v needs no flip.
 *
 * Twin: godseed/sim/glyphs.py
 */

import { pageGlyph, tables } from './glyph_pages.js';
import { REPLACEMENT, within } from './scripts.js';
import { once, spec } from './spec.js';

export const NOTHING = 0;
export const SPACE = 1;
export const MARK = 2;
export const LETTER = 3;
export const JOINED = 4;

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
  const margin = spread / row.em_px;
  const glyphs = new Map();
  for (const [code, { advance, plane, uv }] of Object.entries(row.glyphs)) {
    glyphs.set(Number(code), {
      advance,
      plane: plane ?? null,
      uv: uv ? quad(uv, across, down) : null,
      page: 0,
      margin,
    });
  }
  return {
    name,
    emPx: row.em_px,
    marginEm: margin,
    ascent: row.ascent,
    descent: row.descent,
    lineGap: row.line_gap,
    capHeight: row.cap_height,
    xHeight: row.x_height,
    glyphs,
    kerning: new Map(Object.entries(row.kerning)),
  };
});

/** Kind of a code point, and what draws it, with the glyphs' code points: a base, then marks. */
export function partsOf(code, font) {
  if (SPACES.has(code)) return [SPACE, [[0x20, font.glyphs.get(0x20)]]];
  if (within(code, IGNORED)) return [NOTHING, []];
  const own = drawing(code, font);
  if (within(code, MARKS) || within(code, tables().marks)) {
    return [MARK, own === null ? [] : [[code, own]]];
  }
  const kind = within(code, tables().joined) ? JOINED : LETTER;
  if (font.glyphs.has(code)) return [kind, [[code, own]]];
  const [base, ...marks] = decomposed(code);
  const known = marks
    .filter((mark) => font.glyphs.has(mark))
    .map((mark) => [mark, font.glyphs.get(mark)]);
  if (font.glyphs.has(base) && (known.length === marks.length || own === null)) {
    return [kind, [[base, font.glyphs.get(base)], ...known]];
  }
  if (own === null) return [LETTER, [[REPLACEMENT, font.glyphs.get(REPLACEMENT)]]];
  return [kind, [[code, own]]];
}

/** A code point's canonical parts. */
export function decomposed(code) {
  return codePoints(String.fromCodePoint(code).normalize('NFD'));
}

/** Kerning of a pair, else of its letters without accents, else 0. */
export function kern(left, right, font) {
  if (left < 0 || font.kerning.size === 0) return 0;
  return (
    font.kerning.get(`${left},${right}`) ?? font.kerning.get(`${plain(left)},${plain(right)}`) ?? 0
  );
}

/** Code points of a text. */
export function codePoints(text) {
  return Array.from(text, (char) => char.codePointAt(0));
}

function quad(row, across, down) {
  return [row[0] / across, row[1] / down, row[2] / across, row[3] / down];
}

/** The glyph of a code point in the base atlas, else on its page. */
function drawing(code, font) {
  return font.glyphs.get(code) ?? pageGlyph(code);
}

function plain(code) {
  return decomposed(code)[0];
}
