/**
 * How a district lies on the ground: its plane, its lots, and its streets.
 *
 * Everything is laid out in a plane around the centre, in radians: `u` along the streets, `v`
 * across them. Streets are rows of constant v, bent by a slow sine that is 0 in the middle and at
 * the edge; lots lie on both sides of them, in blocks between cross streets. Row 0 is the main
 * street: paved like a road, it leads towards the town and ends in a gate on both sides of the
 * district, where later roads join it. One cross street runs through the middle, so no street is
 * cut off from the others.
 *
 * @typedef {object} Lot
 * @property {number} number of the lot in its district
 * @property {number} row
 * @property {number} column
 * @property {number} side +1 or -1, which side of its street
 * @property {number} u its middle
 * @property {boolean} inside whether a house there stays in the district
 * @property {boolean} public whether it belongs to the green or the hall
 * @property {number} share distance from the centre, 1 at the edge
 *
 * Twin: godseed/sim/district.py
 */

import { STREET } from './columns.js';
import { seed24Of } from './kits.js';
import { DEG, PI, TAU, clamp, cos, sin } from './maths.js';
import { mix, uniform } from './rng.js';
import { cross, direction, dot, eastNorth, normalize } from './sphere.js';
import { SHOULDER, lineTangents, stripRows } from './strip.js';

export const LOT_WIDTH = 0.0196;
export const LOT_DEPTH = 0.0215;
/** Width that a street keeps free of lots; the footpath in it is narrower. */
export const CORRIDOR = 0.0064;
export const LOTS_PER_BLOCK = 4;
export const PATH_HALF_WIDTH = 0.002;
export const PATH_STEP = 0.005;
export const PATH_STONE = [0.104, 0.088, 0.074];
export const SETBACK = 0.0024;
/** Steepest slope of a bent street against its row. */
export const BEND = 0.16;
/** Sharpest curvature of a street, one over planet radii: houses on the inside have room. */
export const SHARPEST = 8;
/** Streets keep this far inside the district, shoulders included. */
export const EDGE = 0.003;
/** The main street ends this far inside the district's radius. */
export const GATE_INSET = 0.0075;
/** Districts smaller than this have houses only. */
export const PUBLIC_RADIUS = 0.05;
export const MAIN_HALF_WIDTH = 0.0043;
export const MAIN_STONE = [0.088, 0.073, 0.06];
/** What the main street takes more than a footpath from the front of the lots along it. */
export const MAIN_ROOM = 0.0038;
/** 1 - cosine of the angle to the town's centre within which a main street leads towards it. */
export const TOWN_NEAR = 0.0001;
export const TOWN_FAR = 1.9;
/** Radius around a house at scale 1 that stays inside the district. */
export const HOUSE_REACH = 0.0088;
export const FRAME_PURPOSE = 0x4652;

/** The plane of one district; see the twin for its fields. */
export class Plan {
  constructor(fields) {
    Object.assign(this, fields);
  }

  /** How far the streets are off their rows at u. */
  bend(u) {
    const amplitude = this.steep / this.wave;
    return amplitude * sin(this.wave * u);
  }

  /** Derivative of `bend`. */
  slope(u) {
    return this.steep * cos(this.wave * u);
  }

  /** v of the middle of a street at u. */
  streetV(row, u) {
    return row * this.period() + this.bend(u);
  }

  /** Distance from the middle of a street to the lots along it. */
  verge(row) {
    return CORRIDOR / 2 + (row === 0 ? MAIN_ROOM : 0);
  }

  /** Direction of a plane point: along a great circle from the centre. */
  at(u, v) {
    const length = Math.sqrt(u * u + v * v);
    const safe = length === 0 ? 1 : length;
    const [c, s] = [cos(length), sin(length)];
    const [p, q] = [u / safe, v / safe];
    return normalize(
      [0, 1, 2].map((k) => this.center[k] * c + (this.uAxis[k] * p + this.vAxis[k] * q) * s),
    );
  }

  /** Distance from row to row. */
  period() {
    return rowPeriod(this.size);
  }

  /** Distance from cross street to cross street. */
  block() {
    return blockLength(this.size);
  }
}

/** Distance from row to row for lots of a size. */
export function rowPeriod(size) {
  return 2 * LOT_DEPTH * size + CORRIDOR;
}

/** Distance from cross street to cross street for lots of a size. */
export function blockLength(size) {
  return LOTS_PER_BLOCK * LOT_WIDTH * size + CORRIDOR;
}

