/**
 * A feature: one thing that a wish put into the world, a few numbers and a seed.
 *
 * Canonical bytes, little-endian, texts UTF-8 behind their length as uint32: id, wish_id, tool
 * index uint8, then per argument of the spec, in its order, a tag byte (0 absent, 1 number, 2 text
 * or enum, 3 path) and float64 | text | uint32 count and that many pairs of float64; seed uint32, t
 * float64.
 *
 * Twin: godseed/sim/feature.py
 */

import { quoted, restore, tools } from './arguments.js';
import { hex, sha256 } from './sha256.js';

export const GENESIS_WISH = 'genesis';
export const MAX_SEED = 0x7fffffff;
export const MAX_T = 1e15;
export const DIGEST_PREFIX = 'godseed world 1\n';
const FEATURE_ID = /^f_[0-9]{6,9}$/;
const WISH_ID = /^(w_[0-9]{6,9}|genesis)$/;

/** One feature, checked; treat it as immutable. */
export class Feature {
  /**
   * @param {{id: string, wish_id: string, tool: string, args: object, seed: number, t: number}}
   *   value parsed JSON
   */
  constructor({ id, wish_id: wishId, tool, args, seed, t }) {
    if (typeof id !== 'string' || !FEATURE_ID.test(id)) {
      throw new TypeError(`feature.id: ${quoted(id)}; expected f_ and six digits`);
    }
    if (typeof wishId !== 'string' || !WISH_ID.test(wishId)) {
      throw new TypeError(`wish_id: ${quoted(wishId)}; expected w_ and six digits, or genesis`);
    }
    const row = tools().get(tool);
    if (!row)
      throw new TypeError(
        `feature.tool: ${quoted(tool)}; expected one of ${[...tools().keys()].join(', ')}`,
      );
    if (!Number.isInteger(seed) || seed < 0 || seed > MAX_SEED) {
      throw new TypeError(`feature.seed: ${quoted(seed)}; expected 0..${MAX_SEED}`);
    }
    if (!(t > -MAX_T && t < MAX_T))
      throw new TypeError(`feature.t: ${quoted(t)}; expected seconds`);
    this.id = id;
    this.wishId = wishId;
    this.tool = tool;
    this.args = restore(row, args);
    this.seed = seed;
    this.t = t + 0;
  }
}

/** Id of the feature at a position in the world: `f_000017`. */
export function featureId(index) {
  return `f_${String(index).padStart(6, '0')}`;
}

/** The bytes that stand for a feature on every machine and in both languages. */
export function canonicalBytes(feature) {
  const tool = tools().get(feature.tool);
  const parts = [textBytes(feature.id), textBytes(feature.wishId), Uint8Array.of(tool.index)];
  for (const row of tool.args) parts.push(...valueBytes(feature.args[row.name]));
  parts.push(uint32Bytes(feature.seed), doubleBytes([feature.t]));
  return joined(parts);
}

/** SHA-256 of a feature list, hexadecimal: rung 0 of the ladder. */
export function worldDigest(features) {
  const digest = sha256();
  digest.update(new TextEncoder().encode(DIGEST_PREFIX));
  for (const feature of features) digest.update(canonicalBytes(feature));
  return hex(digest.digest());
}

function valueBytes(value) {
  if (value === undefined) return [Uint8Array.of(0)];
  if (typeof value === 'string') return [Uint8Array.of(2), textBytes(value)];
  if (Array.isArray(value))
    return [Uint8Array.of(3), uint32Bytes(value.length), doubleBytes(value.flat())];
  return [Uint8Array.of(1), doubleBytes([value])];
}

/** UTF-8 bytes of a text behind their length. */
export function textBytes(text) {
  const bytes = new TextEncoder().encode(text);
  return joined([uint32Bytes(bytes.length), bytes]);
}

/** Whole numbers below 2^32, little-endian. */
export function uint32Bytes(...numbers) {
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  numbers.forEach((x, i) => view.setUint32(4 * i, x, true));
  return new Uint8Array(view.buffer);
}

function doubleBytes(numbers) {
  const view = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((x, i) => view.setFloat64(8 * i, x, true));
  return new Uint8Array(view.buffer);
}

function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
