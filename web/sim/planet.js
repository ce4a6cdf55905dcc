/**
 * The planet's mesh: an icosphere everywhere, four times finer around what the camera is near, and
 * what its vertices carry.
 *
 * The finer cap is conforming: faces next to it are split into fans that use the cap's own edge
 * vertices, so there is no crack and no T-junction. Vertices carry height, normal, the light of
 * lamps nearby, and the tint of what grows there, each before and after the feature that is rising,
 * so that the shader mixes between two exact states.
 *
 * Vertex (28 columns): dir xyz, height | normal before xyz, height before | normal xyz, wet | light
 * before rgb, wet before | light rgb, 0 | tint before rgba | tint rgba.
 *
 * @typedef {object} PlanetMesh directions and faces of one refinement, with what is worth computing
 *   once
 * @property {Float64Array} dirs unit vectors; the first 40,962 are the plain icosphere's
 * @property {Uint32Array} faces counter-clockwise from outside
 * @property {Float64Array} fields terrain noise fields, 4 numbers a vertex
 * @property {Float64Array} base height of the barren planet
 * @property {{centers: Float64Array, starts: Int32Array, order: Int32Array}} cells lookup grid, see
 *   `cellsOf`
 * @property {string} key names the refinement
 *
 * @typedef {{terrain: Float64Array, lights: Float64Array}} GroundRows terrain and light rows of a
 *   scene, flat
 *
 * Twin: godseed/sim/planet.py
 */

import { DEG, cos } from './maths.js';
import { vertexNormals } from './mesh.js';
import { constants } from './spec.js';
import { edgeKey, faceNeighbours, icosphere, normalize, split } from './sphere.js';
import { TERRAIN_WIDTH, baseHeight, basis, reliefAdd } from './terrain.js';

export const PLANET_WIDTH = 28;
export const LIGHT_WIDTH = 12;
/** Kinds in column 8 of a light row. */
export const LIGHT = 0;
export const TINT = 1;
export const WET = 2;
/** Cells per axis of the lookup grid over [-1, 1]. */
export const GRID = 16;
export const CACHED = 6;

/**
 * Vertices of the planet for one frame.
 *
 * @param {number[] | null} focus direction the camera is near, null for the plain icosphere
 * @param {GroundRows} before rows before the rising feature
 * @param {GroundRows} after the same with it
 * @returns {{vertices: Float32Array, faces: Uint32Array, key: string}} the key changes with either
 *   array
 */
export function planetView(focus, before, after) {
  const mesh = planetMesh(snap(focus));
  const relief0 = reliefOf(mesh, before.terrain);
  const relief1 = reliefOf(mesh, after.terrain);
  const glow0 = lightsOf(mesh, before.lights);
  const glow1 = lightsOf(mesh, after.lights);
  const key = [mesh.key, relief0.id, relief1.id, glow0.id, glow1.id].join(':');
  const known = views.find((view) => view.key === key);
  if (known) return known;
  const count = mesh.dirs.length / 3;
  const vertices = new Float32Array(count * PLANET_WIDTH);
  for (let v = 0, to = 0; v < count; v += 1, to += PLANET_WIDTH) {
    for (let k = 0; k < 3; k += 1) {
      vertices[to + k] = mesh.dirs[3 * v + k];
      vertices[to + 4 + k] = relief0.normals[3 * v + k];
      vertices[to + 8 + k] = relief1.normals[3 * v + k];
      vertices[to + 16 + k] = glow1.light[4 * v + k];
    }
    vertices[to + 3] = relief1.height[v];
    vertices[to + 7] = relief0.height[v];
    vertices[to + 11] = glow1.light[4 * v + 3];
    for (let k = 0; k < 4; k += 1) {
      vertices[to + 12 + k] = glow0.light[4 * v + k];
      vertices[to + 20 + k] = glow0.tint[4 * v + k];
      vertices[to + 24 + k] = glow1.tint[4 * v + k];
    }
  }
  const view = { vertices, faces: mesh.faces, key };
  views.unshift(view);
  views.length = Math.min(views.length, CACHED);
  return view;
}

/** Nearest vertex of the level 3 icosphere: refinements are shared by everything near it. */
export function snap(focus) {
  if (focus === null) return null;
  const anchors = icosphere(3).vertices;
  let best = 0;
  let nearest = -2;
  for (let i = 0; i < anchors.length; i += 3) {
    const along = anchors[i] * focus[0] + anchors[i + 1] * focus[1] + anchors[i + 2] * focus[2];
    if (along > nearest) {
      best = i / 3;
      nearest = along;
    }
  }
  return best;
}

/**
 * The planet, refined around a level 3 icosphere vertex; null for no refinement.
 *
 * @returns {PlanetMesh}
 */
