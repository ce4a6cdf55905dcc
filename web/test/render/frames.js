/** Draws frames that dump_frames.py has written; `window.frames_test` is driven by the test. */

import { Renderer } from '../../render/renderer.js';
import { loadSpec } from '../../sim/spec.js';
import { readDump } from './dump.js';

const query = new URLSearchParams(location.search);
const text = async (name) => (await fetch(`/spec/${name}`)).text();
const blob = async (name) => (await fetch(`/spec/${name}`)).blob();

await loadSpec(text);
const renderer = await Renderer.create(document.querySelector('#planet'), { text, blob });
const frames = new Map();

async function frame(i) {
  if (!frames.has(i)) frames.set(i, await readDump(`${query.get('frames')}/${i}`));
  return frames.get(i);
}

window.framesTest = {
  fingerprint: (samples) => renderer.fingerprint(samples),
  pixels: async (i, size, samples) => base64(renderer.pixels(await frame(i), size, samples)),
  ids: async (i, size) => base64(renderer.ids(await frame(i), size)),
  depth: async (i, size) => base64(renderer.depth(await frame(i), size)),
  time: async (i, size, samples, count) => {
    const drawn = await frame(i);
    renderer.pixels(drawn, size, samples);
    const start = performance.now();
    for (let k = 0; k < count; k++) renderer.pixels(drawn, size, samples);
    return (performance.now() - start) / count;
  },
};

function base64(array) {
  const bytes = new Uint8Array(array.buffer);
  const parts = [];
  for (let at = 0; at < bytes.length; at += 32768) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 32768)));
  }
  return btoa(parts.join(''));
}
