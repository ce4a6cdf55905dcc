/** Pictures of what each wish made, drawn while they are looked for, one at a time. */

import { subjectOf } from '../sim/camera.js';
import { Stage } from '../sim/frame.js';

const SIZE = [432, 243];
const SAMPLES = 4;
/** Each wish has its own stretch of time, so that all of them share one stage. */
const STRETCH_MS = 100_000;
const SETTLED_MS = 70_000;

/** Draws into canvases of the list as they come into view. */
export class Thumbnails {
  #renderer;
  #archive;
  #stage;
  #waiting = new Map();
  #paused = true;
  #timer = 0;
  #watch;

  /**
   * @param {Renderer} renderer whose canvas is not touched
   * @param {Archive} archive
   */
  constructor(renderer, archive) {
    this.#renderer = renderer;
    this.#archive = archive;
    const { entries, features } = archive;
    const order = new Map(entries.map(({ wish_id: id }, i) => [id, (i + 1) * STRETCH_MS]));
    const landed = features.map(({ wishId }, i) => [i, order.get(wishId)]);
    const landedMs = new Map(landed.filter(([, ms]) => ms !== undefined));
    this.#stage = new Stage(features, { events: [], landedMs, totalMs: 0, riseMs: 2000 });
    this.#watch = new IntersectionObserver((seen) => this.#see(seen), { rootMargin: '320px' });
  }

  /** Draw the picture of a wish into a canvas once it is near the window. */
  add(wishId, canvas) {
    [canvas.width, canvas.height] = SIZE;
    canvas.dataset.wish = wishId;
    this.#watch.observe(canvas);
  }

  /** Draw nothing for now. */
  pause() {
    this.#paused = true;
    clearTimeout(this.#timer);
  }

  /** Draw what is waiting. */
  resume() {
    this.#paused = false;
    this.#next();
  }

  #see(seen) {
    for (const { target, isIntersecting } of seen) {
      if (target.dataset.drawn) continue;
      if (isIntersecting) this.#waiting.set(target.dataset.wish, target);
      else this.#waiting.delete(target.dataset.wish);
    }
    this.#next();
  }

  #next() {
    clearTimeout(this.#timer);
    if (this.#paused || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      // Oldest first: each scene grows out of the one before it.
      const [wishId] = [...this.#waiting.keys()].sort();
      const canvas = this.#waiting.get(wishId);
      this.#waiting.delete(wishId);
      this.#draw(wishId, canvas);
      this.#next();
    });
  }

  #draw(wishId, canvas) {
    const number = this.#archive.entries.findIndex((entry) => entry.wish_id === wishId);
    const timeMs = (number + 1) * STRETCH_MS + SETTLED_MS;
    const frame = this.#stage.frame(timeMs, this.#pose(wishId, timeMs), SIZE[0] / SIZE[1]);
    const pixels = this.#renderer.pixels(frame, SIZE, SAMPLES);
    const image = new ImageData(new Uint8ClampedArray(pixels.buffer), ...SIZE);
    canvas.getContext('2d').putImageData(image, 0, 0);
    canvas.dataset.drawn = 'yes';
    this.#watch.unobserve(canvas);
  }

  /** At what the wish made last that has a place, else over the town. */
  #pose(wishId, timeMs) {
    const state = this.#stage.state(timeMs);
    const subjects = this.#archive.features
      .filter((feature) => feature.wishId === wishId)
      .map(({ tool, args }) => subjectOf(tool, args));
    const subject = subjects.findLast(({ dir }) => dir !== null);
    return subject ? state.gazePose(subject, timeMs / 1000) : state.townPose(timeMs / 1000);
  }
}
