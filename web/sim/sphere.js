/**
 * Directions on the unit sphere, rotations, and the icosphere. Vectors are arrays of three numbers.
 *
 * Twin: godseed/sim/sphere.py
 */

import { DEG, TAU, atan2, cos, sin } from './maths.js';
import { Mesh } from './mesh.js';

export const DEGREES_PER_RADIAN = 57.29577951308232;
export const POLE = 1e-20;
export const PARALLEL = 1e-24;
export const MAX_LEVEL = 10;
export const GOLDEN = 1.618033988749895;

export const ICOSAHEDRON_CORNERS = [
  [-1, GOLDEN, 0],
  [1, GOLDEN, 0],
  [1, -GOLDEN, 0],
  [-1, -GOLDEN, 0],
  [0, -1, GOLDEN],
  [0, 1, GOLDEN],
  [0, 1, -GOLDEN],
  [0, -1, -GOLDEN],
  [GOLDEN, 0, -1],
  [GOLDEN, 0, 1],
  [-GOLDEN, 0, 1],
  [-GOLDEN, 0, -1],
];
export const ICOSAHEDRON_FACES = [
  [0, 5, 1],
  [0, 1, 6],
  [0, 10, 5],
  [0, 6, 11],
  [0, 11, 10],
  [1, 5, 9],
  [1, 8, 6],
  [1, 9, 8],
  [2, 4, 3],
  [2, 3, 7],
  [2, 9, 4],
  [2, 7, 8],
  [2, 8, 9],
  [3, 4, 10],
  [3, 11, 7],
  [3, 10, 11],
  [4, 9, 5],
  [4, 5, 10],
  [6, 8, 7],
  [6, 7, 11],
];

/** Unit vector of a latitude and longitude in degrees. */
export function direction(latDeg, lonDeg) {
  const lat = latDeg * DEG;
  const lon = lonDeg * DEG;
  const level = cos(lat);
  return [level * sin(lon) + 0, sin(lat) + 0, level * cos(lon) + 0];
}

/** Latitude -90..90 and longitude -180..180, degrees, of a unit vector. */
export function latLon([x, y, z]) {
  const flat = x * x + z * z;
  const lat = atan2(y, Math.sqrt(flat)) * DEGREES_PER_RADIAN;
  const lon = (flat < POLE ? 0 : atan2(x, z)) * DEGREES_PER_RADIAN;
  return [lat, lon];
}

/** a.x b.x + a.y b.y + a.z b.z, added in that order. */
export function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** Cross product. */
export function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** The vector at length 1; a zero vector stays zero. */
export function normalize(v) {
  const length = Math.sqrt(dot(v, v));
  const by = length === 0 ? 1 : length;
  return [v[0] / by, v[1] / by, v[2] / by];
}

/** Unit tangents to the east and to the north; at a pole east is +x. */
export function eastNorth(dir) {
  const [x, , z] = dir;
  const pole = x * x + z * z < POLE;
  const sideways = normalize([z, 0, -x]);
  const east = pole ? [1, 0, 0] : [sideways[0] + 0, sideways[1] + 0, sideways[2] + 0];
  return [east, normalize(cross(dir, east))];
}

/** Angle between vectors, 0..PI radians. */
export function angleRad(a, b) {
  const across = cross(a, b);
  return atan2(Math.sqrt(dot(across, across)), dot(a, b));
}

/** Angle between vectors, 0..180 degrees. */
export function angleDeg(a, b) {
  return angleRad(a, b) * DEGREES_PER_RADIAN;
}

/** Turn a vector about a unit axis by radians, counter-clockwise from the tip. */
export function rotate(v, axis, angle) {
  const s = sin(angle);
  const c = cos(angle);
  const along = dot(axis, v);
  const turn = cross(axis, v);
  return [0, 1, 2].map((k) => v[k] * c + turn[k] * s + axis[k] * (along * (1 - c)));
}

/** The unit vector a share t of the way from unit a to unit b along the great circle. */
export function slerp(a, b, t) {
  const apart = dot(a, b);
  let way = [b[0] - a[0] * apart, b[1] - a[1] * apart, b[2] - a[2] * apart];
  const rest = dot(a, way);
  way = [way[0] - a[0] * rest, way[1] - a[1] * rest, way[2] - a[2] * rest];
  const toward = dot(way, way) < PARALLEL ? eastNorth(a)[0] : normalize(way);
  const angle = angleRad(a, b) * t;
  const s = sin(angle);
  const c = cos(angle);
  return normalize([a[0] * c + toward[0] * s, a[1] * c + toward[1] * s, a[2] * c + toward[2] * s]);
}

