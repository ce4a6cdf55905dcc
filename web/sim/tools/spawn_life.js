/**
 * Moving inhabitants: each feature finds its way once; `life.js` moves them along it.
 *
 * Twin: godseed/sim/tools/spawn_life.py
 */

import { hueRgb } from '../color.js';
import { ROAD, STREAM, STREET, addRow, nearestPath } from '../columns.js';
import { CARTS, HALF, WAY_POINTS } from '../life.js';
import { DEG, TAU, cos, sin } from '../maths.js';
import { mix, uniform } from '../rng.js';
import { spec } from '../spec.js';
import { angleRad, direction, eastNorth, normalize } from '../sphere.js';
import { resample } from '../spline.js';

/** Carts do not take to a line of which less than this lies within their radius, radians. */
export const SHORTEST_WAY = 0.03;
export const LOOP_PURPOSE = 0x4c4f;
export const WARM = [1, 0.66, 0.34];
/** How much of the lamp's own colour is mixed into the hue. */
export const WARMTH = { carts: 0.55, birds: 0.15, fireflies: 0.25 };

/**
 * Release carts, birds and fireflies: part `life`, one row per feature.
 *
 * @param {import('../columns.js').Columns} columns features with `lat lon radius_deg kind count
 *   hue`
 * @param {import('../columns.js').Paths} paths of all features; carts take to the nearest earlier
 *   road or stream, else street
 * @returns {import('../columns.js').Built}
 */
export function build(columns, paths) {
  const parts = {};
  const names = kindNames();
  columns.index.forEach((feature, i) => {
    const { lat, lon, radius_deg: radiusDeg, count, hue } = columns.numbers;
    const kind = columns.enums.kind[i];
    const anchor = direction(lat[i], lon[i]);
    const radius = radiusDeg[i] * DEG;
    const seed = columns.seed[i];
    const warmth = WARMTH[names[kind]];
    const rgb = hueRgb(hue[i], 0.6, 1).map((x, k) => x * (1 - warmth) + WARM[k] * warmth);
    const high = Math.floor(seed / HALF);
    const none = { closed: 0, length: 0, way: Array.from({ length: WAY_POINTS }, () => [0, 0, 0]) };
    const { closed, length, way } =
      kind === CARTS ? wayOf(paths, feature, seed, anchor, radius) : none;
    addRow(parts, 'life', feature, [
      ...[...anchor, radius],
      ...[kind, count[i], closed, length],
      ...[...rgb, high],
      ...[seed - high * HALF, feature, 0, 0],
      ...way.flat(),
    ]);
  });
  return { parts, paths: [] };
}

function kindNames() {
  const { args } = spec('tools.json').tools.find((row) => row.name === 'spawn_life');
  return args.find((arg) => arg.name === 'kind').values;
}

/** Whether the way of some carts is a loop, its length, and its points. */
function wayOf(paths, before, seed, anchor, radius) {
  let way = loopOf(anchor, radius, mix(seed, LOOP_PURPOSE));
  let closed = 1;
  for (const kinds of [[ROAD, STREAM], [STREET]]) {
    const [index, cosine] = nearestPath(paths, anchor, before, kinds);
    if (closed === 0 || index < 0 || !(cosine > cos(radius))) continue;
    const line = stretch(paths, index, anchor, radius);
    const arc = [0];
    for (let k = 0; k + 1 < line.length; k += 1) arc.push(arc[k] + angleRad(line[k], line[k + 1]));
    if (arc.at(-1) >= SHORTEST_WAY) {
      const step = arc.at(-1) / (WAY_POINTS - 1);
      way = way.map((_, k) => resample(line, arc, k * step));
      closed = 0;
    }
  }
  let length = 0;
  for (let k = 0; k + 1 < WAY_POINTS; k += 1) length += angleRad(way[k], way[k + 1]);
  return { closed, length, way };
}

/** The piece of a line that holds its point `index` and stays within the radius. */
function stretch(paths, index, anchor, radius) {
  const edge = cos(radius);
  const { points, feature, line, kind } = paths;
  const isSame = (i) =>
    feature[i] === feature[index] &&
    line[i] === line[index] &&
    kind[i] === kind[index] &&
    points[3 * i] * anchor[0] + points[3 * i + 1] * anchor[1] + points[3 * i + 2] * anchor[2] >=
      edge;
  let [first, last] = [index, index];
  while (first > 0 && isSame(first - 1)) first -= 1;
  while (last + 1 < paths.length && isSame(last + 1)) last += 1;
  return Array.from({ length: last + 1 - first }, (_, k) => paths.point(first + k));
}

/** A wavy ring round a place, the last point on the first. */
function loopOf(anchor, radius, seed) {
  const [east, north] = eastNorth(anchor);
  const reach = 0.55 + 0.2 * uniform(seed, 0);
  return Array.from({ length: WAY_POINTS }, (_, k) => {
    const turn = k === WAY_POINTS - 1 ? 0 : k * (TAU / (WAY_POINTS - 1));
    const first = 0.14 * sin(2 * turn + TAU * uniform(seed, 1));
    const second = 0.07 * sin(3 * turn + TAU * uniform(seed, 2));
    const angle = radius * reach * (1 + first + second);
    const [c, s] = [cos(turn), sin(turn)];
    const [ca, sa] = [cos(angle), sin(angle)];
    return normalize(anchor.map((x, j) => x * ca + (north[j] * c + east[j] * s) * sa));
  });
}
