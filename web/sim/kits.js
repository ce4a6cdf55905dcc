/**
 * Kits: buildings, plants and small things as lists of primitives, turned into one mesh each.
 *
 * Data lives in `spec/kits/*.json`; lengths there are thousandths of the planet's radius. Local
 * frame: y up, z front, x = up cross front, base at y = 0.
 *
 * Kit vertex (16 columns): position xyz, emission | normal xyz, tint mix | albedo rgb, sway | part
 * id, chance, mode, corner; see the twin for `corner`.
 *
 * @typedef {object} KitInfo what placing a kit needs to know; lengths in planet radii at scale 1
 * @property {number} height top of the kit above its base
 * @property {number} footprint radius of the dark contact with the ground
 * @property {string} family structure, flora, life or needle
 * @property {number} halfWidth largest |x| of anything solid
 * @property {number} halfDepth largest |z| of anything solid
 *
 * Twin: godseed/sim/kits.py
 */

import { DEG, PI, cos, sin } from './maths.js';
import * as shapes from './mesh.js';
import { Mesh, explode } from './mesh.js';
import { once, spec } from './spec.js';

export const KIT_WIDTH = 16;
/** Columns of a row of a `kit:*` buffer. */
export const INSTANCE_WIDTH = 16;
export const UNIT = 0.001;
export const FILES = ['kits/structures.json', 'kits/nature.json'];
export const MODES = ['solid', 'window', 'optional', 'pulse', 'rotate', 'flap', 'flicker'];
export const GROWS_WHOLE = 8;
export const LIES_FLAT = 2;
/** Arguments of each shape that are lengths, in the order its function takes them. */
export const LENGTHS = {
  box: ['w', 'h', 'd'],
  gable: ['w', 'h', 'd'],
  wedge: ['w', 'h', 'd'],
  plane: ['w', 'd'],
  cylinder: ['r_bottom', 'r_top', 'h'],
  dome: ['r'],
  ball: ['r'],
  ring: ['r_outer', 'r_inner', 'h'],
  octahedron: ['r'],
  pane: ['w', 'h'],
  spill: ['r'],
  beam: ['r_bottom', 'r_top', 'h'],
};
/** Further arguments that are counts, with defaults. */
export const COUNTS = {
  cylinder: [['sides', 8]],
  dome: [
    ['sides', 8],
    ['rings', 3],
  ],
  ball: [['level', 1]],
  ring: [['sides', 12]],
  spill: [['sides', 16]],
  beam: [['sides', 12]],
};

/** Names of all kits: structures, then nature, each in file order. */
export function kitNames() {
  return [...table('kits').keys()];
}

/**
 * Measures of a kit.
 *
 * @type {(name: string) => KitInfo}
 */
export const kit = once((name) => {
  const row = kitRow(name);
  let [halfWidth, halfDepth] = [0, 0];
  for (const piece of pieces(name)) {
    if (!piece.row.glow) {
      const { vertices } = piece.mesh;
      for (let i = 0; i < vertices.length; i += 3) {
        halfWidth = Math.max(halfWidth, Math.abs(vertices[i]));
        halfDepth = Math.max(halfDepth, Math.abs(vertices[i + 2]));
      }
    }
  }
  return {
    height: row.height * UNIT,
    footprint: row.footprint * UNIT,
    family: row.family,
    halfWidth,
    halfDepth,
  };
});

const solidMesh = once((name) => builtMesh(name, false));
const glowMesh = once((name) => builtMesh(name, true));

/**
 * Mesh of a kit, flat-shaded unless a part says `smooth`.
 *
 * @param {string} name one of `kitNames()`
 * @param {boolean} glow the additive mesh (beams, light on the ground) instead of the solid one
 * @returns {{rows: number[][], faces: Uint32Array}} rows of 16 columns; faces counter-clockwise
 *   from outside
 */
export function kitMesh(name, glow = false) {
  return glow ? glowMesh(name) : solidMesh(name);
}

/**
 * Primitives of a kit after repeats and borrowed kits, in drawing order; see the twin for `repeat`
 * and `use`.
 *
 * @type {(name: string) => {mesh: Mesh, row: object, part: number}[]}
 */
