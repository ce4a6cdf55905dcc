/**
 * This side of the parity check: answers requests, one JSON object a line, on standard input and
 * output.
 *
 *     node web/sim/bridge.js godseed/spec
 *
 * Requests and what they give (every answer is {"ok": value} or {"error": text}):
 *
 *     digest  features            world digest and the total of the geometry digest
 *     slices  features            the whole geometry digest
 *     rows    features, buffer    canonical rows and ground of a buffer, base64 of little-endian
 *                                 float32, and their owners
 *     frame   features, landed_ms, rise_ms, time_ms, shot, aspect
 *                                 digest of every part of a frame by name, and the uniforms
 *     tables                      digest of every kit mesh and sky table by name
 *     maths   name, columns       a function of maths.js over columns of numbers, base64 of
 *                                 little-endian float64 throughout
 *
 * The other end is godseed/check/twin.py.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { PLANET, bytesOf, canonical, geometryDigest } from './digest.js';
import { Feature, worldDigest } from './feature.js';
import { Stage } from './frame.js';
import { loadPages } from './glyph_pages.js';
import { kitMesh, kitNames } from './kits.js';
import * as maths from './maths.js';
import { Scene } from './scene.js';
import { hex, sha256, useSha256 } from './sha256.js';
import { skyBuffers } from './sky_objects.js';
import { loadSpec } from './spec.js';
import { pages } from './tools/inscribe_wish.js';

const OPERATIONS = {
  digest: ({ features }) => ({
    world: worldDigest(features),
    total: geometryDigest(Scene.build(features), false).total,
  }),
  slices: ({ features }) => geometryDigest(Scene.build(features)),
  rows: ({ features, buffer }) => {
    const scene = Scene.build(features);
    if (buffer !== PLANET && !scene.buffers.has(buffer))
      throw new Error(`bridge.rows: no buffer ${buffer}`);
    const { width, anchors, rows, ground, feature } = canonical(scene, buffer);
    return {
      width,
      anchors,
      rows: base64(rows),
      ground: base64(ground),
      feature: Array.from(feature),
    };
  },
  frame: ({ features, landed_ms: landed, rise_ms: riseMs, time_ms: timeMs, shot, aspect }) => {
    const landedMs = new Map(landed);
    const stage = new Stage(
      features,
      landedMs.size > 0 ? { events: [], landedMs, totalMs: 0, riseMs } : null,
    );
    const { uniforms, ages, buffers, planet } = stage.frame(timeMs, shot, aspect);
    const parts = {
      ages: digestOf(ages),
      'planet vertices': digestOf(planet.vertices),
      'planet faces': digestOf(planet.faces),
    };
    for (const [name, view] of Object.entries(buffers)) {
      parts[`${name} rows`] = digestOf(view.rows);
      if (view.ground) parts[`${name} ground`] = digestOf(view.ground);
      if (view.groundBefore) parts[`${name} ground before`] = digestOf(view.groundBefore);
    }
    return { parts, uniforms };
  },
  tables: () => {
    const parts = {};
    for (const name of kitNames()) {
      for (const glow of [false, true]) {
        const { rows, faces } = kitMesh(name, glow);
        const key = `${name}${glow ? ' glow' : ''}`;
        parts[`${key} vertices`] = digestOf(Float64Array.from(rows.flat()));
        parts[`${key} faces`] = digestOf(faces);
      }
    }
    for (const [name, rows] of Object.entries(skyBuffers())) parts[name] = digestOf(rows);
    return parts;
  },
  maths: ({ name, columns }) => {
    const numbers = columns.map(
      (text) => new Float64Array(Uint8Array.from(globalThis.Buffer.from(text, 'base64')).buffer),
    );
    return base64(numbers[0].map((_, i) => maths[name](...numbers.map((column) => column[i]))));
  },
};

const read = (name) => readFile(join(process.argv[2], name), 'utf8');
await loadSpec(read);
useSha256(() => createHash('sha256'));
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
}

async function answer(line) {
  try {
    const request = JSON.parse(line);
    const operation = OPERATIONS[request.op];
    if (!operation)
      return { error: `bridge.op: ${request.op}; expected ${Object.keys(OPERATIONS).join(', ')}` };
    const features = request.features?.map((row) => new Feature(row));
    if (features) await loadPages(pages(features), read);
    return { ok: operation({ ...request, features }) };
  } catch (error) {
    return { error: error.stack };
  }
}

/** SHA-256 of an array's bytes, minus zero as zero. */
function digestOf(numbers) {
  const clean = numbers instanceof Uint32Array ? numbers : numbers.map((x) => x + 0);
  return hex(sha256().update(bytesOf(clean)).digest());
}

function base64(numbers) {
  return globalThis.Buffer.from(bytesOf(numbers)).toString('base64');
}
