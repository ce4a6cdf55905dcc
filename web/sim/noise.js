/**
 * Value noise on the integer lattice, four independent channels at the price of one.
 *
 * Twin: godseed/sim/noise.py
 */

import { hashU32, mix, uniform } from './rng.js';

export const CHANNELS = 4;
export const AXIS_MULTIPLIERS = [0x8da6b343, 0xd8163841, 0xcb1ab31f];
export const HALF_BYTE = 127.5;

/** Four channels of value noise at (x, y, z), each within [-1, 1]. */
export function valueNoise4(x, y, z, seed) {
  const out = [0, 0, 0, 0];
  noiseAt(x, y, z, mix(seed, 0), out);
  return out;
}

/**
 * Sum octaves of noise at points; channels 0 and 1 plain, 2 and 3 ridged.
 *
 * @param {Float64Array} p points, 3 numbers each
 * @returns {Float64Array} 4 numbers each, within [-1, 1]
 */
export function fbm4(p, octaves, seed, lacunarity = 2.03, gain = 0.5) {
  if (octaves < 1)
    throw new RangeError(`fbm4.octaves: ${octaves}; expected 1 or more; ask for at least one`);
  const count = p.length / 3;
  const total = new Float64Array(count * CHANNELS);
  const noise = [0, 0, 0, 0];
  let frequency = 1;
  let amplitude = 1;
  let amplitudes = 0;
  for (let octave = 0; octave < octaves; octave += 1) {
    const stream = mix(seed, octave);
    const shift = [uniform(stream, 0), uniform(stream, 1), uniform(stream, 2)];
    const salt = mix(stream, 0);
    for (let i = 0; i < count; i += 1) {
      const x = p[3 * i] * frequency + shift[0];
      noiseAt(
        x,
        p[3 * i + 1] * frequency + shift[1],
        p[3 * i + 2] * frequency + shift[2],
        salt,
        noise,
      );
      for (let channel = 0; channel < CHANNELS; channel += 1) {
        let value = noise[channel];
        if (channel >= 2) {
          value = 1 - Math.abs(value);
          value *= value;
          value *= 2;
          value -= 1;
        }
        total[CHANNELS * i + channel] += value * amplitude;
      }
    }
    amplitudes += amplitude;
    frequency *= lacunarity;
    amplitude *= gain;
  }
  for (let i = 0; i < total.length; i += 1) total[i] /= amplitudes;
  return total;
}

const corners = new Uint32Array(8);

/** Noise at one point, written to `out`. */
function noiseAt(x, y, z, salt, out) {
  const fx = Math.floor(x);
  const fy = Math.floor(y);
  const fz = Math.floor(z);
  cornerKeys(fx, fy, fz, salt);
  const u = fade(x - fx);
  const v = fade(y - fy);
  const w = fade(z - fz);
  for (let channel = 0; channel < CHANNELS; channel += 1) {
    const shift = 8 * channel;
    const a = mixed((corners[0] >>> shift) & 255, (corners[1] >>> shift) & 255, u);
    const b = mixed((corners[2] >>> shift) & 255, (corners[3] >>> shift) & 255, u);
    const c = mixed((corners[4] >>> shift) & 255, (corners[5] >>> shift) & 255, u);
    const d = mixed((corners[6] >>> shift) & 255, (corners[7] >>> shift) & 255, u);
    out[channel] = (mixed(mixed(a, b, v), mixed(c, d, v), w) - HALF_BYTE) / HALF_BYTE;
  }
}

/** Hashes of the corners of a cell; bit k of the index steps along axis k. */
function cornerKeys(fx, fy, fz, salt) {
  const x = (Math.imul(fx, AXIS_MULTIPLIERS[0]) + salt) | 0;
  const y = Math.imul(fy, AXIS_MULTIPLIERS[1]);
  const z = Math.imul(fz, AXIS_MULTIPLIERS[2]);
  for (let k = 0; k < 2; k += 1) {
    for (let j = 0; j < 2; j += 1) {
      const plane =
        ((k === 0 ? z : z + AXIS_MULTIPLIERS[2]) + (j === 0 ? y : y + AXIS_MULTIPLIERS[1])) | 0;
      corners[4 * k + 2 * j] = hashU32((plane + x) | 0);
      corners[4 * k + 2 * j + 1] = hashU32((plane + x + AXIS_MULTIPLIERS[0]) | 0);
    }
  }
}

function mixed(low, high, t) {
  return (high - low) * t + low;
}

/** 6 t^5 - 15 t^4 + 10 t^3. */
function fade(t) {
  return t * t * t * (t * (t * 6 - 15) + 10);
}