export const pieces = once((name) => {
  const found = [];
  for (const row of kitRow(name).parts) {
    const borrowed = row.use ? pieces(row.use) : [{ mesh: shapeOf(row), row, part: 0 }];
    const scale = row.scale ?? 1;
    const stretch = Array.isArray(scale) ? scale : [scale, scale, scale];
    const at = (row.at ?? [0, 0, 0]).map((x) => x * UNIT);
    for (const repeats of copies(row.repeat ?? [])) {
      const first = found.length;
      for (const piece of borrowed) {
        let points = turned(
          piece.mesh.vertices.map((x, i) => x * stretch[i % 3]),
          row.turn_deg ?? [0, 0, 0],
        );
        points = points.map((x, i) => x + at[i % 3]);
        for (const [entry, k] of repeats) points = repeated(points, entry, k);
        const part = row.use ? first + piece.part : (row.part ?? first);
        found.push({ mesh: new Mesh(points, piece.mesh.faces), row: piece.row, part });
      }
    }
  }
  return found;
});

/** Row of a `kit:*` buffer, see `formats.kit_instance` in `spec/materials.json`. */
export function instanceRow(
  at,
  front,
  scale,
  feature,
  { stretch = 1, tint = [1, 1, 1], seed24 = 0, delayS = 0, lift = 0, phase = 0 } = {},
) {
  return [...at, scale, ...front, stretch, ...tint, seed24, delayS, lift, phase, feature];
}

/** Row of the `light` table for a lamp; the ground near it is lit. */
export function lightRow(at, radius, rgb, strength, feature) {
  return [...at, radius, ...rgb, strength, 0, feature, 0, 0];
}

/** Whole number below 2^24 from a draw in [0, 1): a seed that a float32 column holds exactly. */
export function seed24Of(draw) {
  return Math.floor(draw * 16777216);
}

/** An upright rectangle that faces +z, base at y = 0; corners u, v = 00, 10, 01, 11. */
export function pane(w, h) {
  const x = w / 2;
  return new Mesh(
    Float64Array.of(-x, 0, 0, x, 0, 0, -x, h, 0, x, h, 0),
    Uint32Array.of(0, 1, 3, 0, 3, 2),
  );
}

/** A disc of light on the ground, facing up: the centre first, then its rim. */
export function spill(r, sides) {
  const vertices = [0, 0, 0];
  const faces = [];
  for (let k = 0; k < sides; k += 1) {
    const angle = k * ((2 * PI) / sides);
    vertices.push(r * sin(angle), 0, r * cos(angle));
    faces.push(0, 1 + k, 1 + ((k + 1) % sides));
  }
  return new Mesh(Float64Array.from(vertices), Uint32Array.from(faces));
}

/** An open cone of light along +y: its near rim first, then its far one. */
export function beam(rBottom, rTop, h, sides) {
  const around = Array.from({ length: sides }, (_, k) => {
    const angle = k * ((2 * PI) / sides);
    return [sin(angle), 0, cos(angle)];
  });
  const far = around.map(([x, y, z]) => [x * rTop + 0, y * rTop + h, z * rTop + 0]);
  const [lower, upper] = [[], []];
  for (let k = 0; k < sides; k += 1) {
    const right = (k + 1) % sides;
    lower.push(k, right, right + sides);
    upper.push(k, right + sides, k + sides);
  }
  const near = around.map((v) => v.map((x) => x * rBottom));
  return new Mesh(
    Float64Array.from([...near, ...far].flat()),
    Uint32Array.from([...lower, ...upper]),
  );
}

export const OWN_SHAPES = { pane, spill, beam };

/** Surfaces or kits of all files, in file order. */
const table = once((section) => {
  const rows = new Map();
  for (const file of FILES) {
    for (const [name, row] of Object.entries(spec(file)[section])) {
      if (rows.has(name))
        throw new Error(`${file}: ${section} '${name}' is already taken; rename one of them`);
      rows.set(name, row);
    }
  }
  return rows;
});

function kitRow(name) {
  const row = table('kits').get(name);
  if (!row)
    throw new RangeError(
      `kits: '${name}'; expected one of ${kitNames().join(', ')}; add it to ${FILES[0]}`,
    );
  return row;
}

/** The primitive that a part row names, in planet radii. */
function shapeOf(row) {
  const lengths = LENGTHS[row.shape];
  if (!lengths)
    throw new RangeError(
      `kits: shape '${row.shape}'; expected one of ${Object.keys(LENGTHS).join(', ')}`,
    );
  const build = OWN_SHAPES[row.shape] ?? shapes[row.shape];
  const counts = (COUNTS[row.shape] ?? []).map(([name, usual]) => row[name] ?? usual);
  return build(...lengths.map((name) => row[name] * UNIT), ...counts);
}

