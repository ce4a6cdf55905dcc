/**
 * Stars, aurora and weather particles: tables that are the same in every world.
 *
 * How many of them show, where the aurora hangs and what falls is decided by uniforms, so none of
 * this depends on features. See the twin for the columns.
 *
 * Twin: godseed/sim/sky_objects.py
 */

import { TAU, cos, sin } from './maths.js';
import { uniform } from './rng.js';
import { once } from './spec.js';
import { normalize } from './sphere.js';

export const STARS = 2400;
export const STAR_DRAWS = 6;
export const STAR_SEED = 0x57a2;
/** Share of the stars that gather along a band, like a galaxy seen from inside. */
export const BAND_SHARE = 0.42;
export const BAND_POLE = [0.42, 0.62, 0.66];
export const BAND_WIDTH = 0.17;
export const BRIGHTEST = 2.0;
export const FAINTEST = 0.72;
/** From hot to cool; most lie in the middle. */
export const STAR_COLORS = [
  [0.62, 0.74, 1.0],
  [0.92, 0.94, 1.0],
  [1.0, 0.9, 0.72],
  [1.0, 0.7, 0.46],
];
/**
 * Ring radius (rad), height (R), phase, waviness (rad), colour, strength of each aurora curtain.
 */
export const CURTAINS = [
  [0.36, 0.21, 0.0, 0.045, 0.0, 1.0],
  [0.45, 0.16, 1.9, 0.06, 0.55, 0.6],
];
export const CURTAIN_PIECES = 192;
export const PARTICLES = 2600;
export const PARTICLE_SEED = 0x3a91;

/** The tables by buffer name, the same object each time; read only. */
export const skyBuffers = once(() => {
  const rounded = (rows) => Float32Array.from(rows.flat());
  return { star: rounded(stars()), aurora: rounded(aurora()), particle: rounded(particles()) };
});

/** Few bright stars and many faint ones, part of them along a band; 8 columns. */
export function stars() {
  const pole = normalize(BAND_POLE);
  return Array.from({ length: STARS }, (_, i) => {
    const draw = (k) => uniform(STAR_SEED, i * STAR_DRAWS + k);
    const y = 2 * draw(0) - 1;
    const turn = TAU * draw(1);
    const level = Math.sqrt(Math.max(1 - y * y, 0));
    const anywhere = [level * sin(turn), y, level * cos(turn)];
    const off = anywhere[0] * pole[0] + anywhere[1] * pole[1] + anywhere[2] * pole[2];
    // Pull towards the band by shrinking the height above it; more for some than for others.
    const kept = BAND_WIDTH + (1 - BAND_WIDTH) * draw(2);
    const banded = normalize(anywhere.map((x, k) => x - pole[k] * (off * (1 - kept * kept))));
    // Fourth and sixteenth powers: many faint ones, a few that are bright.
    let bright = draw(4);
    bright *= bright;
    bright *= bright;
    let brightest = bright * bright;
    brightest *= brightest;
    const brightness = 0.24 + 0.4 * bright + 0.62 * brightest;
    return [
      ...(draw(3) < BAND_SHARE ? banded : anywhere),
      FAINTEST + (BRIGHTEST - FAINTEST) * brightest,
      ...starColor(draw(5)).map((x) => x * brightness),
      (i + 0.5) / STARS,
    ];
  });
}

/** Pieces of the curtains, neighbours sharing their ends; 8 columns. */
export function aurora() {
  return CURTAINS.flatMap((curtain) =>
    Array.from({ length: CURTAIN_PIECES }, (_, k) => [
      k / CURTAIN_PIECES,
      (k + 1) / CURTAIN_PIECES,
      ...curtain,
    ]),
  );
}

/** Independent numbers in 0..1; the rank is the order of the rows; 4 columns. */
export function particles() {
  return Array.from({ length: PARTICLES }, (_, i) => {
    return [...[0, 1, 2].map((k) => uniform(PARTICLE_SEED, i * 3 + k)), (i + 0.5) / PARTICLES];
  });
}

/** Colour between the four of STAR_COLORS, for warmth in 0..1. */
function starColor(warmth) {
  const at = warmth * (STAR_COLORS.length - 1);
  const low = Math.min(Math.floor(at), STAR_COLORS.length - 2);
  const share = at - low;
  return STAR_COLORS[low].map((x, k) => x * (1 - share) + STAR_COLORS[low + 1][k] * share);
}
