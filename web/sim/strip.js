/**
 * Strips of patches along lines on the ground: what roads, footpaths and streams are drawn from.
 *
 * Twin: godseed/sim/strip.py
 */

import { cross, dot, normalize } from './sphere.js';

export const PATCH_WIDTH = 24;
/** Paved patches reach this far across, in half widths; the shader fades them beyond the kerb. */
export const SHOULDER = 1.32;

/** Unit tangents of one sampled line of two points or more, from each point's neighbours. */
export function lineTangents(points) {
  const last = points.length - 1;
  return points.map((point, i) => {
    const [a, b] = [points[Math.max(i - 1, 0)], points[Math.min(i + 1, last)]];
    const chord = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const rise = dot(chord, point);
    return normalize([
      chord[0] - point[0] * rise,
      chord[1] - point[1] * rise,
      chord[2] - point[2] * rise,
    ]);
  });
}

/**
 * Patches between neighbouring points of one line, corners and s0, s1 filled in; neighbours share
 * exact corners.
 */
export function stripRows(points, tangents, arc, halfWidths) {
  const left = [];
  const right = [];
  points.forEach((point, i) => {
    const side = cross(point, tangents[i]).map((x) => x * halfWidths[i]);
    left.push(normalize([point[0] + side[0], point[1] + side[1], point[2] + side[2]]));
    right.push(normalize([point[0] - side[0], point[1] - side[1], point[2] - side[2]]));
  });
  const rows = [];
  for (let i = 0; i + 1 < points.length; i += 1) {
    const row = [...left[i], ...left[i + 1], ...right[i], ...right[i + 1], arc[i], arc[i + 1]];
    while (row.length < PATCH_WIDTH) row.push(0);
    rows.push(row);
  }
  return rows;
}
