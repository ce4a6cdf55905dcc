/**
 * Roads: a paved strip along a great-circle spline, with lamps beside it.
 *
 * A road goes round earlier buildings, ends at the gates of earlier districts and joins earlier
 * roads; see `junctions.js`.
 *
 * Twin: godseed/sim/tools/place_road.py
 */

import { ROAD, addRow } from '../columns.js';
import { arcOf, runsOf } from '../junctions.js';
import { instanceRow, lightRow, seed24Of } from '../kits.js';
import { DISTRICT, PLOT, STRUCTURE_LINE, isNear } from '../plots.js';
import { mix, uniform } from '../rng.js';
import { cross, direction, dot, normalize } from '../sphere.js';
import { sample } from '../spline.js';
import { SHOULDER, lineTangents, stripRows } from '../strip.js';

export const HALF_WIDTH = 0.0043;
export const STEP = 0.0062;
export const MAX_POINTS = 2048;
export const STONE = [0.088, 0.073, 0.06];
/** Samples from lamp to lamp; they change sides. */
export const LAMP_EVERY = 12;
/** No lamp this near to the ends of the road, planet radii. */
export const LAMP_CLEAR = 0.022;
export const LAMP_SIDE = 0.0064;
export const LAMP_TINT = [1, 0.6, 0.26];
export const LIGHT_RADIUS = 0.05;
export const LIGHT_STRENGTH = 0.32;
export const LAMP_PURPOSE = 0x4c41;
/** Kinds of patch, see `road.frag`; 1 is a footpath. */
export const PAVED = 0;
export const CROSSING = 0.4;
/** Lamps of the next piece of a road draw their numbers this much farther on. */
export const LAMPS_PER_RUN = 64;
/** Whatever is farther from all of a road is not looked at. */
export const SEARCH = 0.12;

/**
 * Pave roads: parts `road` (patches), `kit:lamp` and `light`, and a ROAD line for every piece of a
 * road that lies outside of the districts.
 *
 * @param {import('../columns.js').Columns} columns features with `path`
 * @param {import('../columns.js').Paths} paths of all features; roads, buildings and districts
 *   before each road are met
 * @returns {import('../columns.js').Built}
 */
export function build(columns, paths) {
  const parts = {};
  const laid = [];
  const known = knownOf(paths, columns.index[0] ?? 0);
  columns.index.forEach((feature, i) => {
    const waypoints = columns.paths.path[i].map(([lat, lon]) => direction(lat, lon));
    const [asked] = sample(waypoints, STEP, MAX_POINTS);
    const runs = runsOf(asked, STEP, beforeOf(known, asked, feature));
    const seed24 = seed24Of(uniform(columns.seed[i], 0));
    const lampSeed = mix(columns.seed[i], LAMP_PURPOSE);
    runs.forEach(({ points, shared, crossing }, line) => {
      const arc = arcOf(points);
      const tangents = lineTangents(points);
      points.forEach((point, k) => {
        const tangent = tangents[k];
        laid.push({ point, tangent, feature, line, kind: ROAD, halfWidth: HALF_WIDTH });
        known.roads.push({ point, tangent });
      });
      const halfWidths = points.map(() => HALF_WIDTH * SHOULDER);
      stripRows(points, tangents, arc, halfWidths).forEach((row, k) => {
        if (shared[k] && shared[k + 1]) return;
        const kind = crossing[k] ? CROSSING : PAVED;
        const look = [-SHOULDER, SHOULDER, ...STONE, arc.at(-1), HALF_WIDTH, seed24, kind, feature];
        row.splice(14, 10, ...look);
        addRow(parts, 'road', feature, row);
      });
      const clear = points.map((_, k) => !shared[k] && !crossing[k] && !crossing[k - 1]);
      addLamps(parts, feature, lampSeed, points, tangents, arc, line, clear);
    });
  });
  return { parts, paths: laid };
}

/** Roads, buildings and districts of earlier scenes; roads of this batch are added as they are laid. */
function knownOf(paths, first) {
  const known = { roads: [], stands: [], districts: [] };
  for (let i = 0; i < paths.length; i += 1) {
    const kind = paths.kind[i];
    const feature = paths.feature[i];
    if (kind === ROAD && feature < first) {
      known.roads.push({ point: paths.point(i), tangent: paths.tangent(i) });
    } else if (kind === PLOT && paths.line[i] === STRUCTURE_LINE) {
      known.stands.push({ point: paths.point(i), radius: paths.halfWidth[i], feature });
    } else if (kind === DISTRICT) {
      const [center, way] = [paths.point(i), paths.tangent(i)];
      known.districts.push({ center, way, radius: paths.halfWidth[i], feature });
    }
  }
  return known;
}

/** What lies near a road and belongs to earlier features. */
function beforeOf({ roads, stands, districts }, asked, index) {
  const middle = asked[Math.floor(asked.length / 2)];
  const apart = (point) => {
    const gap = [point[0] - middle[0], point[1] - middle[1], point[2] - middle[2]];
    return dot(gap, gap);
  };
  const reach = Math.sqrt(Math.max(...asked.map(apart))) + SEARCH;
  const within = (point, limit) => apart(point) < limit * limit;
  return {
    roads: roads.filter(({ point }) => isNear(...point, middle, reach)),
    stands: stands.filter(
      ({ point, radius, feature }) => feature < index && within(point, reach + radius),
    ),
    districts: districts.filter(
      ({ center, radius, feature }) => feature < index && within(center, reach + radius),
    ),
  };
}

/** Lamps on alternating sides; every other one lights the ground. */
function addLamps(parts, feature, seed, points, tangents, arc, line, clear) {
  const total = arc.at(-1);
  for (let number = Math.floor(LAMP_EVERY / 2); number < points.length; number += LAMP_EVERY) {
    if (!(arc[number] > LAMP_CLEAR && total - arc[number] > LAMP_CLEAR && clear[number])) continue;
    const nth = Math.floor(number / LAMP_EVERY) + LAMPS_PER_RUN * line;
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
