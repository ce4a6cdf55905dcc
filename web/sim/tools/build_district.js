/**
 * Neighbourhoods: houses along streets, a green, lamps, sometimes a hall or a market.
 *
 * A house stays inside its lot, so houses of one district never meet each other or a street; lots
 * where an earlier road or building is in the way stay empty. The plan is in `district.js`.
 *
 * @typedef {{kit: string, group: number, row: number[]}} Standing an instance that a district puts
 *   up; groups: 0 public, 1 house, 2 tree, 3 lamp
 *
 * Twin: godseed/sim/tools/build_district.py
 */

import { hueRgb } from '../color.js';
import { ROAD, addRow } from '../columns.js';
import {
  LOT_DEPTH,
  LOT_WIDTH,
  PUBLIC_RADIUS,
  SETBACK,
  atStreet,
  frameOf,
  houseSize,
  lotsOf,
  planOf,
  publicU,
  streetsOf,
} from '../district.js';
import { instanceRow, kit, lightRow, seed24Of } from '../kits.js';
import { DISTRICT, PLOT, isNear, plotPath, touches, within } from '../plots.js';
import { mix, uniform } from '../rng.js';
import { dot, normalize } from '../sphere.js';

export const HOUSES = ['house_a', 'house_b', 'house_c', 'house_d'];
export const DRAWS = 12;
export const LOT_PURPOSE = 0x4c4f;
export const LAMP_PURPOSE = 0x4c50;
export const TREE_PURPOSE = 0x5452;
export const WARM = [1, 0.6, 0.28];
/** Houses lie between the tint of their district and this; roofs show it most. */
export const COOL = [0.3, 0.42, 0.62];
const PUBLIC = 0;
const HOUSE = 1;
const TREE = 2;
const LAMP = 3;
/** Radius that a patch of footpath needs free, planet radii. */
export const PATCH_REACH = 0.0012;
/** Radius that a patch of the main street needs free of buildings. */
export const MAIN_REACH = 0.005;

/**
 * Build districts: parts `road` (footpaths), `kit:*` and `light`; STREET lines, and a PLOT for
 * every house.
 *
 * @param {import('../columns.js').Columns} columns features with `lat lon radius_deg density hue`
 * @param {import('../columns.js').Paths} paths of all features; what earlier ones built and laid
 *   stays clear of houses
 * @returns {import('../columns.js').Built}
 */
export function build(columns, paths) {
  const parts = {};
  const laid = [];
  // What earlier districts of this batch have laid and built.
  const before = { streets: [], plots: [] };
  columns.index.forEach((feature, i) => {
    const plan = planOf(columns, i);
    const lots = lotsOf(plan);
    const streets = streetsOf(feature, plan, lots);
    const tint = hueRgb(columns.numbers.hue[i], 0.5, 1).map((x, k) => 0.4 * x + 0.6 * WARM[k]);
    const everything = [
      ...publicOf(feature, plan, tint),
      ...housesOf(feature, plan, lots, columns.numbers.density[i], tint),
      ...treesOf(feature, plan, lots),
      ...lampsOf(feature, plan, lots, tint),
    ];
    const [standing, patches] = free(feature, plan, paths, before, everything, streets.rows);
    for (const patch of patches) addRow(parts, 'road', feature, patch);
    for (const { kit: name, row } of standing) addRow(parts, `kit:${name}`, feature, row);
    for (const { group, row } of standing) {
      if (group === HOUSE || group === LAMP)
        addRow(parts, 'light', feature, lightOf(row, group === LAMP, feature));
    }
    const taken = standing.filter(({ group }) => group < 2);
    const plots = taken.map(({ group, row }, line) => {
      return plotPath(row.slice(0, 3), reachOf(row, group), feature, line + (1 << 20));
    });
    laid.push(...streets.laid, ...plots);
    before.streets.push(...streets.laid);
    before.plots.push(...plots);
  });
  return { parts, paths: laid };
}

/**
 * What roads of later features must know of districts before these are built: one DISTRICT point
 * per feature with `lat lon radius_deg`, and `town`.
 *
 * @returns {import('../columns.js').PathPoint[]}
 */
