/**
 * How a road meets what was there first: it goes round buildings, ends at the gates of districts,
 * and joins earlier roads instead of running beside them.
 *
 * A road is bent before it is paved. Every bend fades out along the road, so that it stays smooth,
 * and nothing is ever moved that an earlier feature laid.
 *
 * @typedef {object} Before what a road finds on the ground
 * @property {{point: number[], radius: number}[]} stands earlier buildings, in feature order
 * @property {{center: number[], way: number[], radius: number}[]} districts earlier ones, and the
 *   ways of their main streets
 * @property {{point: number[], tangent: number[]}[]} roads samples of earlier roads, as paved
 *
 * @typedef {object} Run a piece of a road outside of the districts
 * @property {number[][]} points two or more
 * @property {boolean[]} shared whether a sample lies on an earlier road
 * @property {boolean[]} crossing whether the patch behind each sample touches an earlier road
 *
 * Twin: godseed/sim/junctions.py
 */

import { GATE_INSET } from './district.js';
import { atan2, clamp, cos, sin, smoothstep } from './maths.js';
import { cross, dot, normalize, rotate } from './sphere.js';
import { resample } from './spline.js';
import { lineTangents } from './strip.js';

/** Room between the middle of a road and the ground of a building, planet radii. */
export const AROUND = 0.0075;
/** An end this near to an earlier road is led to it. */
export const END_REACH = 0.045;
/** A led end stops this far from the middle of the road that it meets. */
export const END_GAP = 0.0028;
/** Samples this near to an earlier road of about the same direction lie on it. */
export const SHARE_REACH = 0.016;
export const SHARE_COSINE = 0.78;
/** Shared samples lie this near to a sample of the earlier road, along it. */
export const ALONG = 0.004;
/** Fewer samples than these between two shared stretches are shared too. */
export const SHORTEST_GAP = 5;
/** How far along the road a bend fades out, at least. */
export const FADE = 0.06;
/** Patches this near to an earlier road have neither kerb nor line. */
export const CROSSING_REACH = 0.0085;
/** What a district cuts off a run is left out if it has fewer samples than these. */
export const SHORTEST_REST = 8;
/** Samples of a road may be this far behind a gate, radians. */
export const EDGE = 1e-6;
/** A shorter piece from a gate to the same gate is left out. */
export const SAME_GATE_SAMPLES = 8;

/**
 * The pieces of a road that are paved, bent to meet what was there first.
 *
 * @param {number[][]} asked samples of the road as it was asked for
 * @param {number} stepRad distance wanted between samples
 * @param {Before} before
 * @returns {Run[]}
 */
export function runsOf(asked, stepRad, before) {
  const points = roundBuildings(asked, before);
  const owner = points.map((point) => districtOf(point, before));
  const runs = [];
  for (let start = 0, end = 0; start < points.length; start = end) {
    for (end = start + 1; end < points.length && owner[end] === owner[start]; ) end += 1;
    if (owner[start] >= 0) continue;
    const first = start > 0 ? owner[start - 1] : -1;
    const last = end < points.length ? owner[end] : -1;
    const piece = toGates(points.slice(start, end), first, last, stepRad, before);
    if (piece.length >= 2) runs.push(...outside(joined(piece, first < 0, last < 0, before), before));
  }
  return runs;
}

/** Chords along sampled points, added up. */
export function arcOf(points) {
  const arc = [0];
  for (let i = 1; i < points.length; i += 1) arc.push(arc[i - 1] + chord(points[i], points[i - 1]));
  return arc;
}

/** Samples pushed aside where a building stands in the way; the ends stay where they are. */
function roundBuildings(asked, before) {
  let points = asked;
  const last = points.length - 1;
  for (const { point: at, radius } of before.stands) {
    let near = 0;
    let along = -2;
    points.forEach((point, k) => {
      const here = dot(point, at);
      if (here > along) [near, along] = [k, here];
    });
    const need = radius + AROUND;
    const gap = minus(at, points[near]);
    if (near === 0 || near === last || !(dot(gap, gap) < need * need)) continue;
    const ahead = normalize(minus(points[near + 1], points[near - 1]));
    const across = cross(points[near], ahead);
    const lateral = dot(gap, across);
    const push = (lateral < 0 ? lateral : -lateral) + need;
    const way = lateral >= 0 ? -1 : 1;
    const middle = points[near];
    points = points.map((point, k) => {
      const weight = 1 - smoothstep(0, 3 * need, chord(point, middle));
      const held = weight * Math.min(Math.min(k, last - k) * 0.25, 1);
      return normalize(point.map((x, j) => x + across[j] * (way * push) * held));
    });
  }
  return points;
}

/** Which district a point lies in, the earliest if several; -1 for none. */
function districtOf(point, { districts }) {
  return districts.findIndex(({ center, radius }) => dot(point, center) > cos(radius));
}

/** A piece led to the gates of the districts before and behind it (-1 for none). */
function toGates(piece, first, last, stepRad, before) {
  if (first < 0 && last < 0) return piece;
  const share = first >= 0 && last >= 0 ? 0.5 : 1;
  let points = piece;
  const sides = [];
  for (const number of [first, last]) {
    points = [...points].reverse();
    if (number < 0) continue;
    const side = dot(points.at(-1), before.districts[number].way) >= 0 ? 1 : -1;
    points = led(points, before.districts[number], side, share);
    sides.push(side);
  }
  if (first === last && sides[0] === sides[1] && points.length < SAME_GATE_SAMPLES) return [];
  const arc = arcOf(points);
  const length = arc.at(-1);
  const count = Math.ceil(length / stepRad) + 1;
  if (!(count > 1)) return [];
  return Array.from({ length: count }, (_, k) =>
    resample(points, arc, (k * length) / Math.max(count - 1, 1)),
  );
}

