/**
 * Cameras: pure functions of the world and time that give an eye, a target and an up vector.
 *
 * A *shot* names one in a small grammar that the command line, case files, recipes and the page all
 * parse:
 *
 *     town | world | gaze:FEATURE | descend:FEATURE[@SECONDS] | free:LAT,LON,ALT,HEADING,PITCH,FOV
 *
 * @typedef {(dirs: Float64Array) => Float64Array} Ground directions, 3 numbers each -> height of
 *   the ground, planet radii
 *
 * @typedef {object} Pose where the camera is and what it looks at
 * @property {number[]} eye planet radii
 * @property {number[]} target planet radii
 * @property {number[]} up unit, roughly up; made orthogonal when the matrix is built
 * @property {number} fovDeg vertical field of view
 * @property {number} nearTown 0 far out .. 1 standing in the town; the needle and the finer planet
 *   mesh follow it
 * @property {number[]} focus unit direction of what the shot is about
 *
 * @typedef {{dir: number[] | null, radiusRad: number, height: number}} Subject what a feature offers
 *   to the camera: direction, angular radius, and how high it stands; sky-wide ones have no direction
 *
 * @typedef {object} Framing how a camera stands to what it shows
 * @property {number} azimuthDeg compass way from the subject to the camera
 * @property {number} elevationDeg of the camera above the subject's horizon
 * @property {number} distance planet radii
 * @property {number} lift of the middle of the picture above the ground
 * @property {number} fovDeg vertical field of view
 *
 * @typedef {{headingDeg: number, aside: number, altitude: number}} Glide the way of a descent: its
 *   compass heading, how far beside its subject it passes (radians), and its height above radius 1
 * @typedef {{kind: string, feature: number, seconds: number | null, numbers: number[]}} Shot
 *
 * Twin: godseed/sim/camera.py
 */

import { kit } from './kits.js';
import { DEG, cos, lerp, sin, smoothstep } from './maths.js';
import { constants } from './spec.js';
import { angleRad, cross, direction, dot, eastNorth, normalize, rotate, slerp } from './sphere.js';

/** All houses are about as high as this one. */
export const HOUSE_KIT = 'house_a';
export const SHOT_GRAMMAR =
  'town, world, gaze:FEATURE, descend:FEATURE[@SECONDS] or free:LAT,LON,ALT,HEADING,PITCH,FOV';

/** A shot that does not parse or names a feature that is not there. */
export class ShotError extends Error {}

/**
 * Parse a shot.
 *
 * @returns {Shot}
 */
export function parseShot(text) {
  const [kind, ...after] = text.trim().split(':');
  const rest = after.join(':');
  const shot = { kind, feature: -1, seconds: null, numbers: [] };
  if ((kind === 'town' || kind === 'world') && after.length === 0) return shot;
  if (kind === 'gaze' || kind === 'descend') {
    const found = /^(?:f_)?(\d{1,9})(?:@(\d+(?:\.\d+)?))?$/.exec(rest);
    if (found && !(kind === 'gaze' && found[2])) {
      return { ...shot, feature: Number(found[1]), seconds: found[2] ? Number(found[2]) : null };
    }
  }
  if (kind === 'free') return { ...shot, numbers: freeNumbers(text, rest) };
  throw new ShotError(`shot: '${text}'; expected ${SHOT_GRAMMAR}; try 'town' or 'gaze:f_000004'`);
}

/** The shot's text, such that parsing it gives the shot again. */
export function formatShot({ kind, feature, seconds, numbers }) {
  const short = (x) => String(Number(x.toPrecision(6)));
  if (kind === 'free') return `free:${numbers.map(short).join(',')}`;
  if (feature < 0) return kind;
  const after = seconds === null ? '' : `@${short(seconds)}`;
  return `${kind}:f_${String(feature).padStart(6, '0')}${after}`;
}

/** Low and close over the town, which fills the frame; sways a little. */
export function townPose(center, ground, timeS, framing) {
  const rig = constants().camera.town;
  const sway = rig.sway_deg * sin(timeS * rig.sway_rad_s);
  return orbitPose(center, ground, framing, sway);
}

/** The whole lit sphere from far out, turning slowly. */
export function worldPose(center, ground, timeS) {
  const rig = constants().camera.world;
  const [, north] = eastNorth(center);
  const pole = normalize(north.map((x, k) => x + (k === 1 ? 1 : 0) * 0.35));
  const turned = rotate(center, pole, (rig.offset_deg + rig.turn_deg_s * timeS) * DEG);
  const up = normalize(pole);
  const out = normalize(turned.map((x, k) => x + up[k] * rig.height));
  const [eye, target] = [out.map((x) => x * rig.distance), up.map((x) => x * rig.target)];
  return { eye, target, up, fovDeg: rig.fov_deg, nearTown: 0, focus: center };
}