export function districts(columns) {
  return columns.index.map((feature, i) => {
    const [point, tangent, halfWidth] = frameOf(columns, i);
    return { point, tangent, feature, line: 0, kind: DISTRICT, halfWidth };
  });
}

function drawOf(plan, purpose, number) {
  const seed = mix(plan.seed, purpose);
  return (k) => uniform(seed, number * DRAWS + k);
}

/** Houses that density asks for. */
function housesOf(feature, plan, lots, density, tint) {
  const civic = civicOf(plan) > 0;
  const houses = [];
  for (const lot of lots) {
    const draw = drawOf(plan, LOT_PURPOSE, lot.number);
    const chance = (0.42 + 0.62 * density) * (1.12 - 0.34 * lot.share * lot.share);
    const first = lot.row === 0 && lot.side > 0 && Math.abs(lot.u) < LOT_WIDTH * plan.size;
    const reserved = lot.public && (lot.side < 0 || civic);
    if (!lot.inside || reserved || !(draw(0) < (first ? 2 : chance))) continue;
    const scale = houseSize(plan) * (0.88 + 0.2 * draw(2));
    const u = lot.u + (draw(3) - 0.5) * 0.0014;
    const depth = plan.verge(lot.row) + SETBACK + 0.0064 * scale + 0.0012 * draw(4);
    const turn = (draw(5) - 0.5) * 0.0012;
    const [at, front] = atStreet(plan, u, lot.row, lot.side * depth, turn);
    const cool = 0.85 * draw(10);
    const row = instanceRow(at, front, scale, feature, {
      stretch: 0.9 + 0.16 * draw(6) + 0.14 * (1 - lot.share),
      tint: tint.map((x, k) => x * (1 - cool) + COOL[k] * cool),
      seed24: seed24Of(draw(7)),
      delayS: 0.75 * lot.share + 0.4 * draw(8),
      phase: draw(9),
    });
    houses.push({ kit: houseName(draw(1), lot.share), group: HOUSE, row });
  }
  return houses;
}

/** Which house kit stands on a lot: tall ones are likelier near the middle. */
function houseName(pick, share) {
  const tall = 0.1 + 0.5 * (1 - share);
  if (pick < tall) return HOUSES[2];
  const rest = (pick - tall) / (1 - tall);
  if (rest < 0.36) return HOUSES[0];
  return rest < 0.7 ? HOUSES[1] : HOUSES[3];
}

/** 0 nothing, 1 hall, 2 market. */
function civicOf(plan) {
  const pick = uniform(plan.seed, 3);
  if (!(plan.radius >= PUBLIC_RADIUS)) return 0;
  if (pick < 0.45) return 1;
  return pick < 0.7 ? 2 : 0;
}

/** The green of a district and its hall or market. */
function publicOf(feature, plan, tint) {
  const civic = civicOf(plan);
  const wanted = [...(plan.radius >= PUBLIC_RADIUS ? [0] : []), ...(civic > 0 ? [civic] : [])];
  return wanted.map((which) => {
    const name = ['green', 'hall', 'market'][which];
    const scale = which === 2 ? 0.86 : 1;
    const side = which === 0 ? -1 : 1;
    const off = plan.verge(0) + SETBACK + kit(name).halfDepth * scale;
    const [at, front] = atStreet(plan, publicU(plan), 0, side * off, 0);
    const row = instanceRow(at, front, scale, feature, {
      tint,
      seed24: seed24Of(uniform(plan.seed, 4 + which)),
      delayS: 0.2,
      phase: uniform(plan.seed, 7 + which),
    });
    return { kit: name, group: PUBLIC, row };
  });
}

/** Lamp posts: one for every two lots along a street, on alternating sides. */
function lampsOf(feature, plan, lots, tint) {
  const lamps = [];
  for (const lot of lots) {
    const turn = (Math.floor(lot.column / 2) + lot.row) % 2 === 0;
    if (!lot.inside || lot.column % 2 !== 0 || turn !== lot.side > 0) continue;
    const draw = drawOf(plan, LAMP_PURPOSE, lot.number);
    const u = lot.u + 0.5 * LOT_WIDTH * plan.size;
    const off = lot.side * (plan.verge(lot.row) + 0.0004);
    const [at, front] = atStreet(plan, u, lot.row, off, 0);
    if (!isInside(plan, at, 0.001)) continue;
    const row = instanceRow(at, front, 0.86 + 0.1 * draw(0), feature, {
      tint: tint.map((x, k) => 0.5 * x + 0.5 * WARM[k]),
      delayS: 0.3 + 0.8 * lot.share,
      phase: draw(1),
    });
    lamps.push({ kit: 'lamp', group: LAMP, row });
  }
  return lamps;
}

