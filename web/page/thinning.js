/**
 * Fewer plants and less weather for phones. The scene stays what it is, digests included; only some
 * rows of a frame are not handed to the renderer.
 */

import { kit, kitNames } from '../sim/kits.js';
import { spec } from '../sim/spec.js';

const made = new WeakMap();

/**
 * A frame with a share of its plants and particles, evenly chosen.
 *
 * @param {Frame} frame
 * @param {number} share 0..1; 1 gives the frame itself
 * @returns {Frame}
 */
export function thinned(frame, share) {
  if (share >= 1) return frame;
  const { formats } = spec('materials.json');
  const plants = kitNames().filter((stem) => kit(stem).family === 'flora');
  const buffers = { ...frame.buffers };
  const thin = (name, { width, ground }) => {
    const view = buffers[name];
    if (!view) return;
    buffers[name] = {
      rows: some(view.rows, width, share),
      groundBefore: some(view.groundBefore, ground, share),
      ground: some(view.ground, ground, share),
    };
  };
  for (const stem of plants) thin(`kit:${stem}`, formats.kit_instance);
  thin('particle', formats.particle);
  return { ...frame, buffers };
}

/** Rows evenly chosen, at least one; the same memory while the array is the same. */
function some(array, width, share) {
  if (!array) return array;
  const held = made.get(array);
  if (held && held.share === share && held.length === array.length) return held.rows;
  const count = array.length / width;
  const kept = Math.max(1, Math.floor(count * share));
  const rows = new Float32Array(kept * width);
  for (let i = 0; i < kept; i++) {
    const from = Math.floor((i * count) / kept) * width;
    rows.set(array.subarray(from, from + width), i * width);
  }
  made.set(array, { share, length: array.length, rows });
  return rows;
}