export function planetMesh(focus) {
  let mesh = meshes.get(focus);
  if (!mesh) {
    const { level, fine_radius_deg: radiusDeg } = constants().planet;
    const plain = icosphere(level);
    const center = focus === null ? null : icosphere(3).vertices.slice(3 * focus, 3 * focus + 3);
    const [dirs, faces] = center ? refine(level, center, radiusDeg) : [plain.vertices, plain.faces];
    const fields = basis(dirs);
    mesh = {
      dirs,
      faces,
      fields,
      base: baseHeight(fields),
      cells: cellsOf(dirs),
      key: `l${level}f${focus}`,
    };
  }
  meshes.delete(focus);
  meshes.set(focus, mesh);
  if (meshes.size > CACHED) meshes.delete(meshes.keys().next().value);
  return mesh;
}

/**
 * Share of a lamp's light at q = (1 - cos angle) / (1 - cos radius): 1 at the lamp, 0 at the edge.
 */
export function lightFalloff(q) {
  const rest = 1 - q;
  return (rest * rest) / (1 + 6 * q);
}

/** Split the faces within a cap twice, and fan out their neighbours. */
function refine(level, center, radiusDeg) {
  const { vertices, faces } = icosphere(level);
  const neighbours = faceNeighbours(level);
  const edge = cos(radiusDeg * DEG);
  let fine = Uint8Array.from({ length: faces.length / 3 }, (_, f) => {
    const corners = [3 * faces[3 * f], 3 * faces[3 * f + 1], 3 * faces[3 * f + 2]];
    const sum = [0, 1, 2].map(
      (k) => vertices[corners[0] + k] + vertices[corners[1] + k] + vertices[corners[2] + k],
    );
    const middle = normalize(sum);
    return middle[0] * center[0] + middle[1] * center[1] + middle[2] * center[2] > edge ? 1 : 0;
  });
  const count = new Uint8Array(fine.length);
  for (let changed = true; changed;) {
    changed = false;
    const grown = fine.slice();
    for (let f = 0; f < fine.length; f += 1) {
      count[f] =
        fine[neighbours[3 * f]] + fine[neighbours[3 * f + 1]] + fine[neighbours[3 * f + 2]];
      if (!fine[f] && count[f] >= 2) {
        grown[f] = 1;
        changed = true;
      }
    }
    fine = grown;
  }
  const chosen = (wanted) => {
    const kept = [];
    for (let f = 0; f < fine.length; f += 1) {
      if (wanted(f)) kept.push(faces[3 * f], faces[3 * f + 1], faces[3 * f + 2]);
    }
    return kept;
  };
  const first = split(vertices, Uint32Array.from(chosen((f) => fine[f])));
  const second = split(first.vertices, first.faces);
  const fans = fansOf(faces, neighbours, fine, first.middles, second.middles);
  const plain = chosen((f) => !fine[f] && count[f] === 0);
  const all = new Uint32Array(plain.length + fans.length + second.faces.length);
  all.set(plain);
  all.set(fans, plain.length);
  all.set(second.faces, plain.length + fans.length);
  return [second.vertices, all];
}

/** Four triangles for every face that has one refined neighbour, over that edge's five vertices. */
function fansOf(faces, neighbours, fine, first, second) {
  const fans = [];
  for (let k = 0; k < 3; k += 1) {
    for (let f = 0; f < fine.length; f += 1) {
      if (!fine[f] && fine[neighbours[3 * f + k]]) {
        const [a, b, c] = [0, 1, 2].map((i) => faces[3 * f + ((k + i) % 3)]);
        const m = first.get(edgeKey(a, b));
        const p = second.get(edgeKey(a, m));
        const q = second.get(edgeKey(m, b));
        fans.push(a, p, c, p, m, c, m, q, c, q, b, c);
      }
    }
  }
  return fans;
}

/**
 * Results on a mesh for tables of rows, a few at a time; finds the longest beginning of a table
 * that is known.
 */
class Recent {
  constructor(size) {
    this.size = size;
    this.known = [];
  }

  /**
   * The known result, `{mesh, rows, ...}`, for the longest beginning of some rows; undefined if
   * there is none.
   */
  longest(mesh, rows) {
    let best;
    for (const entry of this.known) {
      const longer = entry.rows.length > (best?.rows.length ?? -1);
      if (longer && entry.mesh === mesh && begins(rows, entry.rows)) best = entry;
    }
    if (best) this.known = [best, ...this.known.filter((entry) => entry !== best)];
    return best;
  }

  /** Keep a result and forget the one unused for longest. */
  put(mesh, rows, value) {
    serial += 1;
    const entry = { mesh, rows: rows.slice(), id: serial, ...value };
    this.known.unshift(entry);
    this.known.length = Math.min(this.known.length, this.size);
    return entry;
  }
}

