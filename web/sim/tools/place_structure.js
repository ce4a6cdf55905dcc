/**
 * Landmarks: one kit each, beside and facing the road that was there first.
 *
 * Twin: godseed/sim/tools/place_structure.py
 */

import { hueRgb } from '../color.js';
import { ROAD, STREET, addRow, nearestPath } from '../columns.js';
import { instanceRow, kit, lightRow, seed24Of } from '../kits.js';
import { DEG, TAU, cos, sin } from '../maths.js';
import { PLOT, plotPath, touches, within } from '../plots.js';
import { mix, uniform } from '../rng.js';
import { once, spec } from '../spec.js';
import { cross, direction, dot, eastNorth, normalize } from '../sphere.js';
import { SHOULDER } from '../strip.js';

export const ROAD_REACH_RAD = 0.06;
export const TOWN_REACH_DEG = 40;
/** Between a building and the shoulder of its road, planet radii. */
export const GAP = 0.002;
export const HOUSES = ['house_a', 'house_b', 'house_c', 'house_d'];
export const VILLAGE_HOUSES = 6;
export const VILLAGE_RADIUS = 0.0235;
export const VILLAGE_DRAWS = 6;
export const HOUSE_PURPOSE = 0x4855;
export const VILLAGE_PURPOSE = 0x5649;
export const MOVE_PURPOSE = 0x4d4f;
export const WARM = [1, 0.62, 0.3];
/** Places tried for a building whose ground is taken: a sunflower of points this wide, radians. */
export const STEPS_ASIDE = 64;
export const ASIDE_REACH = 0.07;
export const GOLDEN_RAD = 2.399963229728653;

/**
 * What a kind adds to the light: radius of the lit ground (rad), its strength, size and height of
 * the disc at its lamp.
 */
export const GLOWS = {
  lighthouse: { reach: 0.13, strength: 0.7, halo: 0.022, lamp: 0.0482 },
  monolith: { reach: 0.25, strength: 1.5, halo: 0, lamp: 0 },
  shrine: { reach: 0.075, strength: 0.7, halo: 0.011, lamp: 0.0125 },
  village: { reach: 0.06, strength: 0.6, halo: 0, lamp: 0 },
  beacon: { reach: 0.15, strength: 1.1, halo: 0.026, lamp: 0.0365 },
  arch: { reach: 0.065, strength: 0.5, halo: 0.007, lamp: 0.0355 },
  tower: { reach: 0.09, strength: 0.6, halo: 0.01, lamp: 0.0672 },
  warehouse: { reach: 0.075, strength: 0.55, halo: 0, lamp: 0 },
  cafe: { reach: 0.065, strength: 0.8, halo: 0, lamp: 0 },
  bank: { reach: 0.07, strength: 0.6, halo: 0, lamp: 0 },
  market: { reach: 0.08, strength: 0.8, halo: 0, lamp: 0 },
  house: { reach: 0.042, strength: 0.45, halo: 0, lamp: 0 },
};

/**
 * Place structures: parts `kit:<name>`, `sprite` and `light`.
 *
 * @param {import('../columns.js').Columns} columns features with `lat lon kind scale hue`, and
 *   `town`
 * @param {import('../columns.js').Paths} paths of all features; those before each feature are faced
 *   and kept clear of
 * @returns {import('../columns.js').Built}
 */
