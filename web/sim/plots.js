/**
 * Ground that buildings take, kept among the paths so that whoever builds later builds beside them.
 *
 * A plot is one point of kind PLOT whose `halfWidth` is the radius that it keeps free.
 *
 * Twin: godseed/sim/plots.py
 */

/** Kind of path beside ROAD, STREET and STREAM; nobody walks along a plot. */
export const PLOT = 3;
/**
 * Kind of the one point that stands for a whole district: its centre, the way of its main street as
 * tangent, and its radius as `halfWidth`.
 */
export const DISTRICT = 4;
/** Line number of the plots that structures ask for; houses of districts have others. */
export const STRUCTURE_LINE = 0;

/** A plot as a path point. */
export function plotPath(at, radius, feature, line) {
  return { point: at, tangent: [0, 0, 0], feature, line, kind: PLOT, halfWidth: radius };
}

/**
 * The points of earlier features that lie within a chord of a place, in order.
 *
 * @returns {{point: number[], kind: number, halfWidth: number}[]}
 */
export function within(paths, center, radius, before) {
  const found = [];
  const end = paths.countBefore(before);
  for (let i = 0; i < end; i += 1) {
    const x = paths.points[3 * i];
    if (isNear(x, paths.points[3 * i + 1], paths.points[3 * i + 2], center, radius)) {
      found.push({ point: paths.point(i), kind: paths.kind[i], halfWidth: paths.halfWidth[i] });
    }
  }
  return found;
}

/** Whether a point lies within a chord of a unit vector. */
export function isNear(x, y, z, center, radius) {
  if (!(Math.abs(x - center[0]) < radius + 1e-9)) return false;
  const along = x * center[0] + y * center[1] + z * center[2];
  return 2 - 2 * along < radius * radius;
}

/**
 * Whether a disc at a place touches any of the discs `{point, halfWidth}`; radii are chords, planet
 * radii.
 */
export function touches(at, radius, discs) {
  const [x, y, z] = at;
  for (const { point, halfWidth } of discs) {
    const along = x * point[0] + y * point[1] + z * point[2];
    const reach = radius + halfWidth;
    if (2 - 2 * along < reach * reach) return true;
  }
  return false;
}