/**
 * Centre of a district, the way of its main street, and its radius.
 *
 * @returns {[number[], number[], number]}
 */
export function frameOf(columns, i) {
  const center = direction(columns.numbers.lat[i], columns.numbers.lon[i]);
  const radius = columns.numbers.radius_deg[i] * DEG;
  const heading = uniform(mix(columns.seed[i], FRAME_PURPOSE), 0) * TAU;
  const [east, north] = eastNorth(center);
  const [s, c] = [sin(heading), cos(heading)];
  const seeded = east.map((x, k) => x * s + north[k] * c);
  const town = columns.town[i];
  const rise = dot(town, center);
  const apart = 1 - dot(center, town);
  const leads = apart > TOWN_NEAR && apart < TOWN_FAR;
  const way = leads ? normalize(town.map((x, k) => x - center[k] * rise)) : seeded;
  return [center, way, radius];
}

/** Where a district lies, which way its streets run, and how large its lots are. */
export function planOf(columns, i) {
  const [center, uAxis, radius] = frameOf(columns, i);
  const seed = mix(columns.seed[i], FRAME_PURPOSE);
  // Small districts are tight, large ones spread: a dozen houses to seven score.
  let size = 0.84 + 0.16 * clamp((radius - 0.036) / 0.05, 0, 1);
  size += 5.2 * Math.max(radius - 0.14, 0);
  const wave = ((uniform(seed, 1) < 0.5 ? 1 : 2) * PI) / (radius - GATE_INSET);
  const steep = Math.min(BEND, SHARPEST / wave);
  return new Plan({
    center,
    uAxis,
    vAxis: cross(center, uAxis),
    radius,
    size,
    wave,
    steep: uniform(seed, 2) < 0.5 ? -steep : steep,
    rows: Math.floor(radius / rowPeriod(size)),
    blocks: Math.floor(radius / blockLength(size)) + 1,
    seed,
  });
}

/**
 * Every lot of the rectangle around a district.
 *
 * @returns {Lot[]}
 */
export function lotsOf(plan) {
  const lots = [];
  const width = LOT_WIDTH * plan.size;
  let number = 0;
  for (let row = -plan.rows; row <= plan.rows; row += 1) {
    for (const side of [1, -1]) {
      for (let column = 0; column < 2 * plan.blocks * LOTS_PER_BLOCK; column += 1) {
        const block = Math.floor(column / LOTS_PER_BLOCK) - plan.blocks;
        const slot = column % LOTS_PER_BLOCK;
        const u = (block + 0.5) * plan.block() + (slot - (LOTS_PER_BLOCK - 1) / 2) * width;
        const streetV = plan.streetV(row, u);
        const v = streetV + side * (plan.verge(row) + SETBACK + 0.0055 * plan.size);
        const distance = Math.sqrt(u * u + v * v);
        const inside =
          distance + HOUSE_REACH * houseSize(plan) + 0.0008 < plan.radius &&
          Math.sqrt(u * u + streetV * streetV) + EDGE < plan.radius;
        const middle = row === 0 && block === 0 && slot < 2;
        const isPublic = middle && plan.radius >= PUBLIC_RADIUS;
        lots.push({
          number,
          row,
          column,
          side,
          u,
          inside,
          public: isPublic,
          share: distance / plan.radius,
        });
        number += 1;
      }
    }
  }
  return lots;
}

/** u of the middle of the green, beside the crossing in the middle. */
export function publicU(plan) {
  return CORRIDOR / 2 + LOT_WIDTH * plan.size;
}

/** Scale of an average house: a little larger where lots are. */
export function houseSize(plan) {
  return 0.93 * Math.min(plan.size, 1.1);
}

/** The place at a distance square to the street, and the unit tangent back to it. */
export function atStreet(plan, u, row, off, turn) {
  const slope = plan.slope(u);
  const length = Math.sqrt(1 + slope * slope);
  const footV = plan.streetV(row, u);
  const at = plan.at(u - (off * slope) / length, footV + off / length);
  const aim = plan.at(u + turn / length, footV + (turn * slope) / length);
  const rise = dot(aim, at);
  return [at, normalize(aim.map((x, k) => x - at[k] * rise))];
}

/**
 * Street lines and their patches: rows first, then cross streets.
 *
 * @returns {{laid: import('./columns.js').PathPoint[], rows: number[][]}}
 */