/** Turn to a feature within the town zoom; sky-wide features lift the view above the town. */
export function gazePose(subject, center, ground, timeS, framing) {
  const rig = constants().camera.gaze;
  const sway = rig.sway_deg * sin(timeS * rig.sway_rad_s);
  return orbitPose(subject.dir === null ? center : subject.dir, ground, framing, sway);
}

/**
 * Swoop from a resting pose to just above the ground, glide an arc over the target and ease back.
 *
 * @param {number} progress 0..1 over the whole descent
 * @param {Pose} rest pose before and after
 * @param {Glide} glide its way
 */
export function descendPose(subject, center, ground, progress, rest, glide) {
  const rig = constants().camera.descend;
  const target = subject.dir === null ? center : subject.dir;
  const [middle, axis] = glideAxis(target, glide.headingDeg, glide.aside);
  const arc = rig.arc_deg * DEG;
  const ahead = rig.look_ahead_deg * DEG;
  const at = arc * (smoothstep(0, 1, progress) - 0.5);
  const eye = rotate(middle, axis, at).map((x) => x * (1 + glide.altitude));
  // Past a subject the camera looks towards it.
  const lookDir = normalize(
    rotate(middle, axis, at + ahead).map((x, k) => x + (target[k] - middle[k]) * 0.8),
  );
  const far = 1 + heightAt(ground, lookDir) + rig.look_lift;
  const look = lookDir.map((x) => x * far);
  const low = {
    eye,
    target: look,
    up: normalize(eye),
    fovDeg: rig.fov_deg,
    nearTown: 1,
    focus: target,
  };
  const down = smoothstep(0, rig.ease, progress) * (1 - smoothstep(1 - rig.ease, 1, progress));
  return blendPoses(rest, low, down);
}

/**
 * Places under a glide, from a little before its start to a little behind its end, flat.
 *
 * @returns {Float64Array}
 */
export function glideDirs(target, headingDeg, aside, count) {
  const [middle, axis] = glideAxis(target, headingDeg, aside);
  const arc = constants().camera.descend.arc_deg * DEG * 1.2;
  const dirs = new Float64Array(3 * count);
  for (let k = 0; k < count; k += 1)
    dirs.set(rotate(middle, axis, arc * (k / (count - 1) - 0.5)), 3 * k);
  return dirs;
}

/**
 * Latitude, longitude, altitude above the ground, compass heading, pitch above the horizon, field
 * of view.
 */
export function freePose([lat, lon, altitude, heading, pitch, fov], ground) {
  const up = direction(lat, lon);
  const [east, north] = eastNorth(up);
  const [ch, sh] = [cos(heading * DEG), sin(heading * DEG)];
  const level = north.map((x, k) => x * ch + east[k] * sh);
  const [cp, sp] = [cos(pitch * DEG), sin(pitch * DEG)];
  const look = level.map((x, k) => x * cp + up[k] * sp);
  const height = 1 + heightAt(ground, up) + altitude;
  const eye = up.map((x) => x * height);
  const nearTown = 1 - smoothstep(0.4, 1.6, altitude);
  const lensUp = Math.abs(pitch) < 89 ? up : level;
  return {
    eye,
    target: eye.map((x, k) => x + look[k]),
    up: lensUp,
    fovDeg: fov,
    nearTown,
    focus: up,
  };
}

/**
 * Between two poses: directions along great circles, radii straight, and higher in the middle of a
 * long way.
 */
export function blendPoses(a, b, x) {
  if (x <= 0) return a;
  if (x >= 1) return b;
  const [eyeA, eyeB] = [normalize(a.eye), normalize(b.eye)];
  const way = angleRad(eyeA, eyeB);
  const bump = 0.35 * way * 4 * x * (1 - x);
  const radius = lerp(length(a.eye), length(b.eye), x) + bump;
  const far = lerp(length(a.target), length(b.target), x);
  let target = slerp(normalize(a.target), normalize(b.target), x).map((t) => t * far);
  if (length(a.target) < 0.5 || length(b.target) < 0.5) {
    target = a.target.map((t, k) => t + (b.target[k] - t) * x);
  }
  return {
    eye: slerp(eyeA, eyeB, x).map((e) => e * radius),
    target,
    up: slerp(a.up, b.up, x),
    fovDeg: lerp(a.fovDeg, b.fovDeg, x),
    nearTown: lerp(a.nearTown, b.nearTown, x),
    focus: slerp(a.focus, b.focus, x),
  };
}

/**
 * The pose with its eye pushed up where it would be under the ground plus clearance, or too near
 * over a building.
 *
 * @param {Ground} floor least height of a camera over what stands there
 */