/** Samples turned round a district's centre until the last one meets a gate, and the gate. */
function led(points, { center, way: axis, radius }, side, share) {
  const way = axis.map((x) => x * side);
  const angle = -atan2(dot(points.at(-1), cross(center, way)), dot(points.at(-1), way));
  const arc = arcOf(points);
  const length = arc.at(-1);
  const fade = Math.min(FADE + 2.5 * Math.abs(angle) * radius, share * length);
  const turned = points.map((point, k) => {
    const weight = smoothstep(0, 1, 1 - (length - arc[k]) / Math.max(fade, 1e-6));
    return normalize(rotate(point, center, angle * weight));
  });
  const reach = radius - GATE_INSET;
  const [c, s] = [cos(reach), sin(reach)];
  return [...turned, normalize(center.map((x, k) => x * c + way[k] * s))];
}

/**
 * A piece whose free ends meet earlier roads, and that lies on them where it would run beside them.
 */
function joined(piece, freeStart, freeEnd, { roads }) {
  let points = piece;
  if (roads.length === 0) {
    return { points, shared: points.map(() => false), crossing: points.slice(1).map(() => false) };
  }
  for (const free of [freeStart, freeEnd]) {
    points = [...points].reverse();
    if (free) points = endJoined(points, roads);
  }
  const near = points.map((point) => nearest(point, roads));
  const tangents = lineTangents(points);
  const close = near.map(([index, away], k) => {
    return away < SHARE_REACH && Math.abs(dot(tangents[k], roads[index].tangent)) > SHARE_COSINE;
  });
  const shared = withoutGaps(close);
  const targets = points.map((point, k) => {
    const { point: foot, tangent: ahead } = roads[near[k][0]];
    const along = clamp(dot(minus(point, foot), ahead), -ALONG, ALONG);
    return normalize(foot.map((x, j) => x + ahead[j] * along));
  });
  points = onto(points, shared, targets);
  const away = points.map((point) => nearest(point, roads)[1]);
  const crossing = away.slice(1).map((x, k) => Math.min(x, away[k]) < CROSSING_REACH);
  return { points, shared, crossing };
}

/** What is left of a run where bending has brought it into a district, behind its gates. */
function outside(run, { districts }) {
  const { points, shared, crossing } = run;
  const deep = points.map((point) =>
    districts.some(
      ({ center, radius }) => dot(point, center) > cos(radius - (GATE_INSET + EDGE)),
    ),
  );
  if (!deep.some(Boolean)) return [run];
  const runs = [];
  for (let a = 0, b = 0; a < deep.length; a = b) {
    for (b = a + 1; b < deep.length && deep[b] === deep[a]; ) b += 1;
    if (deep[a] || b - a < SHORTEST_REST) continue;
    runs.push({
      points: points.slice(a, b),
      shared: shared.slice(a, b),
      crossing: crossing.slice(a, b - 1),
    });
  }
  return runs;
}

/** Samples bent so that the last one meets the nearest road, if that is near. */
function endJoined(points, roads) {
  const end = points.at(-1);
  const [index, apart] = nearest(end, roads);
  const arc = arcOf(points);
  const length = arc.at(-1);
  if (!(apart > END_GAP && apart < END_REACH) || length < 2 * apart) return points;
  const step = minus(roads[index].point, end).map((x) => x * (1 - END_GAP / apart));
  const fade = Math.min(Math.max(FADE, 3 * apart), length);
  return points.map((point, k) => {
    const weight = smoothstep(0, 1, 1 - (length - arc[k]) / fade);
    return normalize(point.map((x, j) => x + step[j] * weight));
  });
}

/** The road sample nearest to a point, the earliest if several, and the chord to it. */
function nearest(point, roads) {
  let index = 0;
  let along = -2;
  roads.forEach((road, k) => {
    const here = dot(point, road.point);
    if (here > along) [index, along] = [k, here];
  });
  return [index, chord(point, roads[index].point)];
}

/** Short stretches between shared ones are shared too. */
function withoutGaps(shared) {
  const filled = [...shared];
  let before = -1;
  shared.forEach((own, k) => {
    if (!own) return;
    if (before >= 0 && k - before <= SHORTEST_GAP) filled.fill(true, before, k);
    before = k;
  });
  return filled;
}

/**
 * Shared samples at their targets; the others follow those at the ends of their stretch.
 */
function onto(points, shared, targets) {
  if (!shared.some(Boolean)) return points;
  const arc = arcOf(points);
  const moved = points.map((point, k) => [...(shared[k] ? targets[k] : point)]);
  const step = moved.map((point, k) => minus(point, points[k]));
  const { length } = points;
  for (let start = 0, end = 0; start < length; start = end) {
    for (end = start + 1; end < length && shared[end] === shared[start]; ) end += 1;
    if (shared[start]) continue;
    const [left, right] = [start - 1, end];
    const both = left >= 0 && right < length;
    const stretch = arc[Math.min(right, length - 1)] - arc[Math.max(left, 0)];
    const fade = Math.max(Math.min(FADE, stretch * (both ? 0.5 : 1)), 1e-6);
    for (const edge of [left, right]) {
      if (edge < 0 || edge >= length) continue;
      for (let k = start; k < end; k += 1) {
        const weight = 1 - smoothstep(0, fade, Math.abs(arc[k] - arc[edge]));
        moved[k] = moved[k].map((x, j) => x + step[edge][j] * weight);
      }
    }
  }
  return moved.map(normalize);
}

function minus(a, b) {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function chord(a, b) {
  const gap = minus(a, b);
  return Math.sqrt(dot(gap, gap));
}
