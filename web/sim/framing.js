/**
 * Which way cameras stand so that their subject is the subject: nothing large before the lens, no
 * hill and no tower between it and what it shows, and a free way for descents.
 *
 * A framing is chosen once per scene among a few candidates, by what each one costs; the first of
 * equals wins. It is a pure function of the scene.
 *
 * Twin: godseed/sim/framing.py
 */

import { axes, glideDirs, orbitPose } from './camera.js';
import { DEG, clamp, cos, sin } from './maths.js';
import { constants } from './spec.js';
import { dot, normalize } from './sphere.js';

/** What stands this near to a subject is the subject. */
export const OWN_REACH = 0.035;
export const SIGHT_SAMPLES = 8;
export const GLIDE_SAMPLES = 25;
export const HEADINGS = 24;
/** How far beside their subject descents may glide, radians. */
export const ASIDE = [0, 0.05, -0.05];

/**
 * How the town view stands: as far off as the town is wide, past what would be in the way.
 *
 * @returns {import('./camera.js').Framing}
 */
export function townFraming(center, ground, skyline) {
  if (!skyline.chosen.has('town')) {
    const rig = constants().camera.town;
    const extent = skyline.extent(center);
    const wanted = rig.distance + rig.per_extent * (extent - rig.usual_extent);
    const distance = clamp(wanted, rig.min_distance, rig.max_distance);
    const share = distance / rig.distance;
    const rise = rig.per_distance_deg * (distance - rig.distance);
    const first = {
      azimuthDeg: rig.azimuth_deg,
      elevationDeg: rig.elevation_deg + rise,
      distance,
      lift: rig.lift * share,
      fovDeg: rig.fov_deg,
    };
    skyline.chosen.set('town', best(first, center, ground, skyline, 0));
  }
  return skyline.chosen.get('town');
}

/**
 * How a gaze stands: so that all of its subject is seen, and past what would be in the way.
 *
 * @returns {import('./camera.js').Framing}
 */
export function gazeFraming(subject, center, ground, skyline) {
  const key = `gaze ${keyOf(subject)}`;
  if (!skyline.chosen.has(key)) {
    const rig = constants().camera.gaze;
    const azimuthDeg = constants().camera.town.azimuth_deg;
    let first = {
      azimuthDeg,
      elevationDeg: rig.sky_elevation_deg,
      distance: rig.sky_distance,
      lift: rig.sky_lift,
      fovDeg: rig.sky_fov_deg,
    };
    if (subject.dir !== null) {
      let wanted = rig.distance + rig.per_radius * subject.radiusRad;
      wanted = Math.max(wanted, rig.per_height * subject.height);
      const distance = clamp(wanted, rig.distance, rig.max_distance);
      const lift = Math.max(rig.lift, 0.42 * subject.height);
      const elevationDeg = rig.elevation_deg;
      first = { azimuthDeg, elevationDeg, distance, lift, fovDeg: rig.fov_deg };
    }
    const focus = subject.dir ?? center;
    const own = subject.height > 0 ? OWN_REACH : 0;
    skyline.chosen.set(key, best(first, focus, ground, skyline, own));
  }
  return skyline.chosen.get(key);
}

/**
 * How a descent glides over or past its subject: the way on which it can stay lowest.
 *
 * @returns {import('./camera.js').Glide}
 */
export function glideOf(subject, center, ground, skyline) {
  const key = `glide ${keyOf(subject)}`;
  if (!skyline.chosen.has(key)) {
    const rig = constants().camera.descend;
    const target = subject.dir ?? center;
    let [chosen, least] = [null, Infinity];
    for (const aside of ASIDE) {
      for (let k = 0; k < HEADINGS; k += 1) {
        const headingDeg = rig.heading_deg + k * (360 / HEADINGS);
        const dirs = glideDirs(target, headingDeg, aside, GLIDE_SAMPLES);
        const floor = Math.max(...skyline.floor(dirs));
        const terrain = Math.max(...ground(dirs)) + rig.clearance;
        const altitude = Math.max(rig.radius - 1, terrain, floor);
        const cost = altitude + 0.3 * Math.abs(aside) + 1e-4 * k;
        if (cost < least) [chosen, least] = [{ headingDeg, aside, altitude }, cost];
      }
    }
    skyline.chosen.set(key, chosen);
  }
  return skyline.chosen.get(key);
}

function keyOf({ dir, radiusRad, height }) {
  return dir === null ? '' : [...dir, radiusRad, height].join(' ');
}

/** The candidate around a framing from which least is in the way; the nearest, if several. */
function best(first, focus, ground, skyline, own) {
  const { raise_deg, raise_cost, turn_deg, turn_cost } = constants().camera.choice;
  let [chosen, least] = [first, Infinity];
  raise_deg.forEach((raised, i) => {
    turn_deg.forEach((turned, j) => {
      const candidate = {
        ...first,
        azimuthDeg: first.azimuthDeg + turned,
        elevationDeg: first.elevationDeg + raised,
      };
      if (!(raise_cost[i] + turn_cost[j] < least)) return;
      const pose = orbitPose(focus, ground, candidate, 0);
      const way = inTheWay(pose, focus, ground, skyline, own);
      const cost = raise_cost[i] + turn_cost[j] + way;
      if (cost < least) [chosen, least] = [candidate, cost];
    });
  });
  return chosen;
}

/** What stands between a camera and its subject, and how much of the picture it takes. */
function inTheWay(pose, focus, ground, skyline, own) {
  const [right, up, forward] = axes(pose);
  const half = pose.fovDeg * 0.5 * DEG;
  const tall = sin(half) / cos(half);
  const wide = tall * (16 / 9);
  const toSubject = pose.target.map((x, k) => x - pose.eye[k]);
  const distance = Math.sqrt(dot(toSubject, toSubject));
  let total = 0;
  for (const { dir, ground: low, height, reach } of skyline.stands) {
    const gap = dir.map((x, k) => x - focus[k]);
    if (!(Math.sqrt(dot(gap, gap)) > reach + own)) continue;
    const foot = dir.map((x, k) => x * (1 + low) - pose.eye[k]);
    const top = dir.map((x, k) => x * (1 + low + height) - pose.eye[k]);
    const [depth, depthTop] = [dot(foot, forward), dot(top, forward)];
    if (!(Math.min(depth, depthTop) > 0.01 && depth < 0.8 * distance)) continue;
    const x = Math.abs(dot(top, right)) / (depthTop * wide);
    const [yFoot, yTop] = [dot(foot, up) / (depth * tall), dot(top, up) / (depthTop * tall)];
    if (!(x < 1.1 && yTop > -1)) continue;
    const large = Math.max(0.5 * (yTop - yFoot) - 0.3, 0) * 4;
    const middle = Math.max(yTop + 0.15, 0) * Math.max(1 - x / 0.5, 0) * 2;
    const cut = yFoot < -1 ? 0.25 + Math.max(yTop + 1, 0) : 0;
    total += large + middle + cut;
  }
  for (let k = 1; k <= SIGHT_SAMPLES; k += 1) {
    const share = k / (SIGHT_SAMPLES + 2);
    const sight = pose.eye.map((x, j) => x + toSubject[j] * share);
    const terrain = ground(Float64Array.from(normalize(sight)))[0];
    const over = Math.sqrt(dot(sight, sight)) - 1 - terrain;
    total += Math.max(0.006 - over, 0) * 60;
  }
  return total;
}
