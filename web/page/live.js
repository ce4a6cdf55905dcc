/** The live page: planet, feed and text together. */

import { Feature } from '../sim/feature.js';
import { genesisFeatures } from '../sim/genesis.js';
import { featureIndex } from '../sim/timeline.js';
import { townCenter, townName } from '../sim/town.js';
import {
  allowWishes,
  announce,
  giveBack,
  listen,
  showCard,
  showConnection,
  showCounter,
  showDescending,
  showNotice,
  showQueue,
  showView,
  showWish,
} from './hud.js';
import { Ticker } from './ticker.js';

const CARD_MS = 9000;
/** So many missed features rise before the visitor's eyes; more of them are simply there. */
const MISSED = 8;

/** Features of an answer of `api/state`; genesis where it has none. */
export function featuresOf(state) {
  return state.world.features?.map((row) => new Feature(row)) ?? genesisFeatures();
}

/** Follows a feed and does what the visitor asks. */
export class LivePage {
  #feed;
  #planet;
  #ticker = new Ticker();
  #own = null;
  #current = null;
  #granted = null;
  #cardTimer = 0;
  /** Features that are here, or on their way into the ground. */
  #count;
  #epoch;

  /**
   * @param {Planet} planet shows the world of `state`
   * @param {ServerFeed | MockFeed | LogFeed} feed
   * @param {object} state what the feed's `state` gave
   */
  constructor(planet, feed, state) {
    this.#feed = feed;
    this.#planet = planet;
    this.#count = planet.features.length;
    this.#showState(state);
    const closed = feed.canWish ? undefined : 'no wish is heard here';
    allowWishes(feed.canWish, closed);
    this.#showView();
  }

  /** Draw, listen, and answer the visitor. */
  start() {
    listen({
      wish: (text) => this.#wish(text),
      view: () => this.#turnView(),
      descend: () => this.#descend(),
      cancel: () => this.#cancel(),
    });
    this.#planet.start();
    this.#feed.start(
      (event) => this.#on(event),
      (connected) => showConnection(connected),
    );
  }

  /** Leave the canvas to somebody else. */
  stop() {
    this.#feed.stop();
    this.#planet.stop();
    document.body.classList.add('driven');
  }

  /** What is shown: the world, the view, and what the camera does. */
  report() {
    const { features, camera } = this.#planet;
    const { kind, subject } = camera.goal;
    const rows = features.map(({ id, wishId, tool, args, seed, t }) => ({
      ...{ id, wish_id: wishId, tool, args, seed, t },
    }));
    return { features: rows, view: camera.view, camera: kind, towards: subject?.dir ?? null };
  }

  async #on(event) {
    const handlers = {
      hello: () => this.#hello(event),
      queue: () => this.#queue(event),
      wish_started: () => {
        this.#putCardAway();
        this.#ticker.clear();
        showWish(event.text);
        announce(`The god hears a wish: ${event.text}`);
      },
      thought_token: () => this.#ticker.say(event),
      tool_call: () => {
        this.#ticker.act(event);
        this.#planet.gaze(event);
      },
      world_delta: () => this.#grow(event.feature),
      wish_granted: () => this.#grant(event),
      wish_rejected: () => this.#reject(event),
    };
    await handlers[event.type]?.();
  }

  /** The stream begins, or begins again: if the world went on meanwhile, catch up with it. */
  async #hello({ world_version: version }) {
    if (version === undefined || version === this.#count) return;
    await this.#catchUp();
  }

  /** One feature more; twice the same changes nothing, and a gap is filled. */
  async #grow(row) {
    const index = featureIndex(row);
    if (index < this.#count) return;
    if (index > this.#count) {
      await this.#catchUp();
      return;
    }
    this.#count++;
    await this.#planet.land(new Feature(row));
    this.#showView();
  }

  /** Take what the server has and this page has not. */
  async #catchUp() {
    let state;
    try {
      state = await this.#feed.state();
    } catch {
      return; // the stream will say hello again
    }
    const features = featuresOf(state);
    const missing = features.slice(this.#count);
    const held = this.#planet.features;
    const same = features.length >= held.length && held.every((f, i) => f.seed === features[i].seed);
    this.#count = features.length;
    this.#showState(state);
    if (same && missing.length <= MISSED) {
      await Promise.all(missing.map((feature) => this.#planet.land(feature)));
    } else {
      await this.#planet.show(features);
    }
    this.#showView();
  }

  #showState({ world, queue }) {
    this.#epoch = world.epoch;
    showCounter(world.epoch);
    this.#current = queue?.current?.wish_id ?? null;
    showWish(queue?.current?.text_preview ?? '');
    showQueue(queue?.length ?? 0, this.#own?.position ?? 0);
  }

  #queue({ length, current }) {
    const next = current?.wish_id ?? null;
    if (next !== null && next !== this.#current && this.#own?.position > 1) this.#own.position--;
    this.#current = next;
    const mine = next !== null && next === this.#own?.wish_id;
    showQueue(length, mine ? 0 : (this.#own?.position ?? 0), mine);
  }

  #grant({ wish_id: wishId, epitaph, epoch }) {
    if (wishId === this.#own?.wish_id) this.#own = null;
    this.#granted = wishId;
    this.#epoch = epoch ?? this.#epoch + 1;
    showCounter(this.#epoch);
    showWish('');
    showCard(epitaph, wishId);
    clearTimeout(this.#cardTimer);
    this.#cardTimer = setTimeout(() => this.#putCardAway(), CARD_MS);
  }

  #reject({ wish_id: wishId, reason }) {
    if (wishId === this.#own?.wish_id) this.#own = null;
    showWish('');
    showNotice(reason);
  }

  async #wish(text) {
    try {
      this.#own = { ...(await this.#feed.wish(text)) };
      const mine = this.#own.wish_id === this.#current;
      showQueue(this.#own.position, mine ? 0 : this.#own.position, mine);
    } catch (error) {
      giveBack(text);
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
    // Somebody who has walked onto the card with the keyboard keeps it.
    if (document.activeElement?.closest('#card')) return;
    clearTimeout(this.#cardTimer);
    showCard(null);
    if (!this.#planet.camera.descending) this.#planet.camera.release(this.#planet.nowMs);
  }

  #showView() {
    showView(this.#planet.camera.view, townName(townCenter(this.#planet.features)));
  }
}
