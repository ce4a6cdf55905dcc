/** One wish played again: its thoughts as they were, and the planet as it grew. */

import { Stage } from '../sim/frame.js';
import { timeline } from '../sim/timeline.js';
import { instanceShare, pixelSize } from './comfort.js';
import { thinned } from './thinning.js';

const SAMPLES = 4;
/** Pictures are made coarser where one takes longer than this. */
const SLOW_MS = 45;
const SCALES = [1, 0.8, 0.66, 0.5];

/** A clock over the timeline of a trace, and the canvas that shows it. */
export class Replay {
  /** Called after every picture, and when playing begins or ends. */
  onFrame = () => {};
  timeMs = 0;
  playing = false;
  #renderer;
  #stage = null;
  #timeline = null;
  #frame = 0;
  #lastMs = 0;
  #scale = 0;
  #slow = 0;
  #lost = false;

  /** @param {Renderer} renderer */
  constructor(renderer) {
    this.#renderer = renderer;
  }

  /** The events of what is open, null if nothing is. */
  get timeline() {
    return this.#timeline;
  }

  /**
   * Open a wish.
   *
   * @param {object} trace
   * @param {Feature[]} features of the world up to and with this wish
   */
  open(trace, features) {
    this.#timeline = timeline(trace);
    this.#stage = new Stage(features, this.#timeline);
    this.timeMs = 0;
  }

  /** Play from where it is, from the beginning if it has ended. */
  play() {
    if (this.timeMs >= this.#timeline.totalMs) this.timeMs = 0;
    this.playing = true;
    this.#lastMs = performance.now();
    this.#next();
  }

  /** Stand still. */
  pause() {
    this.playing = false;
    cancelAnimationFrame(this.#frame);
    this.onFrame();
  }

  /** Go to a time. */
  seek(timeMs) {
    this.timeMs = Math.min(Math.max(Math.floor(timeMs), 0), this.#timeline.totalMs);
    this.draw();
  }

  /** Show nothing any more. */
  close() {
    this.playing = false;
    cancelAnimationFrame(this.#frame);
    this.#stage = null;
    this.#timeline = null;
  }

  /** Draw nothing until the context is back. */
  lose() {
    this.#lost = true;
  }

  /** The context is back. */
  regain() {
    this.#lost = false;
    this.draw();
  }

  /** Draw the moment. */
  draw() {
    if (this.#stage === null) return;
    if (!this.#lost) {
      const size = pixelSize(this.#renderer.canvas, SCALES[this.#scale]);
      const timeMs = Math.floor(this.timeMs);
      const pose = this.#stage.replayPose(timeMs);
      const frame = this.#stage.frame(timeMs, pose, size[0] / size[1]);
      this.#renderer.draw(thinned(frame, instanceShare()), size, SAMPLES);
    }
    this.onFrame();
  }

  #next() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      if (!this.playing) return;
      const now = performance.now();
      const passed = now - this.#lastMs;
      this.#lastMs = now;
      this.#watch(passed);
      // A tab that was away goes on where it was left.
      this.timeMs = Math.min(this.timeMs + Math.min(passed, 1000), this.#timeline.totalMs);
      this.draw();
      if (this.timeMs >= this.#timeline.totalMs) this.pause();
      else this.#next();
    });
  }

  #watch(passedMs) {
    this.#slow = passedMs > SLOW_MS ? this.#slow + 1 : 0;
    if (this.#slow > 12 && this.#scale < SCALES.length - 1) {
      this.#scale++;
      this.#slow = 0;
    }
  }
}
