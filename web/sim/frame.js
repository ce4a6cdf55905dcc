/**
 * One frame: scene, time and shot -> the uniforms and buffers a renderer draws, and nothing it has
 * to work out.
 *
 * @typedef {object} BufferView rows of one buffer and the ground under their anchors, before and
 *   after the rising feature
 * @property {Float32Array} rows
 * @property {Float32Array | null} groundBefore null where the format has no anchors
 * @property {Float32Array | null} ground
 *
 * @typedef {object} Frame everything the renderer needs for one picture
 * @property {Record<string, number | number[]>} uniforms matrices column-major, all exactly
 *   representable in float32
 * @property {Float32Array} ages seconds since each feature landed
 * @property {Record<string, BufferView>} buffers only those that are drawn
 * @property {{vertices: Float32Array, faces: Uint32Array, key: string}} planet
 * @property {boolean} near whether the camera stands near the ground: its mesh is finer, and what
 *   stands on it throws shadows
 * @property {import('./camera.js').Pose} pose the camera, for overlays and tests
 * @property {string} shot text of the shot, empty for a pose of the timeline
 * @property {number} timeMs
 *
 * Twin: godseed/sim/frame.py
 */

import {
  ShotError,
  aboveGround,
  axes,
  blendPoses,
  descendPose,
  freePose,
  gazePose,
  parseShot,
  subjectOf,
  townPose,
  viewProjection,
  worldPose,
} from './camera.js';
import { blend, environment } from './environment.js';
import { gazeFraming, glideOf, townFraming } from './framing.js';
import { poses } from './life.js';
import { DEG, cos, sin, smoothstep } from './maths.js';
import { planetView } from './planet.js';
import { Scene, TABLES } from './scene.js';
import { shadowWindow } from './shadow.js';
import { skyBuffers } from './sky_objects.js';
import { constants } from './spec.js';
import { cross, normalize, slerp } from './sphere.js';
import { ground } from './terrain.js';
import { ALWAYS, landingTimes } from './timeline.js';
import { RING_SPEED } from './tools/inscribe_wish.js';

/** Age of a feature that has long been there, seconds. */
export const SETTLED_S = 60;
/** Shaders pace growth for a rise of two seconds; other lengths scale the ages. */
export const DESIGN_RISE_MS = 2000;
export const SCENES_KEPT = 24;

/**
 * A feature list with landing times: gives the frame at any time, in any order, for any shot.
 *
 * Scenes of prefixes are kept and extended, so playing forward costs what each feature costs; what
 * is returned never depends on what was asked before. A live page may push to `features` and
 * `landingMs` together.
 */
export class Stage {
  #scenes = new Map();
  #views = new Map();

  /**
   * @param {import('./feature.js').Feature[]} features
   * @param {import('./timeline.js').Timeline | null} timeline
   */
  constructor(features, timeline = null) {
    this.features = features;
    this.timeline = timeline;
    this.riseMs = timeline ? timeline.riseMs : DESIGN_RISE_MS;
    this.landingMs = landingTimes(features.length, timeline?.landedMs ?? new Map(), this.riseMs);
  }