export function build(columns, paths) {
  const parts = {};
  const names = kindNames();
  columns.index.forEach((feature, i) => {
    const name = names[columns.enums.kind[i]];
    const scale = columns.numbers.scale[i];
    const size = halfSizes(name).map((x) => x * scale);
    const [at, front] = stand(columns, i, paths, size);
    const tint = tintOf(columns.numbers.hue[i]);
    const seed = mix(columns.seed[i], HOUSE_PURPOSE);
    const seed24 = seed24Of(uniform(seed, 0));
    const phase = uniform(seed, 1);
    const stretch = name === 'house' ? 0.95 + 0.15 * uniform(seed, 3) : 1;
    const variant = HOUSES[Math.floor(uniform(seed, 2) * HOUSES.length)];
    const row = instanceRow(at, front, scale, feature, { stretch, tint, seed24, phase });
    addRow(parts, `kit:${name === 'house' ? variant : name}`, feature, row);
    if (name === 'village') addVillageHouses(parts, columns, i, at, front, tint);
    const glow = GLOWS[name];
    const ahead = normalize(at.map((x, k) => x + front[k] * (size[1] * 0.8)));
    const rgb = tint.map((x, k) => x * WARM[k]);
    addRow(
      parts,
      'light',
      feature,
      lightRow(ahead, glow.reach * scale, rgb, glow.strength, feature),
    );
    if (glow.halo > 0) {
      const halo = [
        ...at,
        glow.lamp * scale,
        ...rgb.map((x) => x * 0.3),
        glow.halo * scale,
        1.2,
        seed24,
        phase,
        feature,
      ];
      addRow(parts, 'sprite', feature, halo);
    }
  });
  return { parts, paths: [] };
}

/**
 * The ground that structures ask for, before anything makes them step aside: one plot per feature.
 */
export function plots(columns) {
  const names = kindNames();
  return columns.index.map((feature, i) => {
    const size = halfSizes(names[columns.enums.kind[i]]).map((x) => x * columns.numbers.scale[i]);
    return plotPath(askedAt(columns, i), radiusOf(size), feature, 0);
  });
}

function askedAt(columns, i) {
  return direction(columns.numbers.lat[i], columns.numbers.lon[i]);
}

/** Unit tangent at `at` that points to `target`; zero where they are the same place. */
export function toward(at, target) {
  const rise = dot(target, at);
  return normalize(target.map((x, k) => x - at[k] * rise));
}

function kindNames() {
  const { args } = spec('tools.json').tools.find((row) => row.name === 'place_structure');
  return args.find((arg) => arg.name === 'kind').values;
}

/** Half width and half depth of a kind at scale 1. */
const halfSizes = once((kind) => {
  if (kind === 'village') return [VILLAGE_RADIUS + 0.009, VILLAGE_RADIUS + 0.009];
  const kits = (kind === 'house' ? HOUSES : [kind]).map(kit);
  return [
    Math.max(...kits.map((found) => found.halfWidth)),
    Math.max(...kits.map((found) => found.halfDepth)),
  ];
});

/** Radius that a building of half sizes keeps free: its corners may come close. */
function radiusOf([halfWidth, halfDepth]) {
  return 0.85 * Math.sqrt(halfWidth * halfWidth + halfDepth * halfDepth);
}

/** Colour of lamps and accents: the hue, warmed. */
function tintOf(hue) {
  return hueRgb(hue, 0.55, 1).map((x, k) => 0.62 * x + 0.38 * WARM[k]);
}

/** Where a building stands and where it looks: beside the nearest road, clear of the others. */
function stand(columns, i, paths, size) {
  const [near, front] = facing(columns, i, paths, askedAt(columns, i), size[1]);
  const at = aside(columns, i, paths, near, 0.9 * radiusOf(size));
  if (at.every((x, k) => x === near[k])) return [at, front];
  return [at, facing(columns, i, paths, at, -1)[1]];
}

/**
 * The place, pushed off the nearest road where the half depth is not negative, and the front there:
 * a building looks at the road, else at the town, else anywhere.
 */
function facing(columns, i, paths, at, halfDepth) {
  const [index, cosine] = nearestPath(paths, at, columns.index[i], [ROAD, STREET]);
  if (cosine > cos(ROAD_REACH_RAD)) return beside(paths, index, at, halfDepth);
  const town = columns.town[i];
  const townCosine = dot(town, at);
  if (townCosine > cos(TOWN_REACH_DEG * DEG) && townCosine < 1 - 1e-9)
    return [at, toward(at, town)];
  const heading = uniform(mix(columns.seed[i], MOVE_PURPOSE), 1) * TAU;
  const [east, north] = eastNorth(at);
  const [s, c] = [sin(heading), cos(heading)];
  return [at, east.map((x, k) => x * s + north[k] * c)];
}

