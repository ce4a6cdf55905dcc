/** A world that lies beside the page as a log, `wishes.jsonl`: it can be looked at, not added to. */

import { GENESIS_WISH } from '../sim/feature.js';
import { genesisFeatures } from '../sim/genesis.js';
import { logTraces } from './archive.js';

/** The world of a log. */
export class LogFeed {
  canWish = false;
  #traces;

  constructor(traces) {
    this.#traces = traces;
  }

  /**
   * The log beside the page, null if there is none.
   *
   * @param {string} address of a log, relative to the page
   * @returns {Promise<LogFeed | null>}
   */
  static async find(address) {
    const found = await logTraces(address).catch(() => null);
    return found ? new LogFeed(found.traces) : null;
  }

  /** Genesis and all that the log granted. */
  async state() {
    const rows = this.#traces.flatMap((trace) => trace.features);
    const genesis = genesisFeatures().map((feature) => ({ ...feature, wish_id: GENESIS_WISH }));
    const features = [...genesis, ...rows];
    return {
      world: { version: features.length, epoch: this.#traces.length, features },
      queue: { length: 0, current: null },
    };
  }

  /** Nothing happens to it. */
  start() {}

  /** Nothing to stop. */
  stop() {}
}