  /** The scene of the first `count` features. */
  scene(count) {
    let found = this.#scenes.get(count);
    if (!found) {
      const base = Math.max(0, ...[...this.#scenes.keys()].filter((n) => n < count));
      const start = this.#scenes.get(base) ?? Scene.empty();
      found = start.extended(this.features.slice(start.features.length, count));
    }
    this.#scenes.delete(count);
    this.#scenes.set(count, found);
    if (this.#scenes.size > SCENES_KEPT) this.#scenes.delete(this.#scenes.keys().next().value);
    return found;
  }

  /** What has landed and what is rising at a time. */
  state(timeMs) {
    const count = this.landingMs.filter((landing) => landing <= timeMs).length;
    const after = this.scene(count);
    if (count === 0 || this.landingMs[count - 1] + this.riseMs <= timeMs)
      return new State(after, after, 1, count, 1);
    const newest = this.landingMs[count - 1];
    const first = this.landingMs.indexOf(newest);
    const x = (timeMs - newest) / this.riseMs;
    const rest = 1 - x;
    return new State(this.scene(first), after, 1 - rest * rest * rest, count, x);
  }

  /**
   * Compose a frame.
   *
   * @param {number} timeMs whole milliseconds
   * @param {string | import('./camera.js').Pose} shot a shot's text, or a pose
   * @param {number} aspect width over height
   * @returns {Frame}
   */
  frame(timeMs, shot, aspect = 16 / 9) {
    const state = this.state(timeMs);
    const timeS = timeMs / 1000;
    const pose = typeof shot === 'string' ? this.pose(timeMs, parseShot(shot)) : shot;
    const near = pose.nearTown > constants().planet.fine_near_town;
    const light = state.environment().uniforms(state.town(), timeS);
    const uniforms = {
      ...cameraUniforms(pose, aspect),
      ...light,
      ...shadowWindow(pose.focus, near, light.u_sun),
      u_time_s: timeS,
      u_rise: state.rise,
      u_near_town: pose.nearTown,
      u_ring_turn: [cos(RING_SPEED * timeS), sin(RING_SPEED * timeS)],
    };
    const buffers = Object.entries(this.#buffers(state, timeS, pose)).filter(
      ([, view]) => view.rows.length > 0,
    );
    return {
      uniforms: Object.fromEntries(
        Object.entries(uniforms).map(([name, value]) => [name, float32(value)]),
      ),
      ages: this.#ages(state.count, timeMs),
      buffers: Object.fromEntries(buffers),
      planet: planetView(
        near ? pose.focus : null,
        state.before.groundRows(),
        state.after.groundRows(),
      ),
      near,
      pose,
      shot: typeof shot === 'string' ? shot : '',
      timeMs,
    };
  }

  /** The camera of a shot at a time. */
  pose(timeMs, shot) {
    const state = this.state(timeMs);
    const timeS = timeMs / 1000;
    if (shot.kind === 'town') return state.townPose(timeS);
    if (shot.kind === 'world') return worldPose(state.town(), state.ground(), timeS);
    if (shot.kind === 'free') return freePose(shot.numbers, state.ground());
    const subject = this.subject(shot.feature);
    if (shot.kind === 'gaze') return state.gazePose(subject, timeS);
    const length = constants().timeline.descend_ms / 1000;
    const progress = Math.min(Math.max((shot.seconds ?? length / 2) / length, 0), 1);
    return state.descendPose(subject, progress, state.townPose(timeS));
  }

  /** What the camera turns to for a feature. */
  subject(index) {
    const feature = this.features[index];
    if (!feature) {
      const [own, last] = [index, this.features.length - 1].map(
        (i) => `f_${String(i).padStart(6, '0')}`,
      );
      throw new ShotError(
        `shot: feature ${own} is not in this world; ` +
          `expected f_000000 to ${last}; choose one of them`,
      );
    }
    return subjectOf(feature.tool, feature.args);
  }

  /** The camera of the timeline: town, then gaze after gaze, then the descent and back. */
  replayPose(timeMs) {
    const state = this.state(timeMs);
    const timeS = timeMs / 1000;
    const begun = (this.timeline?.events ?? []).filter(
      ({ startMs, kind }) => startMs <= timeMs && (kind === 'gaze' || kind === 'descend'),
    );
    // Nothing is left of what came before a finished gaze.
    const done = begun.findLastIndex((event) => isDone(event, timeMs));
    let pose =
      done < 0 ? state.townPose(timeS) : state.gazePose(this.subject(begun[done].feature), timeS);
    for (const { startMs, endMs, kind, feature } of begun.slice(done + 1)) {
      const x = (timeMs - startMs) / Math.max(1, endMs - startMs);
      const subject = this.subject(feature);
      if (kind === 'gaze') {
        const gaze = state.gazePose(subject, timeS);
        pose = state.aboveGround(blendPoses(pose, gaze, smoothstep(0, 1, x)));
      } else {
        pose = state.descendPose(subject, Math.min(x, 1), pose);
      }
    }
    return pose;
  }

  #ages(count, timeMs) {
    return Float32Array.from(this.landingMs.slice(0, count), (landing) => {
      if (landing === ALWAYS) return SETTLED_S;
      return Math.min(((timeMs - landing) * (DESIGN_RISE_MS / this.riseMs)) / 1000, SETTLED_S);
    });
  }

  #buffers(state, timeS, pose) {
    const views = {};
    for (const [name, buffer] of state.after.buffers) {
      if (!TABLES.includes(name))
        views[name] = this.#view(name, buffer, state.before.buffers.get(name));
    }
    const life = state.after.buffers.get('life');
    const moving = life ? poses(life.rows.view, timeS) : {};
    moving['kit:needle'] = [needleRow(state, pose, timeS)];
    for (const [name, rows] of Object.entries(moving))
      views[name] = withMoving(views[name], rows, state);
    for (const [name, rows] of Object.entries(skyBuffers()))
      views[name] = { rows, groundBefore: null, ground: null };
    return views;
  }

  /**
   * `viewOf`, the same object as last time while nothing has changed, so that nothing is uploaded
   * again.
   */
  #view(name, buffer, before) {
    const held = this.#views.get(name);
    if (held && held.buffer === buffer && held.before === before) return held.view;
    const view = viewOf(buffer, before);
    this.#views.set(name, { buffer, before, view });
    return view;
  }
}

