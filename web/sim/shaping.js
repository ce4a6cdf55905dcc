/**
 * One line of text as glyphs with pens: kerning, marks, joined letters, direction.
 *
 * Lengths are in em. Text is taken in Unicode NFC; see `glyphs` for what a character is drawn as.
 *
 * @typedef {{glyph: Glyph, x: number, y: number, position: number, start: number, end: number}}
 *   Placed a glyph with its pen, its code point's position, and the pens between which that is seen
 * @typedef {object} Shape one line of n code points, baseline at y = 0
 * @property {number[]} codes code points, NFC
 * @property {number[]} kinds NOTHING, SPACE, MARK, LETTER or JOINED
 * @property {number[]} starts pens before each code point, after the kerning with what precedes it,
 *   as if all ran from left to right
 * @property {number[]} ends pens after each code point and its letterspacing
 * @property {Placed[]} placed glyphs with ink, in text order, each where it is seen
 * @property {number} letterSpacingEm added after each letter and space
 *
 * Twin: godseed/sim/shaping.py
 */

import { pageOf } from './glyph_pages.js';
import {
  JOINED,
  LETTER,
  MARK,
  NOTHING,
  SPACE,
  codePoints,
  decomposed,
  face,
  kern,
  partsOf,
} from './glyphs.js';
import {
  FIRST_COMPLEX,
  HALF,
  LEFT,
  OVER_NEXT,
  UNDER,
  formsOf,
  levels,
  mirrored,
  units,
  visualOrder,
  within,
} from './scripts.js';

/** Clearance between a letter and the mark put above it. */
export const MARK_GAP_EM = 0.05;
/** A mark of a page whose ink begins higher is stacked above its letter. */
export const PAGE_MARK_ABOVE_EM = 0.4;
/** Marks drawn where the pen stands after their letter; others are centred on it. */
export const HANGING = [
  [0x900, 0xdff],
  [0xe00, 0xfff],
  [0x1000, 0x1cff],
  [0xa800, 0xabff],
  [0xe000, 0xf8ff],
];
/** Hanging marks of which one stands above another. */
export const STACKED = [[0xe00, 0xeff]];
/** Marks at the left (-1) or right end of their letter. */
export const SIDES = new Map([
  [0x5b9, -1],
  [0x5c1, 1],
  [0x5c2, -1],
]);
/** Scripts whose letters touch: no letterspacing between them. */
export const TIGHT = [
  [0x600, 0xa7f],
  [0xfb50, 0xfdff],
  [0xfe70, 0xfefe],
];

/**
 * Place every glyph of one line, with kerning; marks are stacked above their letter.
 *
 * @param {string} text
 * @param {string} faceName
 * @param {number} letterSpacingEm added after every letter and space whose script allows it
 * @param {number} level of the paragraph, see `scripts.levels`
 * @returns {Shape}
 */
export function shape(text, faceName = 'serif', letterSpacingEm = 0, level = -1) {
  const font = face(faceName);
  const codes = codePoints(text.normalize('NFC'));
  const simple = level < 1 && !codes.some((code) => code >= FIRST_COMPLEX);
  const embedding = simple ? codes.map(() => 0) : levels(codes, level);
  const line = new Line(font, letterSpacingEm);
  for (const unit of units(codes)) {
    const isTight = tight(codes, unit.position + unit.count);
    const code = embedding[unit.position] % 2 ? mirrored(unit.code) : unit.code;
    line.add(unit, code, isTight ? 0 : letterSpacingEm);
  }
  line.endSyllable();
  if (embedding.some((found) => found > 0)) line.reorder(embedding);
  const { kinds, starts, ends } = line;
  return { codes, kinds, starts, ends, placed: line.seen(), letterSpacingEm };
}

/**
 * Pages that a text is drawn from, however it is broken into lines, ascending; the base atlas is not
 * one of them.
 */