let serial = 0;
const views = [];
const meshes = new Map();
const sums = new Recent(8);
const reliefs = new Recent(8);
const glows = new Recent(8);

function begins(rows, start) {
  if (start.length > rows.length) return false;
  for (let i = 0; i < start.length; i += 1) if (rows[i] !== start[i]) return false;
  return true;
}

/** Heights and unit normals of the displaced mesh. */
function reliefOf(mesh, terrain) {
  const found = reliefs.longest(mesh, terrain);
  if (found && found.rows.length === terrain.length) return found;
  const known = sums.longest(mesh, terrain);
  const total = known ? known.total.slice() : new Float64Array(mesh.base.length);
  for (
    let row = known ? known.rows.length / TERRAIN_WIDTH : 0;
    row < terrain.length / TERRAIN_WIDTH;
    row += 1
  ) {
    reliefAdd(total, mesh.dirs, mesh.fields, terrain, row);
  }
  if (known?.rows.length !== terrain.length) sums.put(mesh, terrain, { total });
  const height = total.map((sum, v) => mesh.base[v] + sum);
  const places = mesh.dirs.map((x, i) => x * (1 + height[(i - (i % 3)) / 3]));
  return reliefs.put(mesh, terrain, { height, normals: vertexNormals(places, mesh.faces) });
}

/**
 * Light rgb and wetness, tint rgb times amount and amount, 4 numbers a vertex, summed in row order.
 */
function lightsOf(mesh, lights) {
  const known = glows.longest(mesh, lights);
  if (known && known.rows.length === lights.length) return known;
  const light = known ? known.light.slice() : new Float64Array((4 * mesh.dirs.length) / 3);
  const tint = known ? known.tint.slice() : new Float64Array((4 * mesh.dirs.length) / 3);
  for (let row = known ? known.rows.length : 0; row < lights.length; row += LIGHT_WIDTH) {
    gather(mesh, lights, row, light, tint);
  }
  return glows.put(mesh, lights, { light, tint });
}

/** Add the light row at an offset to the vertices that it reaches. */
function gather({ dirs, cells }, lights, row, light, tint) {
  const [x, y, z, radius, red, green, blue, strength, kind] = lights.subarray(row, row + 9);
  const reach = cos(radius);
  // Chord length between unit vectors is sqrt(2 - 2 cos); a cell may stick out of its centre by
  // half its diagonal.
  const chord = Math.sqrt(Math.max(2 - 2 * reach, 0)) + (1 / GRID) * 1.7320508075688772;
  const { centers, starts, order } = cells;
  for (let c = 0; c + 1 < starts.length; c += 1) {
    const dx = x - centers[3 * c];
    const dy = y - centers[3 * c + 1];
    const dz = z - centers[3 * c + 2];
    if (!(dx * dx + dy * dy + dz * dz < chord * chord)) continue;
    for (let i = starts[c]; i < starts[c + 1]; i += 1) {
      const v = order[i];
      const along = x * dirs[3 * v] + y * dirs[3 * v + 1] + z * dirs[3 * v + 2];
      if (!(along > reach)) continue;
      const q = Math.min(Math.max((1 - along) / (1 - reach), 0), 1);
      const amount = lightFalloff(q) * strength;
      if (kind === WET) {
        light[4 * v + 3] += amount;
      } else {
        const table = kind === LIGHT ? light : tint;
        table[4 * v] += amount * red;
        table[4 * v + 1] += amount * green;
        table[4 * v + 2] += amount * blue;
        if (kind === TINT) tint[4 * v + 3] += amount;
      }
    }
  }
}

/** Lookup grid: centres of the cells in use, starts into the vertex order, and that order. */
function cellsOf(dirs) {
  const count = dirs.length / 3;
  const cell = (x) => Math.min(Math.floor((x + 1) * (GRID / 2)), GRID - 1);
  const members = Array.from({ length: GRID * GRID * GRID }, () => []);
  for (let v = 0; v < count; v += 1) {
    members[(cell(dirs[3 * v]) * GRID + cell(dirs[3 * v + 1])) * GRID + cell(dirs[3 * v + 2])].push(
      v,
    );
  }
  const order = new Int32Array(count);
  const centers = [];
  const starts = [0];
  members.forEach((own, number) => {
    if (own.length === 0) return;
    order.set(own, starts.at(-1));
    starts.push(starts.at(-1) + own.length);
    const index = [
      Math.floor(number / (GRID * GRID)),
      Math.floor(number / GRID) % GRID,
      number % GRID,
    ];
    centers.push(...index.map((k) => (k + 0.5) * (2 / GRID) - 1));
  });
  return { centers: Float64Array.from(centers), starts: Int32Array.from(starts), order };
}
