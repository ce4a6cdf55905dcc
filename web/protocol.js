/**
 * `window.godseed`, protocol 1: how a program drives this page, or any other client that answers it,
 * and compares what it draws. Described in docs/reference/protocol.md.
 */

import { geometryDigest } from './sim/digest.js';
import { Feature } from './sim/feature.js';
import { Stage } from './sim/frame.js';

/**
 * Put `window.godseed` in place.
 *
 * @param {Promise<Renderer>} opened resolves once the page can draw
 * @param {Map<string, string>} texts of the specification, as they were read
 * @param {object} page
 * @param {() => void} page.takeOver stops whatever else draws on the canvas
 * @param {() => object | null} page.shown what the page shows by itself
 */
export function install(opened, texts, { takeOver, shown }) {
  const driver = new Driver(opened, takeOver);
  window.godseed = {
    protocol: 1,
    ready: opened.then(() => true),
    load: (features, landing) => driver.load(features, landing),
    seek: (ms, shot, size, samples) => driver.seek(ms, shot, size, samples),
    geometry: () => driver.geometry(),
    pixels: () => driver.pixels(),
    ids: () => driver.ids(),
    depth: () => driver.depth(),
    fingerprint: () => driver.fingerprint(),
    spec: async () => Object.fromEntries(texts),
    shown: async () => shown(),
  };
}

class Driver {
  #opened;
  #takeOver;
  #stage = null;
  #view = null;

  constructor(opened, takeOver) {
    this.#opened = opened;
    this.#takeOver = takeOver;
  }

  async load(features, { landed_ms: landedMs = {}, rise_ms: riseMs = 2000 } = {}) {
    const renderer = await this.#opened;
    this.#takeOver();
    const rows = features.map((row) => new Feature(row));
    await renderer.prepare(rows);
    const landings = new Map(Object.entries(landedMs).map(([index, ms]) => [Number(index), ms]));
    const timeline = { events: [], landedMs: landings, totalMs: 0, riseMs };
    this.#stage = landings.size > 0 ? new Stage(rows, timeline) : new Stage(rows);
    this.#view = null;
    return features.length;
  }

  async seek(ms, shot, size, samples) {
    const renderer = await this.#opened;
    if (this.#stage === null) {
      throw new Error('godseed.seek: no world; expected load(features) before; call it first');
    }
    const frame = this.#stage.frame(ms, shot, size[0] / size[1]);
    renderer.draw(frame, size, samples);
    this.#view = { frame, size, samples };
  }

  async geometry() {
    await this.#opened;
    if (this.#stage === null) {
      throw new Error('godseed.geometry: no world; expected load(features) before; call it first');
    }
    return geometryDigest(this.#stage.scene(this.#stage.features.length));
  }

  async pixels() {
    const { frame, size, samples } = this.#seen('pixels');
    return base64((await this.#opened).pixels(frame, size, samples));
  }

  async ids() {
    const { frame, size } = this.#seen('ids');
    return base64((await this.#opened).ids(frame, size));
  }

  async depth() {
    const { frame, size } = this.#seen('depth');
    return base64((await this.#opened).depth(frame, size));
  }

  async fingerprint() {
    return (await this.#opened).fingerprint(this.#view?.samples ?? 0);
  }

  #seen(what) {
    if (this.#view === null) {
      throw new Error(`godseed.${what}: no frame; expected seek(ms, shot, size, samples) before`);
    }
    return this.#view;
  }
}

/** Bytes of a typed array, little-endian as on every machine that browsers run on. */
function base64(array) {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  const parts = [];
  for (let at = 0; at < bytes.length; at += 32768) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 32768)));
  }
  return btoa(parts.join(''));
}