/** The nearest free place where a road or an earlier building has the ground. */
function aside(columns, i, paths, at, radius) {
  const near = within(paths, at, ASIDE_REACH + 0.04, columns.index[i]);
  const taken = near.filter(({ kind }) => kind === PLOT || kind === ROAD);
  if (!touches(at, radius, taken)) return at;
  const turn = uniform(mix(columns.seed[i], MOVE_PURPOSE), 0) * TAU;
  const [east, north] = eastNorth(at);
  for (let number = 0; number < STEPS_ASIDE; number += 1) {
    const angle = number * GOLDEN_RAD + turn;
    const reach = ASIDE_REACH * Math.sqrt(number / STEPS_ASIDE);
    const [x, y] = [cos(angle) * reach, sin(angle) * reach];
    const tried = normalize(at.map((a, k) => a + (east[k] * x + north[k] * y)));
    if (!touches(tried, radius, taken)) return tried;
  }
  return at;
}

/** Place and front of a building at a road: square to it, or to its end where it stops. */
function beside(paths, index, at, halfDepth) {
  const [point, tangent] = [paths.point(index), paths.tangent(index)];
  const keep = halfDepth < 0 ? 0 : paths.halfWidth[index] * SHOULDER + halfDepth + GAP;
  const across = cross(point, tangent);
  const gap = at.map((x, k) => x - point[k]);
  const lateral = dot(gap, across);
  const outward = outwardOf(paths, index);
  const beyond = outward * dot(gap, tangent);
  const atEnd = outward !== 0 && beyond > -1e-12 && Math.abs(lateral) < keep + beyond;
  const side = lateral < 0 ? -1 : 1;
  const away = atEnd ? tangent.map((x) => x * outward) : across.map((x) => x * side);
  const push = Math.max(keep - (atEnd ? beyond : Math.abs(lateral)), 0);
  const moved = normalize(at.map((x, k) => x + away[k] * push));
  const back = away.map((x) => -x);
  const rise = dot(back, moved);
  return [moved, normalize(back.map((x, k) => x - moved[k] * rise))];
}

/** +1 where a path's point is the last of its line, -1 where it is the first, else 0. */
function outwardOf(paths, index) {
  const last = paths.length - 1;
  const isOther = (k) =>
    paths.feature[k] !== paths.feature[index] ||
    paths.line[k] !== paths.line[index] ||
    paths.kind[k] !== paths.kind[index] ||
    k === index;
  if (isOther(Math.min(index + 1, last))) return 1;
  return isOther(Math.max(index - 1, 0)) ? -1 : 0;
}

/** Six houses round a well, doors to the middle, in the house kits' buffers. */
function addVillageHouses(parts, columns, i, at, front, tint) {
  const feature = columns.index[i];
  const seed = mix(columns.seed[i], VILLAGE_PURPOSE);
  const scale = columns.numbers.scale[i];
  const right = cross(at, front);
  for (let item = 0; item < VILLAGE_HOUSES; item += 1) {
    const draw = (k) => uniform(seed, item * VILLAGE_DRAWS + k);
    const angle = (item + 0.5 + 0.3 * (draw(0) - 0.5)) * (60 * DEG);
    const reach = VILLAGE_RADIUS * scale * (0.95 + 0.2 * draw(1));
    const [x, y] = [sin(angle) * reach, cos(angle) * reach];
    const stands = normalize(at.map((a, k) => a + (right[k] * x + front[k] * y)));
    const row = instanceRow(stands, toward(stands, at), scale * (0.74 + 0.16 * draw(2)), feature, {
      stretch: 0.92 + 0.2 * draw(3),
      tint,
      seed24: seed24Of(draw(4)),
      delayS: item * 0.15,
      phase: draw(1),
    });
    addRow(parts, `kit:${HOUSES[Math.floor(draw(5) * HOUSES.length)]}`, feature, row);
  }
}
