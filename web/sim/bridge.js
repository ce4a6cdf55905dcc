/**
 * This side of the parity check: answers requests, one JSON object a line, on standard input and output.
 *
 *     node web/sim/bridge.js godseed/spec
 *
 * Requests: {"op": "digest", "features": [...], "slices": true} gives a geometry digest, or
 * without slices only its total and the world digest; {"op": "rows", "features": [...],
 * "buffer": name} gives that buffer's canonical rows and ground as base64 of little-endian float32. Every answer is {"ok": value} or {"error": text}.
 *
 * The other end is godseed/check/parity_geometry.py.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { PLANET, bytesOf, canonical, geometryDigest } from './digest.js';
import { Feature, worldDigest } from './feature.js';
import { Scene } from './scene.js';
import { useSha256 } from './sha256.js';
import { loadSpec } from './spec.js';

const OPERATIONS = {
  digest: ({ features, slices }) => {
    const digest = geometryDigest(Scene.build(features), slices ?? true);
    return slices === false ? { world: worldDigest(features), total: digest.total } : digest;
  },
  rows: ({ features, buffer }) => {
    const scene = Scene.build(features);
    if (buffer !== PLANET && !scene.buffers.has(buffer)) throw new Error(`bridge.rows: no buffer ${buffer}`);
    const table = canonical(scene, buffer);
    return {
      width: table.width,
      anchors: table.anchors,
      rows: base64(table.rows),
      ground: base64(table.ground),
      feature: Array.from(table.feature),
    };
  },
};

await loadSpec((name) => readFile(join(process.argv[2], name), 'utf8'));
useSha256(() => createHash('sha256'));
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(answer(line))}\n`);
}

function answer(line) {
  try {
    const request = JSON.parse(line);
    const operation = OPERATIONS[request.op];
    if (!operation) return { error: `bridge.op: ${request.op}; expected ${Object.keys(OPERATIONS).join(', ')}` };
    return { ok: operation({ ...request, features: request.features.map((row) => new Feature(row)) }) };
  } catch (error) {
    return { error: error.stack };
  }
}

function base64(numbers) {
  return globalThis.Buffer.from(bytesOf(numbers)).toString('base64');
}
