/**
 * Rung 1 of the ladder: digests of geometry, one per buffer and one per feature's slice of it.
 *
 * Bytes of a buffer, little-endian: the prefix below, its name (UTF-8 behind its length as uint32),
 * then rows and ground, each as two uint32 for its shape and float32 values in row order; a buffer
 * without anchors has a ground of width 0. Minus zero counts as zero.
 *
 * Twin: godseed/sim/digest.py
 */

import { featureId, textBytes, uint32Bytes } from './feature.js';
import { PLANET_WIDTH, planetView } from './planet.js';
import { hex, sha256 } from './sha256.js';

/** Name under which the planet's unrefined vertices take part; they belong to no feature. */
export const PLANET = 'planet';
export const BUFFER_PREFIX = 'godseed buffer 1\n';
export const GEOMETRY_PREFIX = 'godseed geometry 1\n';

/**
 * Digest everything that a scene draws.
 *
 * @param {import('./scene.js').Scene} scene
 * @param {boolean} slices also digest every feature's slice of every buffer
 * @returns {{total: string, buffers: Record<string, string>, features: Record<string,
 *   Record<string, string>>}}
 */
export function geometryDigest(scene, slices = true) {
  const names = [...scene.buffers.keys(), PLANET].sort();
  const buffers = {};
  const features = {};
  if (slices) scene.features.forEach((_, i) => (features[featureId(i)] = {}));
  const total = sha256();
  total.update(encode(GEOMETRY_PREFIX));
  for (const name of names) {
    const table = canonical(scene, name);
    const digest = tableDigest(name, table, 0, table.count);
    buffers[name] = hex(digest);
    total.update(textBytes(name));
    total.update(digest);
    for (const [owner, start, end] of slices ? runs(table.feature) : []) {
      features[featureId(owner)][name] = hex(tableDigest(name, table, start, end));
    }
  }
  return { total: hex(total.digest()), buffers, features };
}

/**
 * Rows and ground of a buffer as they are digested: finite and without minus zero.
 *
 * @returns {{count: number, width: number, rows: Float32Array, anchors: number, ground:
 *   Float32Array, feature: Int32Array}}
 */
export function canonical(scene, name) {
  if (name === PLANET) {
    const ground = scene.groundRows();
    const rows = positiveZero(planetView(null, ground, ground).vertices.slice());
    const none = new Float32Array(0);
    return {
      count: rows.length / PLANET_WIDTH,
      width: PLANET_WIDTH,
      rows,
      anchors: 0,
      ground: none,
      feature: [],
    };
  }
  const buffer = scene.buffers.get(name);
  const rows = positiveZero(buffer.rows.view.slice());
  const ground = buffer.anchors.length > 0 ? positiveZero(buffer.ground()) : new Float32Array(0);
  const feature = buffer.feature.view;
  const table = {
    count: feature.length,
    width: buffer.width,
    rows,
    anchors: buffer.anchors.length,
    ground,
    feature,
  };
  checkFinite(name, table);
  return table;
}

/** Minus zero as zero, in place. */
function positiveZero(numbers) {
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  for (let i = 0; i < bits.length; i += 1) if (bits[i] === 0x80000000) bits[i] = 0;
  return numbers;
}

function checkFinite(name, { rows, width, ground, anchors, feature }) {
  let bad = rows.findIndex((x) => !Number.isFinite(x));
  if (bad >= 0) bad = Math.floor(bad / width);
  else if (anchors > 0) bad = Math.floor(ground.findIndex((x) => !Number.isFinite(x)) / anchors);
  if (bad < 0) return;
  throw new RangeError(
    `digest: row ${bad} of ${name} (${featureId(feature[bad])}) is not finite; expected numbers; ` +
      'correct the tool that makes it',
  );
}

/** Owner, first row and end of each feature's run of rows; rows are in feature order. */
function runs(feature) {
  const found = [];
  for (let i = 0; i < feature.length; i += 1) {
    if (i === 0 || feature[i] !== feature[i - 1]) found.push([feature[i], i, i + 1]);
    else found.at(-1)[2] = i + 1;
  }
  return found;
}

function tableDigest(name, { width, rows, anchors, ground }, start, end) {
  const digest = sha256();
  digest.update(encode(BUFFER_PREFIX));
  digest.update(textBytes(name));
  digest.update(uint32Bytes(end - start, width));
  digest.update(bytesOf(rows.subarray(start * width, end * width)));
  digest.update(uint32Bytes(end - start, anchors));
  digest.update(bytesOf(ground.subarray(start * anchors, end * anchors)));
  return digest.digest();
}

/** The bytes of an array of numbers; every machine that runs this page is little-endian. */
export function bytesOf(numbers) {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function encode(text) {
  return new TextEncoder().encode(text);
}
