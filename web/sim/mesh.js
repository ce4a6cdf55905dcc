/**
 * Triangle meshes and the primitives that structures are made of.
 *
 * Primitives stand in a local frame with y up and their base at y = 0, centred on the y axis. All
 * but `plane` are closed, share their vertices, and wind counter-clockwise as seen from outside.
 *
 * Twin: godseed/sim/mesh.py
 */

import { HALF_PI, TAU, cos, sin } from './maths.js';
import { icosphere } from './sphere.js';

/** Triangles over shared vertices. */
export class Mesh {
  /**
   * @param {Float64Array} vertices 3 numbers each
   * @param {Uint32Array} faces 3 vertex numbers each, counter-clockwise from outside
   */
  constructor(vertices, faces) {
    this.vertices = vertices;
    this.faces = faces;
  }

  /** Unit normals of the vertices, see `vertexNormals`. */
  normals() {
    return vertexNormals(this.vertices, this.faces);
  }

  /** Unit normals of the faces; zero for a face without area. */
  faceNormals() {
    const areas = new Float64Array(this.faces.length);
    for (let f = 0; f < this.faces.length; f += 3) doubleArea(this.vertices, this.faces, f, areas);
    return unit(areas);
  }
}

/** Mean of the normals of the faces round each vertex, weighted by area, added in face order. */
export function vertexNormals(vertices, faces) {
  const sums = new Float64Array(vertices.length);
  const area = new Float64Array(3);
  for (let f = 0; f < faces.length; f += 3) {
    doubleArea(vertices, faces, f, area, 0);
    for (let k = 0; k < 3; k += 1) {
      const v = 3 * faces[f + k];
      sums[v] += area[0];
      sums[v + 1] += area[1];
      sums[v + 2] += area[2];
    }
  }
  return unit(sums);
}

/**
 * Give every face vertices of its own, for flat shading: the mesh and the normals of its vertices.
 */
export function explode(mesh) {
  const count = mesh.faces.length;
  const vertices = new Float64Array(3 * count);
  const normals = new Float64Array(3 * count);
  const own = mesh.faceNormals();
  for (let i = 0; i < count; i += 1) {
    const face = i - (i % 3);
    for (let k = 0; k < 3; k += 1) {
      vertices[3 * i + k] = mesh.vertices[3 * mesh.faces[i] + k];
      normals[3 * i + k] = own[face + k];
    }
  }
  return [
    new Mesh(
      vertices,
      Uint32Array.from({ length: count }, (_, i) => i),
    ),
    normals,
  ];
}

/** A block: w along x, h along y, d along z. */
export function box(w, h, d) {
  positive('box', { w, h, d });
  const x = 0.5 * w;
  const z = 0.5 * d;
  const vertices = [
    [-x, 0, z],
    [x, 0, z],
    [x, 0, -z],
    [-x, 0, -z],
  ];
  vertices.push([-x, h, z], [x, h, z], [x, h, -z], [-x, h, -z]);
  // Front, right, back, left, top, bottom.
  const faces = [
    [0, 1, 5],
    [0, 5, 4],
    [1, 2, 6],
    [1, 6, 5],
    [2, 3, 7],
    [2, 7, 6],
  ];
  faces.push([3, 0, 4], [3, 4, 7], [4, 5, 6], [4, 6, 7], [0, 3, 2], [0, 2, 1]);
  return meshOf(vertices, faces);
}

/** A pitched roof over a base of w by d with its ridge along x, h above the middle. */
export function gable(w, h, d) {
  positive('gable', { w, h, d });
  return ridged(w, h, d, 0);
}

/** A ramp over a base of w by d that rises from nothing at +z to h at -z. */
export function wedge(w, h, d) {
  positive('wedge', { w, h, d });
  return ridged(w, h, d, -0.5 * d);
}

/** A tapered drum, or a cone where rTop is 0. */
export function cylinder(rBottom, rTop, h, sides) {
  positive('cylinder', { rBottom, h });
  atLeast('cylinder', 3, { sides });
  if (!(rTop >= 0))
    throw new RangeError(`cylinder.rTop: ${rTop}; expected 0 or more; make it a radius`);
  if (rTop === 0) return pile([[rBottom, 0]], h, sides);
  return pile(
    [
      [rBottom, 0],
      [rTop, h],
    ],
    h,
    sides,
  );
}

/** The upper half of a ball of radius r with a flat base, in `rings` bands. */
export function dome(r, sides, rings) {
  positive('dome', { r });
  atLeast('dome', 3, { sides });
  atLeast('dome', 1, { rings });
  const profile = [];
  for (let k = 0; k < rings; k += 1) {
    const angle = (HALF_PI * k) / rings;
    profile.push([r * cos(angle), r * sin(angle)]);
  }
  return pile(profile, r, sides);
}

/** An icosphere of radius r that rests on y = 0. */
export function ball(r, level) {
  positive('ball', { r });
  const { vertices, faces } = icosphere(level);
  return new Mesh(
    vertices.map((x, i) => x * r + (i % 3 === 1 ? r : 0)),
    faces,
  );
}

