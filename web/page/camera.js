/**
 * The live camera: it rests in the town or above the world, turns to what is being made, and glides
 * over it when asked. Every change eases from wherever the camera is.
 */

import { blendPoses, worldPose } from '../sim/camera.js';
import { smoothstep } from '../sim/maths.js';
import { constants } from '../sim/spec.js';

const VIEW_MS = 3200;
const RETURN_MS = 2600;

/** What the camera does at any time; it keeps no clock of its own. */
export class LiveCamera {
  /** Where it rests: 'town' or 'world'. */
  view = 'town';
  /** How often it has turned to something else. */
  turns = 0;
  #still;
  #viewMs = 0;
  #goal = { kind: 'rest' };
  #from = null;
  #startMs = 0;
  #lengthMs = 1;
  #last = null;

  /** @param {boolean} still cuts from pose to pose, for who asked for less motion */
  constructor(still = false) {
    this.#still = still;
  }

  /** What it does: `{kind: 'rest' | 'gaze' | 'descend', subject}`. */
  get goal() {
    return this.#goal;
  }

  /** Whether it is on a glide. */
  get descending() {
    return this.#goal.kind === 'descend';
  }

  /** Ease to a resting view. */
  rest(view, nowMs, lengthMs = VIEW_MS) {
    this.view = view;
    this.#viewMs = nowMs;
    this.#turn({ kind: 'rest' }, nowMs, lengthMs);
  }

  /** Ease to a subject within the town's zoom; above the world it stays where it is. */
  gaze(subject, nowMs) {
    if (this.view === 'world' || this.descending) return;
    this.#turn({ kind: 'gaze', subject }, nowMs, constants().timeline.gaze_ms);
  }

  /** Swoop down, glide over a subject, and come back. */
  descend(subject, nowMs) {
    this.#turn({ kind: 'descend', subject, startMs: nowMs }, nowMs, 700);
  }

  /** Leave a gaze or a glide for the resting view. */
  release(nowMs) {
    if (this.#goal.kind !== 'rest') this.#turn({ kind: 'rest' }, nowMs, RETURN_MS);
  }

  /**
   * The pose at a time.
   *
   * @param {State} state of the stage at that time
   * @param {number} nowMs
   */
  pose(state, nowMs) {
    const glideMs = constants().timeline.descend_ms;
    if (!this.#still && this.descending && nowMs - this.#goal.startMs >= glideMs) {
      this.release(nowMs);
    }
    const goal = this.#goalPose(state, nowMs, glideMs);
    if (this.#still) return state.aboveGround(goal);
    const x = smoothstep(0, 1, Math.min(Math.max((nowMs - this.#startMs) / this.#lengthMs, 0), 1));
    const pose = this.#from ? blendPoses(this.#from, goal, x) : goal;
    this.#last = state.aboveGround(pose);
    return this.#last;
  }

  #goalPose(state, nowMs, glideMs) {
    const timeS = nowMs / 1000;
    // The world begins to turn with the town in the middle.
    const turningS = this.#still ? timeS : (nowMs - this.#viewMs) / 1000;
    const rest =
      this.view === 'world'
        ? worldPose(state.town(), state.ground(), turningS)
        : state.townPose(timeS);
    if (this.#goal.kind === 'gaze') return state.gazePose(this.#goal.subject, timeS);
    if (this.#goal.kind === 'descend') {
      const glided = Math.min((nowMs - this.#goal.startMs) / glideMs, 1);
      const progress = this.#still ? 0.5 : glided;
      return state.descendPose(this.#goal.subject, progress, rest);
    }
    return rest;
  }

  #turn(goal, nowMs, lengthMs) {
    this.turns++;
    this.#from = this.#last;
    this.#goal = goal;
    this.#startMs = nowMs;
    this.#lengthMs = lengthMs;
  }
}