/**
 * The world at a time: the scene before and after what is rising, how far it has risen (0..1), how
 * many features there are, and the share of the rising's time that is over (0..1).
 */
export class State {
  constructor(before, after, rise, count, progress) {
    this.before = before;
    this.after = after;
    this.rise = rise;
    this.count = count;
    this.progress = progress;
  }

  /** The town centre, moving smoothly while a feature rises. */
  town() {
    if (this.before === this.after) return this.after.town;
    return slerp(this.before.town, this.after.town, this.rise);
  }

  /**
   * Height of the ground at this moment.
   *
   * @returns {import('./camera.js').Ground}
   */
  ground() {
    const { before, after, rise } = this;
    if (before === after) return (dirs) => ground(dirs, after.terrain);
    return (dirs) => {
      const then = ground(dirs, before.terrain);
      return ground(dirs, after.terrain).map((height, i) => then[i] * (1 - rise) + height * rise);
    };
  }

  /** Least height of a camera over what stands, at this moment. */
  floor() {
    const { before, after, rise } = this;
    if (before === after) return (dirs) => after.skyline.floor(dirs);
    return (dirs) => {
      const then = before.skyline.floor(dirs);
      return after.skyline.floor(dirs).map((height, i) => then[i] * (1 - rise) + height * rise);
    };
  }

  /** The pose, pushed up where it would be in the ground or in a building. */
  aboveGround(pose) {
    return aboveGround(pose, this.ground(), this.floor());
  }

  /** The town view; between two scenes it moves as the newest feature rises. */
  townPose(timeS) {
    return this.#between((scene, heights) => {
      const framing = townFraming(scene.town, heights, scene.skyline);
      return townPose(scene.town, this.ground(), timeS, framing);
    });
  }

  /** The gaze at a subject. */
  gazePose(subject, timeS) {
    return this.#between((scene, heights) => {
      const framing = gazeFraming(subject, scene.town, heights, scene.skyline);
      return gazePose(subject, scene.town, this.ground(), timeS, framing);
    });
  }

  /** A descent to a subject, from a resting pose and back to it. */
  descendPose(subject, progress, rest) {
    return this.#between((scene, heights) => {
      const glide = glideOf(subject, scene.town, heights, scene.skyline);
      return descendPose(subject, scene.town, this.ground(), progress, rest, glide);
    });
  }

  /** A pose of the scene before and the one after, blended as the newest feature rises. */
  #between(one) {
    const { before, after, rise } = this;
    let pose = one(after, (dirs) => ground(dirs, after.terrain));
    if (before !== after) {
      const then = one(before, (dirs) => ground(dirs, before.terrain));
      pose = blendPoses(then, pose, rise);
    }
    return this.aboveGround(pose);
  }

  /** Sky and weather, crossfading while a feature rises. */
  environment() {
    const now = environment(this.after.features);
    if (this.before === this.after) return now;
    return blend(environment(this.before.features), now, this.rise);
  }
}