/** Go from a unit vector along the great circle that leaves east and north by radians. */
export function offset(center, eastAmount, northAmount) {
  const [east, north] = eastNorth(center);
  const length = Math.sqrt(eastAmount * eastAmount + northAmount * northAmount);
  const safe = length === 0 ? 1 : length;
  const e = eastAmount / safe;
  const n = northAmount / safe;
  const s = sin(length);
  const c = cos(length);
  return normalize([0, 1, 2].map((k) => center[k] * c + (east[k] * e + north[k] * n) * s));
}

/** Place a point inside a spherical cap so that every area is equally likely. */
export function capPoint(center, radiusDeg, u, v) {
  const half = sin(radiusDeg * (0.5 * DEG));
  const depth = u * (2 * half * half);
  const level = Math.sqrt(Math.max(depth * (2 - depth), 0));
  const [east, north] = eastNorth(center);
  const turn = TAU * v;
  const c = cos(turn);
  const s = sin(turn);
  return normalize(
    [0, 1, 2].map((k) => center[k] * (1 - depth) + (east[k] * c + north[k] * s) * level),
  );
}

const spheres = new Map();

/**
 * The icosahedron, every face split into four `level` times, on the unit sphere; the same object
 * each time.
 */
export function icosphere(level) {
  if (!(level >= 0 && level <= MAX_LEVEL)) {
    throw new RangeError(
      `icosphere.level: ${level}; expected 0 to ${MAX_LEVEL}; each level is four times more`,
    );
  }
  let mesh = spheres.get(level);
  if (!mesh) {
    mesh = level === 0 ? icosahedron() : splitOnce(icosphere(level - 1));
    spheres.set(level, mesh);
  }
  return mesh;
}

const across = new Map();

/** Which face lies across each edge of the icosphere's faces, 3 numbers a face. */
export function faceNeighbours(level) {
  let neighbours = across.get(level);
  if (!neighbours) {
    const { faces } = icosphere(level);
    neighbours = new Int32Array(faces.length);
    const open = new Map();
    for (let f = 0; f < faces.length; f += 3) {
      for (let k = 0; k < 3; k += 1) {
        const key = edgeKey(faces[f + k], faces[f + ((k + 1) % 3)]);
        if (open.has(key)) {
          const other = open.get(key);
          neighbours[f + k] = Math.floor(other / 3);
          neighbours[other] = f / 3;
        } else {
          open.set(key, f + k);
        }
      }
    }
    across.set(level, neighbours);
  }
  return neighbours;
}

/** Lower vertex * 2^26 + higher vertex: orders edges as the twin does, and is exact below 2^53. */
export function edgeKey(a, b) {
  return Math.min(a, b) * 67108864 + Math.max(a, b);
}

/**
 * Split faces once at the middles of their edges; new vertices follow in the order of their edges.
 *
 * @returns {{vertices: Float64Array, faces: Uint32Array, middles: Map<number, number>}}
 */
export function split(vertices, faces) {
  const keys = new Set();
  for (let f = 0; f < faces.length; f += 3) {
    for (let k = 0; k < 3; k += 1) keys.add(edgeKey(faces[f + k], faces[f + ((k + 1) % 3)]));
  }
  const sorted = Float64Array.from(keys).sort();
  const count = vertices.length / 3;
  const grown = new Float64Array(vertices.length + 3 * sorted.length);
  grown.set(vertices);
  const middles = new Map();
  sorted.forEach((key, i) => {
    const low = Math.floor(key / 67108864);
    const high = key - low * 67108864;
    const m = normalize([0, 1, 2].map((k) => vertices[3 * low + k] + vertices[3 * high + k]));
    grown.set(m, 3 * (count + i));
    middles.set(key, count + i);
  });
  const children = new Uint32Array(4 * faces.length);
  for (let f = 0; f < faces.length; f += 3) {
    const [a, b, c] = [faces[f], faces[f + 1], faces[f + 2]];
    const ab = middles.get(edgeKey(a, b));
    const bc = middles.get(edgeKey(b, c));
    const ca = middles.get(edgeKey(c, a));
    children.set([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca], 4 * f);
  }
  return { vertices: grown, faces: children, middles };
}

function icosahedron() {
  const corners = ICOSAHEDRON_CORNERS.map(normalize).flat();
  return new Mesh(Float64Array.from(corners), Uint32Array.from(ICOSAHEDRON_FACES.flat()));
}

function splitOnce(coarse) {
  const { vertices, faces } = split(coarse.vertices, coarse.faces);
  return new Mesh(vertices, faces);
}
