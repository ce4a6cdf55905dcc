/**
 * The page. It shows the live world of the server that it came from; `?mock=1` plays a scripted one
 * instead, `&speed=4` faster, `&quality=best` without getting coarser on a slow machine. A program
 * that loads features through `window.godseed` takes the canvas for itself.
 */

import { ServerFeed } from './page/feed.js';
import {
  allowWishes,
  listen,
  showCard,
  showCounter,
  showDescending,
  showNotice,
  showQueue,
  showView,
  showWish,
} from './page/hud.js';
import { MockFeed } from './page/mock.js';
import { Planet } from './page/planet.js';
import { Ticker } from './page/ticker.js';
import { install } from './protocol.js';
import { Renderer } from './render/renderer.js';
import { Feature } from './sim/feature.js';
import { genesisFeatures } from './sim/genesis.js';
import { loadSpec } from './sim/spec.js';
import { townCenter, townName } from './sim/town.js';

const CARD_MS = 9000;
const query = new URLSearchParams(location.search);
const canvas = document.getElementById('planet');

/** Texts of the specification as they were read. */
const texts = new Map();

/** Reads files of the specification, which lies beside the page's folder. */
const source = {
  text: async (name) => {
    if (!texts.has(name)) texts.set(name, await (await read(name)).text());
    return texts.get(name);
  },
  blob: async (name) => (await read(name)).blob(),
};

const opened = open();
let live = null;
install(opened, texts, () => live?.stop());
opened.then(begin).catch((error) => showNotice(error.message, 0));

async function open() {
  await loadSpec(source.text);
  return Renderer.create(canvas, source);
}

async function read(name) {
  const address = new URL(`../spec/${name}`, document.baseURI);
  const answer = await fetch(address);
  if (!answer.ok) {
    throw new Error(`${address}: ${answer.status}; expected a file of the specification`);
  }
  return answer;
}

/** Show the world and follow its feed, unless a program drives the page. */
async function begin(renderer) {
  if (query.has('driven')) {
    document.body.classList.add('driven');
    return;
  }
  const feed = query.has('mock') ? new MockFeed(Number(query.get('speed') ?? 1)) : new ServerFeed();
  let state;
  try {
    state = await feed.state();
  } catch {
    state = { world: { epoch: 0, features: null }, queue: { length: 0 } };
    feed.canWish = false;
    showNotice('The god is elsewhere. This is the world as it began.');
  }
  const features = featuresOf(state);
  await renderer.prepare(features).catch(() => renderer.doWithout(features));
  live = new Page(renderer, feed, state);
  live.start();
}

/** Planet, feed and text together. */
class Page {
  #feed;
  #planet;
  #ticker = new Ticker();
  #own = null;
  #granted = null;
  #cardTimer = 0;

  constructor(renderer, feed, state) {
    this.#feed = feed;
    this.#planet = new Planet(renderer, featuresOf(state), query.get('quality') !== 'best');
    showCounter(state.world.epoch);
    showQueue(state.queue.length);
    allowWishes(feed.canWish !== false, feed.canWish === false ? 'no wish is heard here' : undefined);
    this.#showView();
  }

  start() {
    listen({
      wish: (text) => this.#wish(text),
      view: () => this.#turnView(),
      descend: () => this.#descend(),
      cancel: () => this.#cancel(),
    });
    this.#planet.start();
    this.#feed.start((event) => this.#on(event));
  }

  stop() {
    this.#feed.stop();
    this.#planet.stop();
    document.body.classList.add('driven');
  }

  async #on(event) {
    const handlers = {
      hello: () => this.#catchUp(event),
      queue: () => this.#queue(event),
      wish_started: () => {
        this.#putCardAway();
        this.#ticker.clear();
        showWish(event.text);
      },
      thought_token: () => this.#ticker.say(event),
      tool_call: () => {
        this.#ticker.act(event);
        this.#planet.gaze(event);
      },
      world_delta: async () => {
        await this.#planet.land(new Feature(event.feature));
        this.#showView();
      },
      wish_granted: () => this.#grant(event),
      wish_rejected: () => {
        showWish('');
        showNotice(event.reason);
      },
    };
    await handlers[event.type]?.();
  }

  /** Load the world anew if events were missed. */
  async #catchUp({ world_version: version }) {
    if (version === undefined || version === this.#planet.features.length) return;
    const state = await this.#feed.state();
    await this.#planet.show(featuresOf(state));
    showCounter(state.world.epoch);
    this.#showView();
  }

  #queue({ length, current }) {
    if (current?.wish_id === this.#own?.wish_id) this.#own = null;
    if (this.#own && this.#own.position > 1) this.#own.position--;
    showQueue(length, this.#own?.position ?? 0);
  }

  #grant({ wish_id: wishId, epitaph, epoch }) {
    this.#granted = wishId;
    showCounter(epoch);
    showWish('');
    showCard(epitaph);
    clearTimeout(this.#cardTimer);
    this.#cardTimer = setTimeout(() => this.#putCardAway(), CARD_MS);
  }

  async #wish(text) {
    try {
      this.#own = await this.#feed.wish(text);
      showQueue(this.#own.position, this.#own.position);
    } catch (error) {
      showNotice(error.message);
    }
  }

  #turnView() {
    const { camera, nowMs } = this.#planet;
    camera.rest(camera.view === 'town' ? 'world' : 'town', nowMs);
    this.#showView();
  }

  #descend() {
    showCard(null);
    clearTimeout(this.#cardTimer);
    this.#planet.descend(this.#granted);
    showDescending(true);
    const wait = () => {
      if (this.#planet.camera.descending) requestAnimationFrame(wait);
      else showDescending(false);
    };
    requestAnimationFrame(wait);
  }

  #cancel() {
    if (!this.#planet.camera.descending) this.#putCardAway();
    this.#planet.camera.release(this.#planet.nowMs);
  }

  #putCardAway() {
    clearTimeout(this.#cardTimer);
    showCard(null);
    if (!this.#planet.camera.descending) this.#planet.camera.release(this.#planet.nowMs);
  }

  #showView() {
    showView(this.#planet.camera.view, townName(townCenter(this.#planet.features)));
  }
}

function featuresOf(state) {
  return state.world.features?.map((row) => new Feature(row)) ?? genesisFeatures();
}