function isDone({ kind, endMs }, timeMs) {
  return kind === 'gaze' && timeMs >= endMs;
}

/** Rows with their ground after, and before where the row was there already. */
function viewOf(buffer, before) {
  const rows = buffer.rows.view;
  if (buffer.anchors.length === 0) return { rows, groundBefore: null, ground: null };
  const now = buffer.ground();
  if (!before || before.sums === buffer.sums) return { rows, groundBefore: now, ground: now };
  const then = now.slice();
  then.set(before.ground());
  return { rows, groundBefore: then, ground: now };
}

/** A view with posed rows behind it, standing on the ground of this moment. */
function withMoving(view, rows, state) {
  const width = rows[0].length;
  const dirs = new Float64Array(3 * rows.length);
  const posed = new Float32Array(width * rows.length);
  rows.forEach((row, i) => {
    for (let k = 0; k < 3; k += 1) dirs[3 * i + k] = row[k];
    posed.set(row, i * width);
  });
  const now = Float32Array.from(ground(dirs, state.after.terrain));
  const then =
    state.before === state.after ? now : Float32Array.from(ground(dirs, state.before.terrain));
  if (!view?.ground) return { rows: posed, groundBefore: then, ground: now };
  return {
    rows: joined(view.rows, posed),
    groundBefore: joined(view.groundBefore, then),
    ground: joined(view.ground, now),
  };
}

function joined(a, b) {
  const both = new Float32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/**
 * The instrument above the town: prominent from afar and while it writes, small and high at rest
 * near the ground. It writes where the newest feature rises.
 */
function needleRow(state, pose, timeS) {
  const { needle } = constants();
  const [near, p] = [pose.nearTown, state.progress];
  const writing = smoothstep(0, 0.22, p) * (1 - smoothstep(0.7, 1, p));
  const rest = needle.far_scale + (needle.near_scale - needle.far_scale) * near;
  const scale = rest + (needle.writing_scale - rest) * writing * (1 - 0.75 * near);
  let lift = needle.far_lift + (needle.near_lift - needle.far_lift) * near;
  lift += (needle.writing_lift - lift) * writing * near;
  const bob = needle.bob * sin(timeS * needle.bob_rad_s);
  let up = state.town();
  if (writing > 0) {
    const newest = state.after.features[state.count - 1];
    const place = subjectOf(newest.tool, newest.args).dir;
    if (place !== null) up = slerp(up, place, writing);
  }
  const side = normalize(Math.abs(up[1]) < 0.999 ? [up[2], 0, -up[0]] : [1, 0, 0]);
  const turn = timeS * needle.turn_rad_s;
  const other = cross(up, side);
  const [c, s] = [cos(turn), sin(turn)];
  const front = side.map((x, k) => x * c + other[k] * s);
  return [...up, scale, ...front, 1, ...needle.tint, 1, 0, lift + bob, 0, 0];
}

function cameraUniforms(pose, aspect) {
  const matrix = viewProjection(pose, aspect);
  const [right, up, forward] = axes(pose);
  const half = pose.fovDeg * 0.5 * DEG;
  const tangent = sin(half) / cos(half);
  return {
    u_view_projection: [0, 1, 2, 3].flatMap((j) => matrix.map((row) => row[j])),
    u_eye: pose.eye,
    u_right: right,
    u_up: up,
    u_forward: forward,
    u_lens: [tangent * aspect, tangent],
  };
}

/** Round once to float32, so that both twins hand the same bits to the shader. */
function float32(value) {
  return typeof value === 'number' ? Math.fround(value) : value.map(Math.fround);
}
