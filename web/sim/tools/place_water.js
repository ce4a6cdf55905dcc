/**
 * Water that glows from within: streams along great-circle splines, and pools.
 *
 * Twin: godseed/sim/tools/place_water.py
 */

import { hueRgb } from '../color.js';
import { STREAM, addRow } from '../columns.js';
import { lightRow, seed24Of } from '../kits.js';
import { DEG, TAU, cos, sin, smoothstep } from '../maths.js';
import { plotPath } from '../plots.js';
import { uniform } from '../rng.js';
import { spec } from '../spec.js';
import { direction, eastNorth, normalize } from '../sphere.js';
import { sample } from '../spline.js';
import { lineTangents, stripRows } from '../strip.js';

export const HALF_WIDTH = 0.006;
/**
 * Patches reach this far across, in half widths; the shader fades the wet bank beyond the water.
 */
export const SHORE = 1.3;
/** A stream springs this narrow, in half widths, and has its width after this distance. */
export const SOURCE_WIDTH = 0.3;
export const SOURCE_LENGTH = 0.05;
export const STEP = 0.0078;
export const MAX_POINTS = 2048;
export const RINGS = 4;
export const SECTORS = 24;
/** Pool patches reach a little beyond the radius, for the wet bank. */
export const POOL_MARGIN = 1.04;
/** Six and twelve plots round the one in a pool's middle, and their size; both in pool radii. */
export const PLOT_RINGS = [0.45, 0.8];
export const PLOT_RADIUS = 0.29;
export const SATURATION = 0.68;
export const VALUE = 0.9;
/** Samples from one row of wetness, or of light, to the next along a stream. */
export const WET_EVERY = 3;
export const GLOW_EVERY = 8;
export const WET_RADIUS = 0.026;
export const WET_STRENGTH = 0.55;
export const GLOW_RADIUS = 0.05;
export const GLOW_STRENGTH = 0.15;
/** Kinds in column 22 of a patch. */
export const WATER_STREAM = 0;
export const WATER_POOL = 1;

/**
 * Lay streams and pools: parts `water` (patches) and `light` (wet ground and its glow); a STREAM
 * line for each stream, and plots in each pool, so that nobody builds in it.
 *
 * @param {import('../columns.js').Columns} columns features with `kind path radius_deg hue`
 * @returns {import('../columns.js').Built}
 */
export function build(columns) {
  const parts = {};
  const paths = [];
  columns.index.forEach((feature, i) => {
    const dirs = columns.paths.path[i].map(([lat, lon]) => direction(lat, lon));
    const tint = hueRgb(columns.numbers.hue[i], SATURATION, VALUE);
    const seed24 = seed24Of(uniform(columns.seed[i], 0));
    if (columns.enums.kind[i] === poolCode()) {
      const radius = columns.numbers.radius_deg[i] * DEG;
      addPool(parts, dirs[0], radius, feature, tint, seed24);
      addPoolLights(parts, dirs[0], radius, feature, tint);
      paths.push(...plotsOf(dirs[0], radius, feature));
    } else {
      paths.push(...addStream(parts, dirs, feature, tint, seed24));
    }
  });
  return { parts, paths };
}

function poolCode() {
  const { args } = spec('tools.json').tools.find((row) => row.name === 'place_water');
  return args.find((arg) => arg.name === 'kind').values.indexOf('pool');
}

/** Patches and light rows of a stream; its line. */
function addStream(parts, dirs, feature, tint, seed24) {
  const [points, arc] = sample(dirs, STEP, MAX_POINTS);
  const total = arc.at(-1);
  const tangents = lineTangents(points);
  // Half of a short stream is source, so that it widens at all.
  const source = Math.min(SOURCE_LENGTH, 0.5 * total);
  const width = arc.map(
    (along) => SOURCE_WIDTH + (1 - SOURCE_WIDTH) * smoothstep(0, 1, along / source),
  );
  const halfWidth = width.map((share) => HALF_WIDTH * share);
  for (const row of stripRows(
    points,
    tangents,
    arc,
    halfWidth.map((half) => half * SHORE),
  )) {
    row.splice(14, 10, -SHORE, SHORE, ...tint, total, HALF_WIDTH, seed24, WATER_STREAM, feature);
    addRow(parts, 'water', feature, row);
  }
  for (let i = 1; i < points.length; i += WET_EVERY) {
    const wet = lightRow(points[i], WET_RADIUS, tint, WET_STRENGTH * width[i], feature);
    wet[8] = 2;
    addRow(parts, 'light', feature, wet);
  }
  for (let i = Math.floor(GLOW_EVERY / 2); i < points.length; i += GLOW_EVERY) {
    addRow(
      parts,
      'light',
      feature,
      lightRow(points[i], GLOW_RADIUS, tint, GLOW_STRENGTH * width[i], feature),
    );
  }
  return points.map((point, i) => {
    return { point, tangent: tangents[i], feature, line: 0, kind: STREAM, halfWidth: halfWidth[i] };
  });
}

/** A disc as rings of patches; s is the turn in radians, v is 0 in the middle, 1 at the edge. */
function addPool(parts, center, radius, feature, tint, seed24) {
  // Rings get narrower outwards, where the shore needs them.
  const v = [0, 0.42, 0.72, 0.9, 1].map((share) => share * POOL_MARGIN);
  const turn = Array.from({ length: SECTORS + 1 }, (_, k) =>
    k === SECTORS ? 0 : k * (TAU / SECTORS),
  );
  const level = levels(center, turn);
  const grid = v.map((share) => {
    const [c, s] = [cos(radius * share), sin(radius * share)];
    return level.map((way) => normalize(center.map((x, k) => x * c + way[k] * s)));
  });
  for (let ring = 0; ring < RINGS; ring += 1) {
    for (let k = 0; k < SECTORS; k += 1) {
      addRow(parts, 'water', feature, [
        ...[...grid[ring][k], ...grid[ring][k + 1], ...grid[ring + 1][k], ...grid[ring + 1][k + 1]],
        ...[k * (TAU / SECTORS), (k + 1) * (TAU / SECTORS), v[ring], v[ring + 1]],
        ...[...tint, radius],
        ...[radius, seed24, WATER_POOL, feature],
      ]);
    }
  }
}

/** One row of wetness and one of light for a pool. */
function addPoolLights(parts, center, radius, feature, tint) {
  const wet = lightRow(center, radius * 1.45, tint, 1.6, feature);
  wet[8] = 2;
  addRow(parts, 'light', feature, wet);
  addRow(parts, 'light', feature, lightRow(center, radius * 1.35 + 0.03, tint, 0.3, feature));
}

/** The ground that a pool takes, as overlapping plots small enough to be found from nearby. */
function plotsOf(center, radius, feature) {
  const rings = [
    [1, 0],
    [6, PLOT_RINGS[0]],
    [12, PLOT_RINGS[1]],
  ];
  const places = rings.flatMap(([count, out]) => {
    const turn = Array.from({ length: count }, (_, k) => (k / count) * TAU);
    const [c, s] = [cos(radius * out), sin(radius * out)];
    return levels(center, turn).map((way) => normalize(center.map((x, k) => x * c + way[k] * s)));
  });
  return places.map((at, line) => plotPath(at, radius * PLOT_RADIUS, feature, line));
}

/** Unit tangents at turns from north over east. */
function levels(center, turns) {
  const [east, north] = eastNorth(center);
  return turns.map((turn) => {
    const [s, c] = [sin(turn), cos(turn)];
    return east.map((x, k) => x * s + north[k] * c);
  });
}