export function pagesOf(text, faceName = 'serif') {
  const font = face(faceName);
  const codes = codePoints(text.normalize('NFC'));
  const drawn = codes.flatMap((code) => [code, mirrored(code), ...formsOf(code).filter(Boolean)]);
  for (const { code, after } of units(codes)) drawn.push(code, after || code);
  const missing = drawn.filter((code) => !font.glyphs.has(code));
  const parts = missing.flatMap((code) => [code, ...decomposed(code)]);
  const wanted = new Set(parts.map(pageOf));
  wanted.delete(-1);
  return [...wanted].sort((a, b) => a - b);
}

/** Advance of the code points first..end-1, em, without the spacing after the last one. */
export function width(line, first, end) {
  let last = end;
  while (last > first && (line.kinds[last - 1] === NOTHING || line.kinds[last - 1] === MARK))
    last -= 1;
  if (last === first) return 0;
  return line.ends[last - 1] - line.letterSpacingEm - line.starts[first];
}

/** The pen that places the units of a line, in text order. */
class Line {
  kinds = [];
  starts = [];
  ends = [];
  placed = [];
  pen = 0;
  tip = 0;
  previous = -1;
  left = 0;
  middle = 0;
  right = 0;
  bottom = 0;
  first = 0;
  firstPen = 0;
  leaning = false;
  stacking = false;
  waiting = null;
  shifts = null;

  constructor(font, letterSpacingEm) {
    this.font = font;
    this.spacing = letterSpacingEm;
    this.top = font.xHeight;
  }

  /** Place one unit; `spacing` goes behind it. */
  add(unit, code, spacing) {
    let [kind, glyphs] = partsOf(code, this.font);
    if (unit.role === OVER_NEXT) {
      this.endSyllable();
      this.#begin(this.pen);
      this.waiting = [glyphs[0][1], unit.position];
      this.#step(unit, LETTER, this.pen, this.pen);
      this.leaning = true;
      return;
    }
    if (unit.role === LEFT) {
      this.#before(unit, glyphs[0][1], spacing);
      return;
    }
    if (unit.role === UNDER) kind = glyphs[0][1].advance === 0 ? MARK : JOINED;
    if (kind === LETTER && this.leaning) kind = JOINED;
    if (kind === SPACE || kind === LETTER || kind === JOINED) {
      this.#letter(unit, kind, glyphs, spacing);
    } else {
      this.#step(unit, kind, this.pen, this.pen);
    }
    for (const [markCode, mark] of kind === MARK ? glyphs : glyphs.slice(1)) {
      this.#mark(markCode, mark, unit.position);
    }
    this.leaning = unit.role === HALF || (this.leaning && kind === NOTHING);
  }

  /** Place the mark that waited for the end of the syllable. */
  endSyllable() {
    if (this.waiting !== null) {
      const [glyph, position] = this.waiting;
      this.placed.push({ glyph, x: this.tip, y: 0, position });
      this.waiting = null;
    }
  }

  /** Move every cluster to where it is seen. */
  reorder(embedding) {
    const heads = [];
    const owner = this.kinds.map((_, i) => {
      if (i === 0 || this.ends[i] !== this.starts[i]) heads.push(i);
      return heads.length - 1;
    });
    const order = visualOrder(heads.map((head) => embedding[head]));
    const shift = heads.map(() => 0);
    let pen = 0;
    for (const number of order) {
      const head = heads[number];
      shift[number] = pen - this.starts[head];
      pen += this.ends[head] - this.starts[head];
    }
    this.placed = this.placed.map((p) => ({ ...p, x: p.x + shift[owner[p.position]] }));
    this.shifts = owner.map((number) => shift[number]);
  }

  /** Glyphs with ink. */
  seen() {
    const shifts = this.shifts ?? this.kinds.map(() => 0);
    return this.placed.map((p) => ({
      ...p,
      start: this.starts[p.position] + shifts[p.position],
      end: this.ends[p.position] + shifts[p.position],
    }));
  }

