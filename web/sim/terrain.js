/**
 * The ground: one analytic height for every direction, summed over features in feature order.
 *
 *     height(dir) = base(dir)
 *         + sum over rows of amplitude * falloff(q) * (1 + roughness * noise(dir))
 *
 * Terrain row (12 columns): centre xyz, cos radius, amplitude, roughness, weights of the four
 * fields, feature index, 0. Places are flat arrays, 3 numbers each; fields 4 numbers each.
 *
 * Twin: godseed/sim/terrain.py
 */

import { DEG, cos, exp } from './maths.js';
import { fbm4 } from './noise.js';
import { mix, uniform } from './rng.js';
import { constants } from './spec.js';
import { direction } from './sphere.js';

export const TERRAIN_WIDTH = 12;
export const RELIEF_PURPOSE = 0x7e44;
/**
 * Neighbouring places that are summed together, so that few rows reach them; the sums are the same.
 */
export const BLOCK = 64;
const WEIGHTS = [
  [-0.55, 0.55],
  [-0.55, 0.55],
  [0.25, 0.95],
  [0.15, 0.75],
];

/**
 * Terrain rows of a batch of raise or lower features.
 *
 * @param {import('./columns.js').Columns} columns features with `lat lon radius_deg roughness`
 * @param {number[]} amplitude planet radii, positive up
 * @returns {import('./columns.js').Part}
 */
export function reliefPart(columns, amplitude) {
  const { lat, lon, radius_deg: radiusDeg, roughness } = columns.numbers;
  const rows = columns.index.map((index, i) => {
    const seed = mix(columns.seed[i], RELIEF_PURPOSE);
    const weights = WEIGHTS.map(([low, high], k) => low + (high - low) * uniform(seed, k));
    const center = direction(lat[i], lon[i]);
    return [...center, cos(radiusDeg[i] * DEG), amplitude[i], roughness[i], ...weights, index, 0];
  });
  return { rows, feature: columns.index, width: TERRAIN_WIDTH };
}

/** The four noise fields that all terrain is made of: two plain, two ridged. */
export function basis(dirs) {
  const { relief } = constants();
  return fbm4(
    dirs.map((x) => x * relief.frequency),
    relief.octaves,
    relief.seed,
  );
}

/** Height of the barren planet, before any feature, from `basis`. */
export function baseHeight(fields) {
  const amplitude = constants().relief.base_amplitude;
  const height = new Float64Array(fields.length / 4);
  for (let i = 0; i < height.length; i += 1) {
    const plain = fields[4 * i] * 0.7 + fields[4 * i + 1] * 0.3;
    const ridge = fields[4 * i + 2] * 0.6 + 0.2;
    const mask = Math.min(Math.max(fields[4 * i + 1] * 1.5 + 0.5, 0), 1);
    height[i] = amplitude * (plain + mask * ridge);
  }
  return height;
}

/** Windowed gaussian: 1 at q = 0, exactly 0 at q = 1, smooth in between. */
export function falloff(q) {
  const window = 1 - q * q;
  return exp(-2.5 * q) * (window * window);
}

/**
 * Sum what terrain rows (flat, 12 numbers each) add to the ground; every place adds its rows in
 * feature order, from 0.
 */
export function reliefSums(dirs, fields, terrain) {
  const count = dirs.length / 3;
  const total = new Float64Array(count);
  for (let start = 0; start < count; start += BLOCK) {
    const end = Math.min(start + BLOCK, count);
    for (const row of near(dirs, start, end, terrain))
      addRow(total, dirs, fields, terrain, row, start, end);
  }
  return total;
}

/** Add terrain row number `row` to running sums, in place. */
export function reliefAdd(total, dirs, fields, terrain, row) {
  addRow(total, dirs, fields, terrain, row * TERRAIN_WIDTH, 0, total.length);
}

/** Height of the ground above radius 1 in given directions, planet radii. */
export function ground(dirs, terrain) {
  const fields = basis(dirs);
  const height = baseHeight(fields);
  const sums = reliefSums(dirs, fields, terrain);
  return height.map((base, i) => base + sums[i]);
}

/** Whether terrain row number `row` touches any of some places. */
export function reaches(terrain, row, dirs) {
  const at = row * TERRAIN_WIDTH;
  for (let i = 0; i < dirs.length; i += 3) {
    const along =
      dirs[i] * terrain[at] + dirs[i + 1] * terrain[at + 1] + dirs[i + 2] * terrain[at + 2];
    if (along > terrain[at + 3]) return true;
  }
  return false;
}

/**
 * Offsets of the terrain rows that may reach any of the places start..end-1; others would add
 * nothing.
 */
function near(dirs, start, end, terrain) {
  const [x, y, z] = dirs.subarray(3 * start, 3 * start + 3);
  let spread = 0;
  for (let i = 3 * start; i < 3 * end; i += 3) {
    spread = Math.max(spread, squared(dirs[i] - x, dirs[i + 1] - y, dirs[i + 2] - z));
  }
  spread = Math.sqrt(spread);
  const kept = [];
  for (let row = 0; row < terrain.length; row += TERRAIN_WIDTH) {
    const reach = Math.sqrt(Math.max(2 - 2 * terrain[row + 3], 0)) + spread + 1e-9;
    const apart = squared(terrain[row] - x, terrain[row + 1] - y, terrain[row + 2] - z);
    if (apart < reach * reach) kept.push(row);
  }
  return kept;
}

function squared(x, y, z) {
  return x * x + y * y + z * z;
}

/** Add the row at an offset to the sums of the places start..end-1. */
function addRow(total, dirs, fields, terrain, row, start, end) {
  const x = terrain[row];
  const y = terrain[row + 1];
  const z = terrain[row + 2];
  const edge = terrain[row + 3];
  for (let i = start; i < end; i += 1) {
    const along = dirs[3 * i] * x + dirs[3 * i + 1] * y + dirs[3 * i + 2] * z;
    if (along > edge) total[i] += relief(along, fields, 4 * i, terrain, row);
  }
}

/** The height that the row at an offset gives to the place whose fields begin at `f`. */
function relief(along, fields, f, terrain, row) {
  const q = (1 - along) / (1 - terrain[row + 3]);
  const shape = falloff(Math.min(Math.max(q, 0), 1));
  let texture = fields[f] * terrain[row + 6];
  texture += fields[f + 1] * terrain[row + 7];
  texture += fields[f + 2] * terrain[row + 8];
  texture += fields[f + 3] * terrain[row + 9];
  const factor = Math.max(1 + terrain[row + 5] * texture, 0);
  return terrain[row + 4] * shape * factor;
}
