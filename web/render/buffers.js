/**
 * GPU copies of arrays, as three.js geometries that feed them to programs.
 *
 * Everything drawn from one buffer of the frame (a kit's walls, its glow, the dark under it) shares
 * the copy of its instances. Copies grow by doubling; rows that are the same memory as last time are
 * not uploaded again, so arrays handed to the renderer must not be written afterwards.
 *
 * Twin: godseed/render/buffers.py
 */

import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBuffer,
  InterleavedBufferAttribute,
} from 'three';

/** The square [-1, 1]² as two counter-clockwise triangles, and a triangle that covers it. */
const SHAPES = {
  quad: { corners: [-1, -1, 1, -1, -1, 1, 1, 1], order: [0, 1, 2, 2, 1, 3] },
  triangle: { corners: [-1, -1, 3, -1, -1, 3], order: [0, 1, 2] },
};

/** All GPU copies of one context. */
export class Buffers {
  #slots = new Map();
  #meshes = new Map();

  /**
   * A mesh alone.
   *
   * @param {string} slot names what is drawn
   * @param {unknown} key changes with the arrays
   * @param {() => Mesh} make `{vertices: Float32Array, attributes: [[name, width]], faces: Uint32Array}`
   * @returns {BufferGeometry}
   */
  mesh(slot, key, make) {
    const held = this.#meshes.get(slot);
    if (held?.key === key) return held.geometry;
    const mesh = make();
    if (held && held.faces === mesh.faces && held.vertices.array.length === mesh.vertices.length) {
      held.vertices.array = mesh.vertices;
      held.vertices.needsUpdate = true;
      held.key = key;
      return held.geometry;
    }
    held?.geometry.dispose();
    const geometry = new BufferGeometry();
    const vertices = addMesh(geometry, mesh);
    this.#meshes.set(slot, { key, faces: mesh.faces, vertices, geometry });
    return geometry;
  }

  /**
   * Instances of a mesh.
   *
   * @param {string} slot names the buffer of the frame
   * @param {string} shape names the mesh among those drawn from this buffer
   * @param {() => Mesh} make gives the mesh at first use
   * @param {Stream[]} streams `{rows: Float32Array, attributes: [[name, width]]}`, columns that
   *   advance once per instance
   * @param {number} count instances
   * @returns {InstancedBufferGeometry}
   */
  instances(slot, shape, make, streams, count) {
    const held = this.#slot(slot, streams, count);
    let geometry = held.geometries.get(shape);
    if (geometry === undefined) {
      geometry = new InstancedBufferGeometry();
      addMesh(geometry, make());
      streams.forEach(({ attributes }, i) => addColumns(geometry, held.buffers[i], attributes));
      held.geometries.set(shape, geometry);
    }
    geometry.instanceCount = count;
    return geometry;
  }

  /** Give all copies back. */
  dispose() {
    for (const { geometry } of this.#meshes.values()) geometry.dispose();
    for (const held of this.#slots.values()) release(held);
    this.#meshes.clear();
    this.#slots.clear();
  }

  /** The instance copies of a buffer, holding these rows. */
  #slot(slot, streams, count) {
    let held = this.#slots.get(slot);
    if (held === undefined || held.capacity < count || held.buffers.length !== streams.length) {
      const capacity = Math.max(count, held ? held.capacity * 2 : 0);
      if (held) release(held);
      const buffers = streams.map(({ attributes }) => {
        const width = widthOf(attributes);
        const buffer = new InstancedInterleavedBuffer(new Float32Array(capacity * width), width, 1);
        return buffer.setUsage(DynamicDrawUsage);
      });
      held = { capacity, buffers, sources: streams.map(() => null), geometries: new Map() };
      this.#slots.set(slot, held);
    }
    streams.forEach(({ rows }, i) => {
      if (sameMemory(held.sources[i], rows)) return;
      held.sources[i] = rows;
      held.buffers[i].array.set(rows);
      held.buffers[i].clearUpdateRanges();
      held.buffers[i].addUpdateRange(0, rows.length);
      held.buffers[i].needsUpdate = true;
    });
    return held;
  }
}

/** A built-in shape with the attribute `a_corner`. */
export function cornerMesh(name) {
  const { corners, order } = SHAPES[name];
  return {
    vertices: new Float32Array(corners),
    attributes: [['a_corner', 2]],
    faces: new Uint32Array(order),
  };
}

function addMesh(geometry, { vertices, attributes, faces }) {
  const buffer = new InterleavedBuffer(vertices, widthOf(attributes));
  addColumns(geometry, buffer, attributes);
  geometry.setIndex(new BufferAttribute(faces, 1));
  return buffer;
}

function addColumns(geometry, buffer, attributes) {
  let offset = 0;
  for (const [name, width] of attributes) {
    geometry.setAttribute(name, new InterleavedBufferAttribute(buffer, width, offset));
    offset += width;
  }
}

function widthOf(attributes) {
  return attributes.reduce((sum, [, width]) => sum + width, 0);
}

function sameMemory(a, b) {
  return a !== null && a.buffer === b.buffer && a.byteOffset === b.byteOffset && a.length === b.length;
}

function release(held) {
  for (const geometry of held.geometries.values()) geometry.dispose();
}
