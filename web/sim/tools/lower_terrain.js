/**
 * Valleys and craters: one row of the terrain table per feature, with a negative amplitude.
 *
 * Twin: godseed/sim/tools/lower_terrain.py
 */

import { reliefPart } from '../terrain.js';

/**
 * Lower the ground in a cap: part `terrain`, one row per feature with `lat lon radius_deg depth
 * roughness`.
 *
 * @param {import('../columns.js').Columns} columns
 * @returns {import('../columns.js').Built}
 */
export function build(columns) {
  return {
    parts: {
      terrain: reliefPart(
        columns,
        columns.numbers.depth.map((x) => -x),
      ),
    },
    paths: [],
  };
}
