/** A world without a server: ten wishes granted, and a scripted feed of three more. */

import feed from '../mock/feed.json';
import state from '../mock/state.json';

/** Plays the script once; `?speed=4` plays it four times as fast. */
export class MockFeed {
  canWish = false;
  #timers = [];

  constructor(speed = 1) {
    this.speed = speed;
  }

  /** The world that the script begins with. */
  async state() {
    return structuredClone(state);
  }

  /** Hand each event to `onEvent` when it is due. */
  start(onEvent) {
    this.#timers = feed.events.map(([ms, event]) =>
      setTimeout(() => onEvent(structuredClone(event)), ms / this.speed),
    );
  }

  /** Play no more. */
  stop() {
    this.#timers.forEach(clearTimeout);
  }
}