/** An upright tube like the rim of a well, its wall from rInner to rOuter. */
export function ring(rOuter, rInner, h, sides) {
  positive('ring', { rInner, h });
  atLeast('ring', 3, { sides });
  if (!(rOuter > rInner)) {
    throw new RangeError(
      `ring.rOuter: ${rOuter}; expected more than rInner ${rInner}; make it wider`,
    );
  }
  const profile = [
    [rOuter, 0],
    [rOuter, h],
    [rInner, h],
    [rInner, 0],
  ];
  const vertices = profile.flatMap(([radius, y]) => circle(radius, y, sides));
  const faces = [0, 1, 2, 3].flatMap((i) => band(i * sides, ((i + 1) % 4) * sides, sides));
  return meshOf(vertices, faces);
}

/** One open rectangle on the ground, w by d, that faces +y. */
export function plane(w, d) {
  positive('plane', { w, d });
  const x = 0.5 * w;
  const z = 0.5 * d;
  return meshOf(
    [
      [-x, 0, z],
      [x, 0, z],
      [x, 0, -z],
      [-x, 0, -z],
    ],
    [
      [0, 1, 2],
      [0, 2, 3],
    ],
  );
}

/** A regular octahedron, r from centre to tip, that stands on its lower tip. */
export function octahedron(r) {
  positive('octahedron', { r });
  return meshOf(
    [[0, 0, 0], ...circle(r, r, 4), [0, 2 * r, 0]],
    [...fan(0, 1, 4, false), ...fan(5, 1, 4, true)],
  );
}

function ridged(w, h, d, ridgeZ) {
  const x = 0.5 * w;
  const z = 0.5 * d;
  const vertices = [
    [-x, 0, z],
    [x, 0, z],
    [x, 0, -z],
    [-x, 0, -z],
    [-x, h, ridgeZ],
    [x, h, ridgeZ],
  ];
  // Front slope, back slope, right and left end, bottom.
  const faces = [
    [0, 1, 5],
    [0, 5, 4],
    [2, 3, 4],
    [2, 4, 5],
    [1, 2, 5],
    [3, 0, 4],
    [0, 3, 2],
    [0, 2, 1],
  ];
  return meshOf(vertices, faces);
}

/** Circles [radius, y] from the base upward, closed by a centre below and a tip above. */
function pile(profile, tip, sides) {
  const vertices = profile.flatMap(([radius, y]) => circle(radius, y, sides));
  const top = (profile.length - 1) * sides;
  const bottomCenter = vertices.length;
  vertices.push([0, profile[0][1], 0], [0, tip, 0]);
  const faces = [];
  for (let i = 0; i < top; i += sides) faces.push(...band(i, i + sides, sides));
  faces.push(...fan(bottomCenter, 0, sides, false), ...fan(bottomCenter + 1, top, sides, true));
  return meshOf(vertices, faces);
}

/** Corners counter-clockwise as seen from above, the first one at +z. */
function circle(radius, y, sides) {
  return Array.from({ length: sides }, (_, k) => {
    const angle = (TAU * k) / sides;
    return [radius * sin(angle), y, radius * cos(angle)];
  });
}

/** Two triangles per side between two circles that start at these vertices. */
function band(lower, upper, sides) {
  const faces = [];
  for (let k = 0; k < sides; k += 1) {
    const following = (k + 1) % sides;
    faces.push([lower + k, lower + following, upper + following]);
    faces.push([lower + k, upper + following, upper + k]);
  }
  return faces;
}

/** Triangles between a centre and a circle, seen from above or from below. */
function fan(center, first, sides, up) {
  return Array.from({ length: sides }, (_, k) => {
    const a = first + k;
    const b = first + ((k + 1) % sides);
    return up ? [center, a, b] : [center, b, a];
  });
}

function meshOf(vertices, faces) {
  // Plus zero: sines and products leave minus zeros behind.
  return new Mesh(
    Float64Array.from(vertices.flat(), (x) => x + 0),
    Uint32Array.from(faces.flat()),
  );
}

/** Cross product of two edges of the face at `f`, written to `out`. */
function doubleArea(vertices, faces, f, out, to = f) {
  const a = 3 * faces[f];
  const b = 3 * faces[f + 1];
  const c = 3 * faces[f + 2];
  const e0 = vertices[b] - vertices[a];
  const e1 = vertices[b + 1] - vertices[a + 1];
  const e2 = vertices[b + 2] - vertices[a + 2];
  const f0 = vertices[c] - vertices[a];
  const f1 = vertices[c + 1] - vertices[a + 1];
  const f2 = vertices[c + 2] - vertices[a + 2];
  out[to] = e1 * f2 - e2 * f1;
  out[to + 1] = e2 * f0 - e0 * f2;
  out[to + 2] = e0 * f1 - e1 * f0;
}

/** Vectors at length 1, in place; zero vectors stay zero. */
function unit(vectors) {
  for (let i = 0; i < vectors.length; i += 3) {
    const x = vectors[i];
    const y = vectors[i + 1];
    const z = vectors[i + 2];
    const length = Math.sqrt(x * x + y * y + z * z);
    const by = length === 0 ? 1 : length;
    vectors[i] = x / by + 0;
    vectors[i + 1] = y / by + 0;
    vectors[i + 2] = z / by + 0;
  }
  return vectors;
}

function positive(where, sizes) {
  for (const [name, size] of Object.entries(sizes)) {
    if (!(size > 0))
      throw new RangeError(`${where}.${name}: ${size}; expected above 0; make it a length`);
  }
}

function atLeast(where, minimum, counts) {
  for (const [name, count] of Object.entries(counts)) {
    if (!(count >= minimum))
      throw new RangeError(`${where}.${name}: ${count}; expected ${minimum} or more; add ${name}`);
  }
}
