/**
 * mulberry32 as a counter: draw n of a seed is a hash of `seed + (n + 1) * STEP`, so any draw can
 * be had without the ones before.
 *
 * Twin: godseed/sim/rng.py
 */

export const STEP = 0x6d2b79f5;
export const PURPOSE_SALT = 0x9e3779b9;
export const TWO_POW_32 = 4294967296;

/** One stream, drawn one number at a time. */
export class Mulberry32 {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  /** The next number in [0, 1), a multiple of 2^-32. */
  next() {
    this.state = (this.state + STEP) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1) >>> 0;
    t = (t ^ (t + Math.imul(t ^ (t >>> 7), t | 61))) >>> 0;
    return ((t ^ (t >>> 14)) >>> 0) / TWO_POW_32;
  }
}

/** Draw number n (from 0) of the stream of a seed, in [0, 1). */
export function uniform(seed, n) {
  let t = (Math.imul((n + 1) >>> 0, STEP) + seed) >>> 0;
  t = Math.imul(t ^ (t >>> 15), t | 1) >>> 0;
  t = (t ^ (t + Math.imul(t ^ (t >>> 7), t | 61))) >>> 0;
  return ((t ^ (t >>> 14)) >>> 0) / TWO_POW_32;
}

/** Seed of an independent stream for one purpose inside a feature. */
export function mix(seed, purpose) {
  return hashU32(seed ^ hashU32(purpose + PURPOSE_SALT));
}

/** Scramble 32 bits so that each one of the input flips half of the output; 0 stays 0. */
export function hashU32(x) {
  x >>>= 0;
  x ^= x >>> 16;
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  x ^= x >>> 16;
  return x >>> 0;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
  let c = i;
  for (let k = 0; k < 8; k += 1) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});

/** CRC-32 (IEEE 802.3) of a text's UTF-8 bytes. */
export function crc32(text) {
  let c = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) c = CRC_TABLE[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}
