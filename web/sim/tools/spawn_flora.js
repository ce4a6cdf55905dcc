/**
 * Plants scattered evenly over an area, in loose groves, clear of roads, houses and water.
 *
 * Twin: godseed/sim/tools/spawn_flora.py
 */

import { hueRgb } from '../color.js';
import { addRow } from '../columns.js';
import { instanceRow, kit, seed24Of } from '../kits.js';
import { DEG, TAU, cos, sin, smoothstep } from '../maths.js';
import { valueNoise4 } from '../noise.js';
import { DISTRICT, touches, within } from '../plots.js';
import { mix, uniform } from '../rng.js';
import { spec } from '../spec.js';
import { angleRad, capPoint, direction, eastNorth } from '../sphere.js';

/** Plants of one feature at full density, before the thin places of its groves are left out. */
export const MOST = 260;
export const DRAWS = 8;
export const GROVE_FREQUENCY = 22;
export const GROVE_PURPOSE = 0x4752;
export const PLANT_PURPOSE = 0x504c;
export const DELAY_S = 1.2;
/** Half width of the widest plot, planet radii. */
export const WIDEST = 0.06;
/** How far a plant's middle stays from roads, houses and water: footprints, and planet radii. */
export const CLEAR_FOOTPRINTS = 0.3;
export const CLEAR_MARGIN = 0.0025;

/**
 * How kinds of plant grow: shapes, plants per steradian at full density, smallest and largest
 * scale, saturation and value of the colour, brightness of the ground's tint, strength of the
 * light.
 */
export const SPECIES = {
  trees: species(['tree_round', 'tree_tall', 'tree_bent'], 3000, [0.72, 1.3], 0.46, 0.42, 0.48, 0),
  glowgrass: species(['glowgrass'], 6500, [0.75, 1.35], 0.58, 0.92, 0.42, 0.16),
  mushrooms: species(
    ['mushroom_group', 'mushroom_slim'],
    4200,
    [0.6, 1.25],
    0.55,
    0.95,
    0.38,
    0.12,
  ),
  vines: species(['vine_arch', 'vine_coil'], 4200, [0.7, 1.3], 0.52, 0.92, 0.44, 0.06),
  flowers: species(['flower_star', 'flower_bell'], 6000, [0.7, 1.25], 0.6, 0.92, 0.38, 0),
  reeds: species(['reeds'], 6000, [0.75, 1.3], 0.42, 0.8, 0.42, 0),
};

/**
 * Let plants grow: parts `kit:<name>` and `light`, one tint of the ground and, for kinds that
 * shine, one light.
 *
 * @param {import('../columns.js').Columns} columns features with `lat lon radius_deg kind density
 *   hue`
 * @param {import('../columns.js').Paths} paths of all features; plants keep clear of those before
 *   theirs
 * @returns {import('../columns.js').Built}
 */
export function build(columns, paths) {
  const parts = {};
  const names = kindNames();
  columns.index.forEach((feature, i) => {
    const kind = SPECIES[names[columns.enums.kind[i]]];
    const { lat, lon, radius_deg: radiusDeg, density, hue } = columns.numbers;
    const center = direction(lat[i], lon[i]);
    const half = sin(radiusDeg[i] * (0.5 * DEG));
    // What stands in a district takes its own ground; the district as a whole takes none.
    const near = within(paths, center, 2 * half + 2 * WIDEST, feature).filter(
      ({ kind: of }) => of !== DISTRICT,
    );
    const seed = mix(columns.seed[i], PLANT_PURPOSE);
    const count = countOf(kind, half, density[i]);
    for (let item = 0; item < count; item += 1) {
      const draw = (k) => uniform(seed, item * DRAWS + k);
      const at = capPoint(center, radiusDeg[i], draw(0), draw(1));
      const edge = angleRad(at, center) / (radiusDeg[i] * DEG);
      const grove = groveOf(at, columns.seed[i]);
      if (!(draw(2) < 0.55 + 0.75 * grove)) continue;
      let scale = kind.size[0] + (kind.size[1] - kind.size[0]) * draw(3) * (0.55 + 0.45 * grove);
      scale *= 1 - 0.35 * smoothstep(0.72, 1, edge);
      const name = kind.kits[Math.floor(draw(4) * kind.kits.length)];
      const radius = scale * kit(name).footprint * CLEAR_FOOTPRINTS + CLEAR_MARGIN;
      if (touches(at, radius, near)) continue;
      const turn = TAU * draw(5);
      const [c, s] = [cos(turn), sin(turn)];
      const [east, north] = eastNorth(at);
      const front = north.map((x, k) => x * c + east[k] * s);
      const row = instanceRow(at, front, scale, feature, {
        stretch: 0.85 + 0.3 * draw(6),
        tint: tintOf(kind, hue[i], draw(7)),
        seed24: seed24Of(draw(5)),
        delayS: DELAY_S * (0.65 * Math.min(edge, 1) + 0.35 * draw(6)),
        phase: draw(7),
      });
      addRow(parts, `kit:${name}`, feature, row);
    }
    addLights(parts, kind, center, radiusDeg[i] * DEG, hue[i], density[i], feature);
  });
  return { parts, paths: [] };
}

function species(kits, perArea, size, saturation, value, ground, glow) {
  return { kits, perArea, size, saturation, value, ground, glow };
}

function kindNames() {
  const { args } = spec('tools.json').tools.find((row) => row.name === 'spawn_flora');
  return args.find((arg) => arg.name === 'kind').values;
}

/** How many plants a feature sets out, 3 at least. */
function countOf(kind, half, density) {
  const area = 2 * TAU * half * half;
  const most = Math.min(kind.perArea * area, MOST);
  return Math.max(Math.floor(most * density), 3);
}

/** How thick it grows at a place, 0..1: smooth noise, shifted by the feature's seed. */
function groveOf(at, featureSeed) {
  const seed = mix(featureSeed, GROVE_PURPOSE);
  const [x, y, z] = at.map((a, k) => a * GROVE_FREQUENCY + uniform(seed, k) * 64);
  return smoothstep(-0.35, 0.35, valueNoise4(x, y, z, GROVE_PURPOSE)[0]);
}

/** Colour of a plant: the feature's hue, a little off in hue and brightness. */
function tintOf(kind, hue, vary) {
  return hueRgb(hue + 26 * (vary - 0.5), kind.saturation, kind.value * (0.82 + 0.18 * vary));
}

/** Tint of the ground, and light where the kind shines. */
function addLights(parts, kind, center, radius, hue, density, feature) {
  const ground = hueRgb(hue, 0.42, kind.ground);
  addRow(parts, 'light', feature, [
    ...center,
    radius * 1.2,
    ...ground,
    0.55 + 1.1 * density,
    1,
    feature,
    0,
    0,
  ]);
  const glow = kind.glow * (0.35 + 0.65 * density);
  if (!(glow > 0)) return;
  addRow(parts, 'light', feature, [
    ...center,
    radius,
    ...hueRgb(hue, 0.6, 0.9),
    glow,
    0,
    feature,
    0,
    0,
  ]);
}