export function streetsOf(feature, plan, lots) {
  const streets = [];
  const gate = plan.radius - GATE_INSET;
  for (let row = -plan.rows; row <= plan.rows; row += 1) {
    const [lo, hi] = extent(lots, row);
    if (hi < lo && row !== 0) continue;
    const main = row === 0;
    const u0 = main ? -gate : Math.min(streetEnd(plan, row, lo, -1), 0);
    const u1 = main ? gate : Math.max(streetEnd(plan, row, hi, 1), 0);
    const v = row * plan.period();
    streets.push({ row, main, bent: 1, u0, u1, v0: v, v1: v });
  }
  // Cross streets between a row and the next, where both reach them.
  const byRow = new Map(streets.map((street) => [street.row, street]));
  for (let row = -plan.rows; row < plan.rows; row += 1) {
    const [below, above] = [byRow.get(row), byRow.get(row + 1)];
    if (!below || !above) continue;
    for (let lane = -plan.blocks; lane <= plan.blocks; lane += 1) {
      const u = lane * plan.block();
      if (below.u0 <= u && u <= below.u1 && above.u0 <= u && u <= above.u1) {
        // A footpath begins at the kerb of the main street.
        const kerb = 0.9 * MAIN_HALF_WIDTH;
        const low = plan.streetV(row, u);
        const v1 = low + plan.period() - (row === -1 ? kerb : 0);
        const v0 = low + (row === 0 ? kerb : 0);
        streets.push({ row, main: false, bent: 0, u0: u, u1: u, v0, v1 });
      }
    }
  }
  const laid = [];
  const rows = [];
  streets.forEach((street, line) => addStreet(feature, plan, street, line, laid, rows));
  return { laid, rows };
}

/**
 * First and last column that a row of lots reaches; the last is below the first where it reaches
 * nothing.
 */
function extent(lots, row) {
  let [lo, hi] = [1 << 30, -1];
  for (const lot of lots) {
    if (lot.inside && lot.row === row) {
      lo = Math.min(lo, lot.column);
      hi = Math.max(hi, lot.column);
    }
  }
  return [lo, hi];
}

/**
 * u where a street ends: behind its last lot, or at its middle where that would be outside; way -1
 * for the start, 1 for the end.
 */
function streetEnd(plan, row, column, way) {
  const width = LOT_WIDTH * plan.size;
  const block = Math.floor(column / LOTS_PER_BLOCK) - plan.blocks;
  const slot = column % LOTS_PER_BLOCK;
  const middle = (block + 0.5) * plan.block() + (slot - (LOTS_PER_BLOCK - 1) / 2) * width;
  const atCrossing = slot === (way > 0 ? LOTS_PER_BLOCK - 1 : 0);
  const crossing = atCrossing ? CORRIDOR / 2 + PATH_HALF_WIDTH : 0;
  const end = middle + way * (0.5 * width + crossing);
  const v = plan.streetV(row, end);
  return Math.sqrt(end * end + v * v) + EDGE < plan.radius ? end : middle;
}

/** Sample one street into path points and patches. */
function addStreet(feature, plan, { main, bent, u0, u1, v0, v1 }, line, laid, rows) {
  const length = u1 - u0 + (v1 - v0);
  const pieces = Math.floor(length / PATH_STEP) + 1;
  const points = [];
  const arc = [];
  for (let k = 0; k <= pieces; k += 1) {
    const t = k / pieces;
    const u = u0 + (u1 - u0) * t;
    const v = v0 + (v1 - v0) * t;
    points.push(plan.at(u, v + bent * plan.bend(u)));
    arc.push(length * t);
  }
  const tangents = lineTangents(points);
  const halfWidth = main ? MAIN_HALF_WIDTH : PATH_HALF_WIDTH;
  points.forEach((point, i) => {
    laid.push({ point, tangent: tangents[i], feature, line, kind: STREET, halfWidth });
  });
  const seed24 = seed24Of(uniform(plan.seed, 11));
  for (const row of stripRows(
    points,
    tangents,
    arc,
    points.map(() => halfWidth * SHOULDER),
  )) {
    row.splice(
      14,
      10,
      -SHOULDER,
      SHOULDER,
      ...(main ? MAIN_STONE : PATH_STONE),
      length,
      halfWidth,
      seed24,
      main ? 0 : 1,
      feature,
    );
    rows.push(row);
  }
}
