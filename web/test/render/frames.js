/** Draws frames that dump_frames.py has written; `window.frames_test` is driven by the test. */

import { Renderer } from '../../render/renderer.js';
import { loadSpec, spec } from '../../sim/spec.js';
import { readDump } from './dump.js';

/** Column of a glyph's row that holds twice the page that it is drawn from. */
const PAGE_COLUMN = 23;
const query = new URLSearchParams(location.search);
const text = async (name) => (await fetch(`/spec/${name}`)).text();
const blob = async (name) => (await fetch(`/spec/${name}`)).blob();

await loadSpec(text);
const renderer = await Renderer.create(document.querySelector('#planet'), { text, blob });
const frames = new Map();

async function frame(i) {
  if (!frames.has(i)) {
    const read = await readDump(`${query.get('frames')}/${i}`);
    await renderer.preparePages(pagesIn(read));
    frames.set(i, read);
  }
  return frames.get(i);
}

/** Pages of the glyph atlas that a frame's rows of glyphs name. */
function pagesIn({ buffers }) {
  const { width } = spec('materials.json').formats.glyph;
  const found = new Set();
  for (const [name, { rows }] of Object.entries(buffers)) {
    if (!name.startsWith('glyph_')) continue;
    for (let at = PAGE_COLUMN; at < rows.length; at += width) found.add(Math.floor(rows[at] / 2));
  }
  return [...found];
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
