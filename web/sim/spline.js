/**
 * Smooth lines on the sphere through waypoints. Points are arrays of three numbers.
 *
 * Twin: godseed/sim/spline.py
 */

import { PI } from './maths.js';
import { angleRad, normalize, slerp } from './sphere.js';

/** Waypoints farther apart get knots between them, on the great circle. */
export const LONGEST_PIECE_RAD = 0.5;
/** Largest distance at which the curve itself is evaluated. */
export const COARSEST_RAD = 0.02;
/** How many times finer the curve is evaluated than it is sampled, before it is made even. */
export const FINER = 4;
export const SAME_RAD = 1e-9;

/**
 * Sample a smooth curve through waypoints at even distances: the points, and the way to each of
 * them in radians.
 */
export function sample(waypoints, stepRad, maxPoints) {
  check(waypoints, stepRad, maxPoints);
  const knots = knotsOf(waypoints);
  const roughLength = arcOf(knots).at(-1);
  const fineStep = Math.max(stepRad, roughLength / (maxPoints - 1)) / FINER;
  const curve = catmullRom(knots, Math.min(fineStep, COARSEST_RAD));
  const along = arcOf(curve);
  const length = along.at(-1);
  const count = Math.min(Math.max(Math.ceil(length / stepRad) + 1, 2), maxPoints);
  const points = [];
  for (let k = 0; k < count; k += 1)
    points.push(resample(curve, along, (k * length) / (count - 1)));
  points[0] = waypoints[0];
  points[count - 1] = waypoints.at(-1);
  return [points, arcOf(points)];
}

/** The place on a sampled line at a distance along it, on the great circle between samples. */
export function resample(points, arc, s) {
  const within = Math.min(Math.max(s, arc[0]), arc.at(-1));
  const before = Math.min(lastAtMost(arc, within), arc.length - 2);
  const span = arc[before + 1] - arc[before];
  return slerp(points[before], points[before + 1], (within - arc[before]) / (span > 0 ? span : 1));
}

function check(waypoints, stepRad, maxPoints) {
  if (waypoints.length < 2) {
    throw new RangeError(
      `sample.waypoints: ${waypoints.length}; expected 2 or more; add where the line goes`,
    );
  }
  if (!(stepRad > 0))
    throw new RangeError(`sample.stepRad: ${stepRad}; expected above 0; give a distance`);
  if (maxPoints < 2)
    throw new RangeError(`sample.maxPoints: ${maxPoints}; expected 2 or more; allow both ends`);
  for (let i = 0; i + 1 < waypoints.length; i += 1) {
    const angle = angleRad(waypoints[i], waypoints[i + 1]);
    if (angle < SAME_RAD || angle > PI - SAME_RAD) {
      const fault = angle < SAME_RAD ? 'equal' : 'antipodal';
      throw new RangeError(
        `sample.waypoints: ${i} and ${i + 1} are ${fault}; ` +
          'expected one great circle between neighbours; move one',
      );
    }
  }
}

/** The waypoints, with more on the great circle wherever two are far apart. */
function knotsOf(waypoints) {
  const knots = [waypoints[0]];
  for (let j = 0; j + 1 < waypoints.length; j += 1) {
    const [a, b] = [waypoints[j], waypoints[j + 1]];
    const pieces = Math.max(Math.ceil(angleRad(a, b) / LONGEST_PIECE_RAD), 1);
    for (let i = 1; i < pieces; i += 1) knots.push(slerp(a, b, i / pieces));
    knots.push(b);
  }
  return knots;
}

/** Evaluate the spline about every stepRad, once at each knot. */
function catmullRom(knots, stepRad) {
  const chord = [];
  for (let i = 0; i + 1 < knots.length; i += 1)
    chord.push(knots[i + 1].map((x, k) => x - knots[i][k]));
  const length = chord.map((c) => Math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]));
  const duration = length.map(Math.sqrt);
  const slope = chord.map((c, i) => c.map((x) => x / duration[i]));
  const tangents = tangentsOf(slope, duration);
  const curve = [knots[0]];
  length.forEach((size, i) => {
    const steps = Math.max(Math.ceil(size / stepRad), 2);
    const start = tangents[i].map((x) => x * duration[i]);
    const end = tangents[i + 1].map((x) => x * duration[i]);
    // Hermite form, from the start: 0 at t = 0, the chord at t = 1.
    const bend = start.map((x, k) => x + end[k] - 2 * chord[i][k]);
    const lean = start.map((x, k) => 3 * chord[i][k] - 2 * x - end[k]);
    for (let j = 1; j <= steps; j += 1) {
      const t = j / steps;
      curve.push(
        normalize(knots[i].map((x, k) => x + t * (start[k] + t * (lean[k] + t * bend[k])))),
      );
    }
  });
  return curve;
}

/** Derivative at each knot: between its two slopes, and with no curvature at the ends. */
function tangentsOf(slope, duration) {
  const last = slope.length;
  const tangents = [slope[0]];
  for (let i = 1; i < last; i += 1) {
    const [before, after] = [duration[i - 1], duration[i]];
    tangents.push(
      slope[i - 1].map((x, k) => (x * after + slope[i][k] * before) / (before + after)),
    );
  }
  tangents.push(slope[last - 1]);
  if (last > 1) {
    tangents[0] = slope[0].map((x, k) => 1.5 * x - 0.5 * tangents[1][k]);
    tangents[last] = slope[last - 1].map((x, k) => 1.5 * x - 0.5 * tangents[last - 1][k]);
  }
  return tangents;
}

function arcOf(points) {
  const arc = [0];
  for (let i = 0; i + 1 < points.length; i += 1)
    arc.push(arc[i] + angleRad(points[i], points[i + 1]));
  return arc;
}

/** Position of the last number of an ascending list that is not above s. */
function lastAtMost(ascending, s) {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= s) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