/** Every combination of copy numbers, the first entry changing fastest. */
function copies(repeats) {
  if (repeats.length === 0) return [[]];
  const found = [];
  for (const rest of copies(repeats.slice(1))) {
    for (let k = 0; k < repeats[0].count; k += 1) found.push([[repeats[0], k], ...rest]);
  }
  return found;
}

/** Points of copy k of a repeat entry. */
function repeated(points, entry, k) {
  const about = (entry.about ?? [0, 0, 0]).map((x) => x * UNIT);
  const turn = (entry.turn_deg ?? [0, 0, 0]).map((angle) => angle * k);
  const step = (entry.step ?? [0, 0, 0]).map((x) => x * (UNIT * k));
  const away = turned(
    points.map((x, i) => x - about[i % 3]),
    turn,
  );
  return away.map((x, i) => x + about[i % 3] + step[i % 3]);
}

/** Points turned about x, then y, then z, right-handed. */
function turned(points, [aboutX, aboutY, aboutZ]) {
  const found = points.slice();
  turnPair(found, 1, 2, aboutX);
  turnPair(found, 2, 0, aboutY);
  turnPair(found, 0, 1, aboutZ);
  return found;
}

/** Turn axis a towards axis b of all points, in place. */
function turnPair(points, a, b, turnDeg) {
  if (turnDeg === 0) return;
  const s = sin(turnDeg * DEG);
  const c = cos(turnDeg * DEG);
  for (let i = 0; i < points.length; i += 3) {
    const [p, q] = [points[i + a], points[i + b]];
    points[i + a] = c * p - s * q;
    points[i + b] = s * p + c * q;
  }
}

function builtMesh(name, glow) {
  const info = kitRow(name);
  const rows = [];
  const faces = [];
  for (const piece of pieces(name)) {
    if ((piece.row.glow ?? false) === glow) {
      const [vertices, triangles] = verticesOf(piece, info, glow);
      triangles.forEach((v) => faces.push(v + rows.length));
      rows.push(...vertices);
    }
  }
  return { rows, faces: Uint32Array.from(faces) };
}

/** Kit vertex rows and faces of one piece. */
function verticesOf(piece, info, glow) {
  const { row } = piece;
  const surface = table('surfaces').get(row.surface);
  const smooth = row.shape in OWN_SHAPES || (row.smooth ?? false);
  const [mesh, normals] = smooth ? [piece.mesh, piece.mesh.normals()] : explode(piece.mesh);
  const count = mesh.vertices.length / 3;
  const rows = Array.from({ length: count }, (_, v) => {
    const [x, y, z] = mesh.vertices.subarray(3 * v, 3 * v + 3);
    const [nx, ny, nz] = normals.subarray(3 * v, 3 * v + 3);
    return [
      ...[x, y, z, surface.emission ?? 0],
      ...[nx, ny, nz, surface.tint ?? 0],
      ...surface.albedo,
      swayOf(y, row, info),
      piece.part,
      row.chance ?? surface.chance ?? 1,
      modeOf(row.mode ?? surface.mode ?? 'solid'),
      cornerOf(row, info, v, count, glow),
    ].map((number) => number + 0);
  });
  return [rows, mesh.faces];
}

function modeOf(mode) {
  return typeof mode === 'string' ? MODES.indexOf(mode) : mode;
}

/** How far the wind moves a vertex, 0..1, quadratic in height; by itself only plants sway. */
function swayOf(y, row, info) {
  const weight = row.sway ?? info.sway ?? (info.family === 'flora' ? 1 : 0);
  const share = Math.min(Math.max(y / (info.height * UNIT), 0), 1);
  return weight * (share * share);
}

function cornerOf(row, info, v, count, glow) {
  if (!glow) {
    const whole = info.family === 'flora' || info.family === 'life' ? GROWS_WHOLE : 0;
    return whole + (row.shape === 'pane' ? v + 1 : 0);
  }
  if (row.shape === 'spill') return LIES_FLAT + (v === 0 ? 1 : 0);
  if (row.shape === 'beam') return v < Math.floor(count / 2) ? 1 : 0;
  return 1;
}