/** A tree at the back of some gardens. */
function treesOf(feature, plan, lots) {
  const trees = [];
  for (const lot of lots) {
    const draw = drawOf(plan, TREE_PURPOSE, lot.number);
    if (!lot.inside || lot.public || !(draw(0) < 0.42)) continue;
    const width = LOT_WIDTH * plan.size;
    const u = lot.u + (draw(1) - 0.5) * (width - 0.006);
    const off = lot.side * (plan.verge(lot.row) + LOT_DEPTH * plan.size - 0.0026);
    const [at, front] = atStreet(plan, u, lot.row, off, 0);
    if (!isInside(plan, at, 0.003)) continue;
    const row = instanceRow(at, front, 0.55 + 0.4 * draw(2), feature, {
      stretch: 0.85 + 0.3 * draw(3),
      delayS: 0.8 * lot.share + 0.4,
      phase: draw(4),
    });
    trees.push({ kit: 'yard_tree', group: TREE, row });
  }
  return trees;
}

/** Whether a disc at a place lies within its district. */
function isInside(plan, at, reach) {
  const gap = at.map((x, k) => x - plan.center[k]);
  // A chord is a little shorter than its arc.
  return Math.sqrt(dot(gap, gap)) * 1.004 + reach < plan.radius;
}

/** A small light in front of a house or under a lamp. */
function lightOf(row, isLamp, feature) {
  const at = normalize([0, 1, 2].map((k) => row[k] + row[4 + k] * (isLamp ? 0 : 0.008)));
  const rgb = WARM.map((x, k) => row[8 + k] * x);
  return lightRow(at, isLamp ? 0.034 : 0.03, rgb, isLamp ? 0.34 : 0.24, feature);
}

/** Radius that an instance needs free of what others built. */
function reachOf(row, group) {
  if (group === PUBLIC) return 0.0152 * row[3];
  return (group === HOUSE ? 0.0095 : 0.0018) * row[3];
}

/**
 * The instances and patches that have nothing of an earlier feature in their way.
 *
 * @returns {[Standing[], number[][]]}
 */
function free(feature, plan, paths, before, everything, patches) {
  const away = plan.radius + 0.02;
  const close = ({ point: [x, y, z] }) => isNear(x, y, z, plan.center, away);
  const old = within(paths, plan.center, away, feature).filter(({ kind }) => kind !== DISTRICT);
  const plots = before.plots.filter(close);
  const solid = [...old.filter(({ kind }) => kind === ROAD || kind === PLOT), ...plots];
  const others = [...old, ...before.streets.filter(close), ...plots];
  if (others.length === 0) return [everything, patches];
  const middleOf = (patch) => normalize([0, 1, 2].map((k) => patch[k] + patch[9 + k]));
  const placeOf = (row) => row.slice(0, 3);
  const standing = everything.filter(
    ({ row, group }) => !touches(placeOf(row), reachOf(row, group), others),
  );
  // Lamps, trees and paths that no house is left for would only clutter what others built.
  const around = 1.6 * LOT_WIDTH * plan.size;
  const served = standing
    .filter(({ group }) => group < 2)
    .map(({ row }) => ({ point: placeOf(row), halfWidth: around }));
  const built = solid.filter(({ kind }) => kind === PLOT);
  return [
    standing.filter(({ row }) => touches(placeOf(row), 0, served)),
    patches.filter((patch) => {
      const middle = middleOf(patch);
      if (touches(middle, PATCH_REACH, solid)) return false;
      if (patch[22] < 0.5) return served.length > 0 && !touches(middle, MAIN_REACH, built);
      return touches(middle, PATCH_REACH, served);
    }),
  ];
}
