/**
 * What code points are drawn as in their neighbourhood: joined letters, forms, direction.
 *
 * Arabic letters take the form of their place in the word; letters of South and Southeast Asia join
 * by the table of forms in `glyph_pages.json`; lines that run from right to left are ordered by the
 * rules W, N1, N2, I and L of the Unicode bidirectional algorithm (UAX 9), without embeddings.
 *
 * @typedef {object} Unit code points position .. position + count - 1 drawn as one
 * @property {number} position
 * @property {number} count
 * @property {number} code what is drawn; in LEFT what goes before
 * @property {number} role PLAIN, LEFT, UNDER, OVER_NEXT or HALF
 * @property {number} after LEFT: what is drawn behind the syllable too, 0 for nothing
 *
 * Twin: godseed/sim/scripts.py
 */

import { tables } from './glyph_pages.js';
import { once } from './spec.js';

/** Roles of a unit; see the twin. */
export const PLAIN = 0;
export const LEFT = 1;
export const UNDER = 2;
export const OVER_NEXT = 3;
export const HALF = 4;
/** No code point below it joins, or runs from right to left. */
export const FIRST_COMPLEX = 0x590;
/** No code point below it has a form with the next one, but for Arabic. */
export const FIRST_FORM = 0x900;
export const LONGEST_FORM = 4;
/** Code points of forms in the atlas; in a text they mean nothing and are drawn as REPLACEMENT. */
export const PRIVATE = [0xe000, 0xf8ff];
export const REPLACEMENT = 0xfffd;
export const TATWEEL = 0x640;
export const ZWJ = 0x200d;

/**
 * What a line of code points is drawn as, in its order.
 *
 * @param {number[]} codes
 * @returns {Unit[]}
 */
export function units(codes) {
  if (!codes.some((code) => code >= FIRST_COMPLEX)) return codes.map((code, i) => unit(i, 1, code));
  const found = [];
  let position = 0;
  while (position < codes.length) {
    let next = form(codes, position) ?? joined(codes, position);
    if (next === null) {
      const code = codes[position];
      const left = tables().left[code];
      const isPrivate = PRIVATE[0] <= code && code <= PRIVATE[1];
      next = left
        ? unit(position, 1, left[0], LEFT, left[1])
        : unit(position, 1, isPrivate ? REPLACEMENT : code);
    }
    found.push(next);
    position += next.count;
  }
  return found;
}

/**
 * Embedding level of every code point; odd ones run from right to left.
 *
 * @param {number[]} codes one line
 * @param {number} level of the paragraph, 0 or 1; -1 takes that of its first strong character
 */
export function levels(codes, level = -1) {
  const kinds = codes.map(direction);
  const base = level < 0 ? paragraphLevel(codes) : level;
  if (base === 0 && !kinds.some((kind) => kind === 'R' || kind === 'AL' || kind === 'AN')) {
    return codes.map(() => 0);
  }
  const outer = base ? 'R' : 'L';
  const found = neutrals(weak(kinds, outer), outer).map((kind) => levelOf(kind, base));
  let trailing = codes.length;
  while (trailing > 0 && ['WS', 'B', 'S', 'BN'].includes(kinds[trailing - 1])) {
    trailing -= 1;
    found[trailing] = base;
  }
  return found;
}

/** 1 if the first strong character runs from right to left, else 0. */
export function paragraphLevel(codes) {
  for (const code of codes) {
    const kind = direction(code);
    if (kind === 'L' || kind === 'R' || kind === 'AL') return kind === 'L' ? 0 : 1;
  }
  return 0;
}

/** Positions from left to right, given the levels from first to last (rule L2). */
export function visualOrder(found) {
  const order = found.map((_, i) => i);
  for (let level = Math.max(0, ...found); level > 0; level -= 1) {
    let start = 0;
    while (start < order.length) {
      let end = start;
      while (end < order.length && found[order[end]] >= level) end += 1;
      order.splice(start, end - start, ...order.slice(start, end).reverse());
      start = Math.max(end, start + 1);
    }
  }
  return order;
}

/** What a code point is drawn as where text runs from right to left. */
export function mirrored(code) {
  return tables().mirror[code] ?? code;
}

/** The forms of an Arabic letter, 0 where it has none; of other characters nothing. */
export function formsOf(code) {
  return tables().joining[code] ?? [];
}

/** Bidirectional class of a code point. */
export const direction = once((code) => {
  if (code > 0xffff) return 'ON';
  for (const [name, ranges] of Object.entries(tables().bidi)) {
    if (within(code, ranges)) return name;
  }
  return 'L';
});

/** Whether a code point lies in one of some [first, last] ranges, which ascend. */
export function within(code, ranges) {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle][1] < code) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length && ranges[low][0] <= code;
}