  /** Move the pen over a letter, a space or what is joined to the letter before. */
  #letter(unit, kind, glyphs, spacing) {
    const [code, glyph] = glyphs[0];
    if (kind !== JOINED) this.endSyllable();
    this.pen += kern(this.previous, code, this.font);
    if (kind !== JOINED) this.#begin(this.pen);
    const { pen } = this;
    this.left = pen;
    this.middle = pen + glyph.advance * 0.5;
    this.right = pen + glyph.advance;
    this.top = this.font.xHeight;
    this.bottom = 0;
    if (glyph.plane) {
      this.placed.push({ glyph, x: pen, y: 0, position: unit.position });
      this.left = pen + glyph.plane[0];
      this.right = pen + glyph.plane[2];
      this.middle = pen + (glyph.plane[0] + glyph.plane[2]) * 0.5;
      this.top = glyph.plane[3] - glyph.margin;
      this.bottom = glyph.plane[1] + glyph.margin;
    }
    this.#step(unit, kind, pen, pen + glyph.advance + spacing);
    this.tip = pen + glyph.advance;
    this.previous = code;
    this.stacking = false;
  }

  /** Put a vowel sign before the letters of its syllable, which make room. */
  #before(unit, glyph, spacing) {
    let wide = glyph.advance + spacing;
    const moved = this.placed.slice(this.first).map((p) => ({ ...p, x: p.x + wide }));
    const head = glyph.plane ? [{ glyph, x: this.firstPen, y: 0, position: unit.position }] : [];
    this.placed.splice(this.first, this.placed.length, ...head, ...moved);
    this.middle += wide;
    this.tip += wide;
    this.left += wide;
    this.right += wide;
    const start = this.pen;
    const after = unit.after ? partsOf(unit.after, this.font)[1][0][1] : null;
    if (after?.plane) {
      this.placed.push({ glyph: after, x: this.pen + wide, y: 0, position: unit.position });
      this.tip = this.pen + wide + after.advance;
      wide = wide + after.advance + (after.advance > 0 ? spacing : 0);
    }
    this.previous = -1;
    this.#step(unit, JOINED, start, start + wide);
    this.leaning = false;
  }

  /** Put a mark above, under or in the letter that the pen has passed. */
  #mark(code, glyph, position) {
    const [left, bottom, right, high] = glyph.plane ?? [0, 0, 0, 0];
    const low = bottom + glyph.margin;
    let lift = 0;
    if (glyph.page && within(code, HANGING)) {
      if (within(code, STACKED) && low > PAGE_MARK_ABOVE_EM) {
        lift = this.stacking ? Math.max(0, this.top + MARK_GAP_EM - low) : 0;
        this.top = high - glyph.margin + lift;
        this.stacking = true;
      }
      this.placed.push({ glyph, x: this.tip, y: lift, position });
      return;
    }
    if (low > (glyph.page ? PAGE_MARK_ABOVE_EM : this.font.xHeight * 0.5)) {
      lift = Math.max(0, this.top + MARK_GAP_EM - low);
      this.top = high - glyph.margin + lift;
    } else if (glyph.page && high - glyph.margin <= 0) {
      lift = Math.min(0, this.bottom - MARK_GAP_EM - (high - glyph.margin));
      this.bottom = low + lift;
    }
    let x = this.middle - (left + right) * 0.5;
    if (SIDES.has(code)) x = SIDES.get(code) < 0 ? this.left - left : this.right - right;
    this.placed.push({ glyph, x, y: lift, position });
  }

  #begin(pen) {
    this.first = this.placed.length;
    this.firstPen = pen;
  }

  /** Record the pens of a unit's code points: the first one has its width. */
  #step(unit, kind, start, end) {
    this.pen = end;
    for (let i = 0; i < unit.count; i += 1) {
      this.kinds.push(i === 0 ? kind : NOTHING);
      this.starts.push(i === 0 ? start : end);
      this.ends.push(end);
    }
  }
}

/** Whether no letterspacing goes before a position. */
function tight(codes, position) {
  if (position >= codes.length || codes[position] < FIRST_COMPLEX) return false;
  return within(codes[position], TIGHT) && within(codes[position - 1], TIGHT);
}
