/**
 * Where lines of text end: at spaces, after hyphens, and between letters of scripts without spaces.
 *
 * Twin: godseed/sim/line_breaks.py
 */

import { tables } from './glyph_pages.js';
import { JOINED, LETTER, SPACE } from './glyphs.js';
import { within } from './scripts.js';

/** Halvings in the search for the narrowest block. */
export const BALANCE_STEPS = 7;
/** Spaces at which a line never breaks. */
export const UNBREAKABLE = new Set([0xa0, 0x2007, 0x202f]);
/** Always end a line in `wrap`. */
export const LINE_ENDS = new Set([0x0a, 0x0b, 0x0c, 0x85, 0x2028, 0x2029]);
/** Hyphens and dashes: a line may break after them. */
export const BREAK_AFTER = new Set([0x2d, 0x2010, 0x2012, 0x2013, 0x2014]);

/** Greedy lines as [first, end] code points, and how many words were cut. */
export function broken(line, limit) {
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

/** The narrowest block with as many lines and cuts as the greedy one. */
export function balanced(line, limit) {
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

/** The text of the code points first..end-1. */
export function string(line, first, end) {
  return String.fromCodePoint(...line.codes.slice(first, end));
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
    if (held && mayBreak(line, position)) good = position;
    const end = line.ends[lastOf(line, position)];
    if (held && end - line.letterSpacingEm - line.starts[first] > limit) {
      return good >= 0 ? [good, good, 0] : [position, position, 1];
    }
    if (BREAK_AFTER.has(line.codes[position]) && held) good = position + 1;
    held = true;
  }
  return [line.codes.length, line.codes.length, 0];
}

/** Position of the last code point that is joined to a letter. */
function lastOf(line, position) {
  let last = position;
  while (last + 1 < line.kinds.length && !isLetter(line.kinds[last + 1])) last += 1;
  return last;
}

/** Whether a line may end before a letter without a space there. */
function mayBreak(line, position) {
  const { breaking, no_start: noStart, no_end: noEnd } = tables();
  if (line.codes[position] < breaking[0][0] && line.codes[position - 1] < 0x2e80) return false;
  let before = position - 1;
  while (before > 0 && !isLetter(line.kinds[before]) && line.kinds[before] !== JOINED) before -= 1;
  const last = line.codes[before];
  const code = line.codes[position];
  const loose = within(last, breaking) || within(code, breaking);
  return loose && !noEnd.includes(last) && !noStart.includes(code);
}

function isLetter(kind) {
  return kind === SPACE || kind === LETTER;
}