export function aboveGround(pose, ground, floor) {
  const up = normalize(pose.eye);
  const terrain = heightAt(ground, up) + constants().camera.clearance;
  const least = 1 + Math.max(terrain, heightAt(floor, up));
  if (length(pose.eye) >= least) return pose;
  return { ...pose, eye: up.map((x) => x * least) };
}

/**
 * What a camera turns to for a feature: centre and angular radius of its place, or no place at all.
 *
 * @returns {Subject}
 */
export function subjectOf(tool, args) {
  if (args.path?.length > 0) {
    const points = args.path.map(([lat, lon]) => direction(lat, lon));
    const total = points.reduce((sum, point) => sum.map((x, k) => x + point[k]), [0, 0, 0]);
    const middle = length(total) > 1e-6 ? normalize(total) : points[0];
    return {
      dir: middle,
      radiusRad: Math.min(Math.max(...points.map((point) => angleRad(point, middle))), 0.6),
      height: 0,
    };
  }
  if (args.lat === undefined) return { dir: null, radiusRad: 0, height: 0 };
  let height = 0;
  if (tool === 'place_structure')
    height = kit(args.kind === 'house' ? HOUSE_KIT : args.kind).height * (args.scale ?? 1);
  const radiusRad = (args.radius_deg ?? 0) * DEG;
  return { dir: direction(args.lat, args.lon), radiusRad, height };
}

/** Stand off a place on the ground as a framing says, and look at it. */
export function orbitPose(focus, ground, framing, swayDeg) {
  const { elevationDeg, distance, lift, fovDeg } = framing;
  const [east, north] = eastNorth(focus);
  const height = 1 + heightAt(ground, focus) + lift;
  const target = focus.map((x) => x * height);
  const azimuth = (framing.azimuthDeg + swayDeg) * DEG;
  const elevation = elevationDeg * DEG;
  const [ca, sa] = [cos(azimuth), sin(azimuth)];
  const [ce, se] = [cos(elevation), sin(elevation)];
  const away = focus.map((x, k) => (north[k] * ca + east[k] * sa) * ce + x * se);
  const eye = target.map((x, k) => x + away[k] * distance);
  return { eye, target, up: focus, fovDeg, nearTown: 1, focus };
}

/** Orthonormal right, up and forward of a pose. */
export function axes(pose) {
  const forward = normalize(pose.target.map((x, k) => x - pose.eye[k]));
  const right = normalize(cross(forward, pose.up));
  return [right, cross(right, forward), forward];
}

/** Clip-from-world matrix as four rows, OpenGL clip space. */
export function viewProjection(pose, aspect) {
  const { near, far } = constants().camera;
  const [right, up, forward] = axes(pose);
  const half = pose.fovDeg * 0.5 * DEG;
  const scale = cos(half) / sin(half);
  const row = (axis, factor) => [...axis.map((x) => x * factor), -dot(axis, pose.eye) * factor];
  const depth = -dot(forward, pose.eye);
  const a = (far + near) / (far - near);
  const b = (-2 * far * near) / (far - near);
  return [
    row(right, scale / aspect),
    row(up, scale),
    [...forward.map((x) => x * a), depth * a + b],
    [...forward, depth],
  ];
}

/** Middle of a glide, and the axis that it turns about. */
function glideAxis(target, headingDeg, aside) {
  const [east, north] = eastNorth(target);
  const heading = headingDeg * DEG;
  const [c, s] = [cos(heading), sin(heading)];
  const along = north.map((x, k) => x * c + east[k] * s);
  const axis = normalize(cross(target, along));
  const middle = rotate(target, along, aside);
  return [middle, aside === 0 ? axis : normalize(cross(middle, along))];
}

function freeNumbers(text, rest) {
  const limits = [
    ['lat', -90, 90],
    ['lon', -360, 360],
    ['alt', 0.001, 50],
    ['heading', -360, 360],
    ['pitch', -90, 90],
    ['fov', 1, 150],
  ];
  const numbers = rest.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (numbers.length !== limits.length || numbers.some(Number.isNaN)) {
    throw new ShotError(
      `shot: '${text}'; expected free:LAT,LON,ALT,HEADING,PITCH,FOV; ` +
        "try 'free:14,38,0.3,20,-25,45'",
    );
  }
  limits.forEach(([name, low, high], i) => {
    if (!(low <= numbers[i] && numbers[i] <= high)) {
      throw new ShotError(
        `shot.${name}: ${numbers[i]} in '${text}'; expected ${low} to ${high}; change it`,
      );
    }
  });
  return numbers;
}

function heightAt(ground, dir) {
  return ground(Float64Array.from(dir))[0];
}

function length(v) {
  return Math.sqrt(dot(v, v));
}
