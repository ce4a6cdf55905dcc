/**
 * What a material draws of a frame: meshes, instances and the uniforms of each kit.
 *
 * Twin: godseed/render/draws.py
 */

import { kit, kitMesh, kitNames } from '../sim/kits.js';
import { spec } from '../sim/spec.js';
import { cornerMesh } from './buffers.js';

/** All kits, and those that stand where they are. */
export const KITS = 'kit:*';
export const STANDING = 'kit:standing';
/** Families of the other kits. */
const MOVING = ['life', 'needle'];

/**
 * The draw calls of a material, kits in `kitNames` order; none where it has nothing to draw.
 *
 * @param {Buffers} store
 * @param {Frame} frame
 * @param {object} material one of `materials()`
 * @returns {Generator<{geometry: BufferGeometry, key: string, uniforms: Object<string, number>}>}
 *   `key` names the call within the material
 */
export function* draws(store, frame, material) {
  if (material.mesh === 'planet') {
    yield { geometry: planetGeometry(store, frame), key: 'planet', uniforms: {} };
    return;
  }
  if (material.buffers.length === 0) {
    const geometry = store.mesh('triangle', 0, () => cornerMesh('triangle'));
    yield { geometry, key: 'triangle', uniforms: {} };
  }
  for (const name of bufferNames(frame, material)) {
    const view = frame.buffers[name];
    const count = view ? view.rows.length / formatOf(name).width : 0;
    if (count === 0) continue;
    let shape = 'quad';
    let make = () => cornerMesh('quad');
    let uniforms = {};
    if (name.startsWith('kit:')) {
      const stem = name.slice('kit:'.length);
      if (material.mesh === 'kit' || material.mesh === 'kit_glow') {
        const mesh = kitArrays(stem, material.mesh === 'kit_glow');
        if (mesh === null) continue;
        shape = material.mesh;
        make = () => mesh;
      } else {
        uniforms = { u_footprint: kit(stem).footprint };
        if (!(uniforms.u_footprint > 0)) continue;
      }
    }
    const geometry = store.instances(name, shape, make, streamsOf(name, view), count);
    yield { geometry, key: name, uniforms };
  }
}

/**
 * Names of the frame's buffers that a material draws. From afar, what stands on the ground throws no
 * shadow: it would be scratches.
 */
export function bufferNames(frame, material) {
  return material.buffers.flatMap((name) => {
    if (name === KITS) return kitNames().map((stem) => `kit:${stem}`);
    if (name !== STANDING) return [name];
    const standing = kitNames().filter((stem) => !MOVING.includes(kit(stem).family));
    return frame.near ? standing.map((stem) => `kit:${stem}`) : [];
  });
}

function planetGeometry(store, frame) {
  const { planet } = frame;
  return store.mesh('planet', planet.key, () => ({
    vertices: planet.vertices,
    attributes: spec('materials.json').formats.planet_vertex.attributes,
    faces: planet.faces,
  }));
}

const kitsMade = new Map();

/** Mesh of a kit in float32, null where it has none. */
function kitArrays(stem, glow) {
  const key = `${stem} ${glow}`;
  if (!kitsMade.has(key)) {
    const { rows, faces } = kitMesh(stem, glow);
    const { attributes } = spec('materials.json').formats.kit_vertex;
    const mesh = { vertices: Float32Array.from(rows.flat()), attributes, faces };
    kitsMade.set(key, faces.length === 0 ? null : mesh);
  }
  return kitsMade.get(key);
}

function streamsOf(name, view) {
  const form = formatOf(name);
  const streams = [{ rows: view.rows, attributes: form.attributes }];
  for (const [attribute, ground] of [
    ['a_ground_before', view.groundBefore],
    ['a_ground', view.ground],
  ]) {
    if (ground) streams.push({ rows: ground, attributes: [[attribute, form.ground]] });
  }
  return streams;
}

/** Columns of a frame's buffer. */
function formatOf(name) {
  const { formats } = spec('materials.json');
  if (name.startsWith('kit:')) return formats.kit_instance;
  if (name === 'road' || name === 'water') return formats.patch;
  if (name.startsWith('glyph_')) return formats.glyph;
  return formats[name];
}
