/**
 * SHA-256 without waiting: the browser's own only comes as a promise, and digests are taken inside
 * plain functions.
 *
 * Where the host has a faster one with `update(bytes)` and `digest()`, such as Node's, `useSha256`
 * puts it in this one's place.
 *
 * Source: FIPS 180-4. The Python side uses hashlib.
 */

const ROUND_CONSTANTS = roots(64, 3);
const FIRST_STATE = roots(8, 2);

/** A running SHA-256. */
export class Sha256 {
  constructor() {
    this.state = Uint32Array.from(FIRST_STATE);
    this.block = new Uint8Array(64);
    this.filled = 0;
    this.bytes = 0;
  }

  /** Take more bytes (Uint8Array). */
  update(bytes) {
    this.bytes += bytes.length;
    let from = 0;
    while (from < bytes.length) {
      if (this.filled === 0 && bytes.length - from >= 64) {
        compress(this.state, bytes, from);
        from += 64;
      } else {
        const taken = Math.min(64 - this.filled, bytes.length - from);
        this.block.set(bytes.subarray(from, from + taken), this.filled);
        this.filled += taken;
        from += taken;
        if (this.filled === 64) {
          compress(this.state, this.block, 0);
          this.filled = 0;
        }
      }
    }
    return this;
  }

  /** The 32 bytes of the digest; nothing may be added afterwards. */
  digest() {
    const bits = this.bytes * 8;
    const tail = new Uint8Array(this.filled < 56 ? 64 - this.filled : 128 - this.filled);
    const view = new DataView(tail.buffer);
    tail[0] = 0x80;
    view.setUint32(tail.length - 8, Math.floor(bits / 4294967296));
    view.setUint32(tail.length - 4, bits >>> 0);
    this.update(tail);
    const out = new DataView(new ArrayBuffer(32));
    this.state.forEach((word, i) => out.setUint32(4 * i, word));
    return new Uint8Array(out.buffer);
  }
}

let current = () => new Sha256();

/** A fresh running SHA-256 of the fastest kind known. */
export function sha256() {
  return current();
}

/**
 * Use another implementation: a function that gives objects with `update(bytes)` and `digest()`.
 */
export function useSha256(create) {
  current = create;
}

/** Bytes as hexadecimal text. */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Hexadecimal text as bytes. */
export function unhex(text) {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) =>
    Number.parseInt(text.slice(2 * i, 2 * i + 2), 16),
  );
}

const schedule = new Uint32Array(64);

function compress(state, bytes, from) {
  for (let i = 0; i < 16; i += 1) {
    const at = from + 4 * i;
    schedule[i] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
  }
  for (let i = 16; i < 64; i += 1) {
    const x = schedule[i - 15];
    const y = schedule[i - 2];
    const low = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const high = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[i] = (schedule[i - 16] + low + schedule[i - 7] + high) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i += 1) {
    const high = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + high + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i] + schedule[i]) | 0;
    const low = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] += word;
  });
}

/**
 * Leading 32 bits of the fractions of the square (2) or cube (3) roots of the first primes, by
 * whole-number bisection.
 */
function roots(count, power) {
  const found = [];
  for (let n = 2n; found.length < count; n += 1n) {
    if (isPrime(n)) found.push(Number(rootBits(n, power) & 0xffffffffn));
  }
  return Uint32Array.from(found);
}

function isPrime(n) {
  for (let d = 2n; d * d <= n; d += 1n) if (n % d === 0n) return false;
  return true;
}

/** Floor of the root of n times 2^32. */
function rootBits(n, power) {
  const target = n << BigInt(32 * power);
  let low = 0n;
  let high = n << 32n;
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if ((power === 2 ? middle * middle : middle * middle * middle) <= target) low = middle;
    else high = middle - 1n;
  }
  return low;
}