function unit(position, count, code, role = PLAIN, after = 0) {
  return { position, count, code, role, after };
}

const joiners = once(() => new Set(tables().joiners));

/** The longest form that begins here, null if none does. */
function form(codes, position) {
  const { forms, over_next: overNext } = tables();
  const joins = joiners();
  if (codes[position] < FIRST_FORM) return null;
  const last = position + 2 < codes.length ? codes[position + 2] : 0;
  const over = codes.slice(position, position + 2).join(' ');
  if (over in overNext && last >= FIRST_COMPLEX && last !== ZWJ) {
    return unit(position, 2, overNext[over], OVER_NEXT);
  }
  for (let count = Math.min(LONGEST_FORM, codes.length - position); count > 1; count -= 1) {
    const key = codes.slice(position, position + count).join(' ');
    if (key in forms) {
      let role = joins.has(codes[position]) ? UNDER : PLAIN;
      const end = codes[position + count - 1];
      if (joins.has(end)) {
        // A letter that can go under this one leaves it whole.
        if (`${end} ${last}` in forms && count === 2) return null;
        role = HALF;
      }
      return unit(position, count, forms[key], role);
    }
  }
  return null;
}

/** An Arabic letter in the form of its place, or the ligature that begins here. */
function joined(codes, position) {
  const { joining } = tables();
  const code = codes[position];
  const row = formsOf(code);
  if (row.length === 0) return null;
  const before = joinsOn(codes, position) && row[1] > 0;
  const pair = joining[codes.slice(position, position + 2).join(' ')];
  if (position + 1 < codes.length && pair && pair[before ? 1 : 0]) {
    return unit(position, 2, pair[before ? 1 : 0]);
  }
  const after = row[2] > 0 && takes(codes, position);
  const drawn = row[before ? (after ? 3 : 1) : after ? 2 : 0];
  return unit(position, 1, drawn || code);
}

/** Whether what precedes reaches out to this letter. */
function joinsOn(codes, position) {
  let at = position - 1;
  while (at >= 0 && within(codes[at], tables().marks)) at -= 1;
  if (at < 0) return false;
  const row = formsOf(codes[at]);
  return codes[at] === TATWEEL || codes[at] === ZWJ || (row.length > 2 && row[2] > 0);
}

/** Whether what follows joins on to this letter. */
function takes(codes, position) {
  let at = position + 1;
  while (at < codes.length && within(codes[at], tables().marks)) at += 1;
  if (at === codes.length) return false;
  const row = formsOf(codes[at]);
  return codes[at] === TATWEEL || codes[at] === ZWJ || (row.length > 1 && row[1] > 0);
}

/** Rules W1 to W7. */
function weak(kinds, outer) {
  const found = [];
  let strong = outer;
  let before = outer;
  for (const kind of kinds) {
    let now = kind === 'NSM' ? before : kind;
    before = now;
    if (now === 'L' || now === 'R' || now === 'AL') strong = now;
    if (now === 'EN' && strong === 'AL') now = 'AN';
    found.push(now === 'AL' ? 'R' : now);
  }
  for (let i = 1; i < found.length - 1; i += 1) {
    const around = found[i - 1];
    const single = found[i] === 'CS' || (found[i] === 'ES' && around === 'EN');
    if (single && around === found[i + 1] && (around === 'EN' || around === 'AN')) {
      found[i] = around;
    }
  }
  let i = 0;
  while (i < found.length) {
    let end = i;
    while (end < found.length && (found[end] === 'ET' || found[end] === 'BN')) end += 1;
    const beside = (i > 0 && found[i - 1] === 'EN') || (end < found.length && found[end] === 'EN');
    if (beside) found.fill('EN', i, end);
    i = Math.max(end, i + 1);
  }
  strong = outer;
  return found.map((kind) => {
    if (kind === 'ES' || kind === 'ET' || kind === 'CS') return 'ON';
    if (kind === 'L' || kind === 'R') strong = kind;
    else if (kind === 'EN' && strong === 'L') return 'L';
    return kind;
  });
}

/** Rules N1 and N2. */
function neutrals(kinds, outer) {
  let i = 0;
  while (i < kinds.length) {
    let end = i;
    while (end < kinds.length && ['B', 'S', 'WS', 'ON', 'BN'].includes(kinds[end])) end += 1;
    const before = i > 0 ? side(kinds[i - 1]) : outer;
    const after = end < kinds.length ? side(kinds[end]) : outer;
    kinds.fill(before === after ? before : outer, i, end);
    i = Math.max(end, i + 1);
  }
  return kinds;
}

function side(kind) {
  return kind === 'L' ? 'L' : 'R';
}

/** Rules I1 and I2. */
function levelOf(kind, base) {
  if (base === 0) return { L: 0, R: 1 }[kind] ?? 2;
  return kind === 'R' ? 1 : 2;
}
