/**
 * Pages of the glyph atlas: characters beyond the base atlas, read when text first needs them.
 *
 * A page holds the 256 characters that share the upper bits of their code points, as a picture of
 * signed distances and a table of quads. Private code points of the tables are not characters but
 * joined forms, see `scripts`. Lengths are in em, as in `glyphs`. Here tables arrive over the
 * network: `await loadPages(numbers, read)` before text is set that needs them.
 *
 * @typedef {object} Glyph one drawing of the atlas
 * @property {number} advance pen movement
 * @property {number[] | null} plane left, bottom, right, top from the pen; null for a space
 * @property {number[] | null} uv x0, y0, x1, y1 in its picture, 0..1, y0 at the top
 * @property {number} page 0 in the base atlas, else 1 + the page's number
 * @property {number} margin how far the quad reaches beyond the ink
 *
 * Twin: godseed/sim/glyph_pages.py
 */

import { once, spec } from './spec.js';

const loaded = new Map();

/** What is known of all pages: sizes, which there are, and the tables of `scripts`. */
export function tables() {
  return spec('glyph_pages.json');
}

/** Number of the page that may hold a code point, -1 if there is none. */
export function pageOf(code) {
  const number = code >> 8;
  return numbers().has(number) ? number : -1;
}

/**
 * The drawing of a code point on its page, null if no page has it.
 *
 * @returns {Glyph | null}
 * @throws {Error} the page is not loaded
 */
export function pageGlyph(code) {
  const number = pageOf(code);
  return number < 0 ? null : (page(number).get(code) ?? null);
}

/** File of a page's table (`json`) or picture (`png`). */
export function pageFile(number, ending) {
  return `glyphs/${number.toString(16).padStart(2, '0')}.${ending}`;
}

/**
 * Read tables of pages that are not there yet.
 *
 * @param {number[]} wanted page numbers
 * @param {(name: string) => Promise<string>} read gives a text file of the specification
 */
export async function loadPages(wanted, read) {
  const missing = wanted.filter((number) => !loaded.has(number));
  const texts = await Promise.all(missing.map((number) => read(pageFile(number, 'json'))));
  missing.forEach((number, i) => loaded.set(number, glyphsOf(number, JSON.parse(texts[i]))));
}

/** Go without pages that do not arrive: nothing is on them. */
export function leaveOut(unwanted) {
  for (const number of unwanted) loaded.set(number, new Map());
}

const numbers = once(() => new Set(tables().pages));

function page(number) {
  const found = loaded.get(number);
  if (found === undefined) {
    throw new Error(
      `glyph_pages: page ${pageFile(number, 'json')} is not loaded; expected it before text is set; ` +
        'await loadPages first',
    );
  }
  return found;
}

/** Drawings of one page by code point. */
function glyphsOf(number, rows) {
  const { em_px: em, size_px: size, spread_px: spread } = tables();
  const margin = spread / em;
  const found = new Map();
  for (const [key, [advance, ...box]] of Object.entries(rows)) {
    let plane = null;
    let uv = null;
    if (box.length > 0) {
      const [left, bottom, right, top, x, y] = box;
      plane = [left / em, bottom / em, right / em, top / em];
      uv = [x / size, y / size, (x + right - left) / size, (y + top - bottom) / size];
    }
    found.set(parseInt(key, 16), { advance: advance / 1000, plane, uv, page: 1 + number, margin });
  }
  return found;
}
