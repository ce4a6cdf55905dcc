/** The living planet on the page: features land one after the other while the camera moves. */

import { subjectOf } from '../sim/camera.js';
import { Stage } from '../sim/frame.js';
import { ALWAYS } from '../sim/timeline.js';
import { LiveCamera } from './camera.js';
import { watchContext } from './canvas_loss.js';
import { pixelSize } from './comfort.js';
import { prepareLetters } from './source.js';
import { thinned } from './thinning.js';

/** Pictures get coarser in these steps where a machine is slow. */
const QUALITY = [
  { scale: 1, samples: 4 },
  { scale: 0.8, samples: 4 },
  { scale: 0.66, samples: 2 },
  { scale: 0.5, samples: 0 },
];
const SLOW_MS = 45;
const FAST_MS = 14;
const WATCHED = 24;

/** Draws the world as it is now, again and again. */
export class Planet {
  camera;
  #renderer;
  #stage;
  #quality = 0;
  #adapts;
  #stillMs;
  #share;
  #gaps = [];
  #lastMs = null;
  #startMs = performance.now();
  #landing = Promise.resolve();
  #waiting = 0;
  #frame = 0;
  #lost = false;
  #drawn = '';

  /**
   * @param {Renderer} renderer
   * @param {Feature[]} features the world so far, all of it settled
   * @param {object} options
   * @param {boolean} options.adapts whether pictures may get coarser
   * @param {number | null} options.stillMs the time that it stands at; nothing moves then, and what
   *   lands is there at once
   * @param {number} options.share of plants and weather that is drawn, 0..1
   * @param {(lost: boolean) => void} options.onContext told when the canvas loses its context, and
   *   when it has it back
   */
  constructor(renderer, features, { adapts, stillMs, share, onContext }) {
    this.#renderer = renderer;
    this.#adapts = adapts;
    this.#stillMs = stillMs;
    this.#share = share;
    this.camera = new LiveCamera(stillMs !== null);
    this.replace(features);
    const turned = (lost) => {
      this.#lost = lost;
      this.#drawn = '';
      onContext(lost);
    };
    watchContext(renderer.canvas, { lost: () => turned(true), restored: () => turned(false) });
  }

  /** The features of the world, those still to rise included. */
  get features() {
    return this.#stage.features;
  }

  /** Milliseconds since the page opened, or the time that it stands at. */
  get nowMs() {
    return this.#stillMs ?? Math.floor(performance.now() - this.#startMs);
  }

  /** Show another world, once its inscriptions can be drawn. */
  async show(features) {
    await prepareLetters(this.#renderer, features);
    this.replace(features);
  }

  /** Show another world whose inscriptions can be drawn. */
  replace(features) {
    this.#stage = new Stage([...features]);
    this.#drawn = '';
  }

  /** Let a feature land as soon as it can be drawn and the one before it has risen. */
  async land(feature) {
    if (this.#waiting === 0 && this.#renderer.prepared([feature])) {
      this.#add(feature);
      return;
    }
    this.#waiting++;
    const stage = this.#stage;
    this.#landing = this.#landing.then(async () => {
      await prepareLetters(this.#renderer, [feature]);
      this.#waiting--;
      if (stage === this.#stage) this.#add(feature);
    });
    await this.#landing;
  }

  #add(feature) {
    const stage = this.#stage;
    const last = stage.landingMs.at(-1) ?? ALWAYS;
    stage.features.push(feature);
    const landing = Math.max(this.nowMs, last + stage.riseMs);
    stage.landingMs.push(this.#stillMs === null ? landing : ALWAYS);
  }

  /** Turn to where a call is about to act. */
  gaze(call) {
    this.camera.gaze(subjectOf(call.tool, call.args), this.nowMs);
  }

  /** Glide over what a wish made last that has a place. */
  descend(wishId) {
    const made = this.features.filter((feature) => feature.wishId === wishId);
    const subjects = made.map((feature) => subjectOf(feature.tool, feature.args));
    const subject = subjects.findLast(({ dir }) => dir !== null);
    this.camera.descend(subject ?? { dir: this.state().town(), radiusRad: 0, height: 0 }, this.nowMs);
  }

  /** What has landed by now. */
  state() {
    return this.#stage.state(this.nowMs);
  }

  /** Draw until `stop`. */
  start() {
    const next = () => {
      this.#frame = requestAnimationFrame(next);
      if (this.#adapts) this.#watch(performance.now());
      this.draw();
    };
    this.#frame = requestAnimationFrame(next);
  }

  /** Draw no more. */
  stop() {
    cancelAnimationFrame(this.#frame);
  }

  /** Draw the world as it is now; where nothing moves, only what has changed. */
  draw() {
    if (this.#lost) return;
    const { canvas } = this.#renderer;
    const { scale, samples } = QUALITY[this.#quality];
    const size = pixelSize(canvas, scale);
    if (this.#stillMs !== null) {
      const seen = [this.features.length, this.camera.turns, size, samples].join();
      if (seen === this.#drawn) return;
      this.#drawn = seen;
    }
    const nowMs = this.nowMs;
    const pose = this.camera.pose(this.#stage.state(nowMs), nowMs);
    const frame = this.#stage.frame(nowMs, pose, size[0] / size[1]);
    this.#renderer.draw(thinned(frame, this.#share), size, samples);
  }

  /** Step to coarser pictures where frames come slowly, back where they come fast. */
  #watch(now) {
    if (this.#lastMs !== null && !document.hidden) this.#gaps.push(now - this.#lastMs);
    this.#lastMs = now;
    if (this.#gaps.length < WATCHED) return;
    const middle = [...this.#gaps].sort((a, b) => a - b)[WATCHED / 2];
    this.#gaps = [];
    if (middle > SLOW_MS && this.#quality < QUALITY.length - 1) this.#quality++;
    else if (middle < FAST_MS && this.#quality > 0) this.#quality--;
  }
}
