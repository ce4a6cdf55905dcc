/**
 * Mountains: one row of the terrain table per feature.
 *
 * Twin: godseed/sim/tools/raise_terrain.py
 */

import { reliefPart } from '../terrain.js';

/**
 * Raise the ground in a cap: part `terrain`, one row per feature with `lat lon radius_deg height
 * roughness`.
 *
 * @param {import('../columns.js').Columns} columns
 * @returns {import('../columns.js').Built}
 */
export function build(columns) {
  return { parts: { terrain: reliefPart(columns, columns.numbers.height) }, paths: [] };
}
