/**
 * Roads: a paved strip along a great-circle spline, with lamps beside it.
 *
 * Twin: godseed/sim/tools/place_road.py
 */

import { ROAD, addRow, emptyPart } from '../columns.js';
import { INSTANCE_WIDTH, instanceRow, lightRow, seed24Of } from '../kits.js';
import { LIGHT_WIDTH } from '../planet.js';
import { mix, uniform } from '../rng.js';
import { cross, direction, dot, normalize } from '../sphere.js';
import { sample } from '../spline.js';
import { PATCH_WIDTH, SHOULDER, lineTangents, stripRows } from '../strip.js';

export const HALF_WIDTH = 0.0045;
export const STEP = 0.0078;
export const MAX_POINTS = 2048;
export const STONE = [0.088, 0.073, 0.06];
/** Samples from lamp to lamp; they change sides. */
export const LAMP_EVERY = 10;
/** No lamp this near to the ends of the road, planet radii. */
export const LAMP_CLEAR = 0.022;
export const LAMP_SIDE = 0.0064;
export const LAMP_TINT = [1, 0.6, 0.26];
export const LIGHT_RADIUS = 0.05;
export const LIGHT_STRENGTH = 0.32;
export const LAMP_PURPOSE = 0x4c41;

/**
 * Pave roads: parts `road` (patches), `kit:lamp` and `light`, and one ROAD line per feature with
 * `path`.
 *
 * @param {import('../columns.js').Columns} columns
 * @returns {import('../columns.js').Built}
 */
export function build(columns) {
  const parts = {
    road: emptyPart(PATCH_WIDTH),
    'kit:lamp': emptyPart(INSTANCE_WIDTH),
    light: emptyPart(LIGHT_WIDTH),
  };
  const paths = [];
  columns.index.forEach((feature, i) => {
    const waypoints = columns.paths.path[i].map(([lat, lon]) => direction(lat, lon));
    const [points, arc] = sample(waypoints, STEP, MAX_POINTS);
    const tangents = lineTangents(points);
    points.forEach((point, k) => {
      paths.push({
        point,
        tangent: tangents[k],
        feature,
        line: 0,
        kind: ROAD,
        halfWidth: HALF_WIDTH,
      });
    });
    const seed24 = seed24Of(uniform(columns.seed[i], 0));
    for (const row of stripRows(
      points,
      tangents,
      arc,
      points.map(() => HALF_WIDTH * SHOULDER),
    )) {
      row.splice(14, 10, -SHOULDER, SHOULDER, ...STONE, arc.at(-1), HALF_WIDTH, seed24, 0, feature);
      addRow(parts, 'road', feature, row);
    }
    addLamps(parts, feature, mix(columns.seed[i], LAMP_PURPOSE), points, tangents, arc);
  });
  return { parts, paths };
}

/** Lamps on alternating sides; every other one lights the ground. */
function addLamps(parts, feature, seed, points, tangents, arc) {
  const total = arc.at(-1);
  for (let number = Math.floor(LAMP_EVERY / 2); number < points.length; number += LAMP_EVERY) {
    if (!(arc[number] > LAMP_CLEAR && total - arc[number] > LAMP_CLEAR)) continue;
    const nth = Math.floor(number / LAMP_EVERY);
    const side = nth % 2 === 0 ? 1 : -1;
    const across = cross(points[number], tangents[number]).map((x) => x * side);
    const at = normalize(points[number].map((x, k) => x + across[k] * LAMP_SIDE));
    const back = across.map((x) => -x);
    const rise = dot(back, at);
    const front = normalize(back.map((x, k) => x - at[k] * rise));
    const lamp = instanceRow(at, front, 0.92 + 0.16 * uniform(seed, nth * 4), feature, {
      tint: LAMP_TINT,
      seed24: seed24Of(uniform(seed, nth * 4 + 1)),
      delayS: (1.2 * arc[number]) / total,
      phase: uniform(seed, nth * 4 + 2),
    });
    addRow(parts, 'kit:lamp', feature, lamp);
    if (nth % 2 === 0)
      addRow(
        parts,
        'light',
        feature,
        lightRow(at, LIGHT_RADIUS, LAMP_TINT, LIGHT_STRENGTH, feature),
      );
  }
}
