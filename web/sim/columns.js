/**
 * Column batches: n features of one tool as arrays, and what the tools give back.
 *
 * The Python side builds a batch with array operations; this side loops over its features. Vectors
 * are arrays of three numbers.
 *
 * @typedef {object} Columns n accepted features of one tool, in feature order
 * @property {number[]} index position of each feature in the world, ascending
 * @property {number[]} seed each feature's seed, uint32
 * @property {Record<string, number[]>} numbers argument name -> clamped numbers, defaults filled in
 * @property {Record<string, number[]>} enums argument name -> positions in the spec's `values`
 * @property {Record<string, string[]>} texts argument name -> texts
 * @property {Record<string, number[][][]>} paths argument name -> lists of [lat, lon] in degrees
 * @property {number[]} ordinal how many features of the tool come before each one
 * @property {number[][]} town town centre of the world before each feature
 *
 * @typedef {object} Part rows that a batch adds to one buffer, ordered by feature
 * @property {number[][]} rows float64; rounded to float32 once, when the scene stores them
 * @property {number[]} feature world index of the feature that owns each row, ascending
 * @property {number} width columns of a row
 *
 * @typedef {object} PathPoint one sample of a line on the ground
 * @property {number[]} point unit vector
 * @property {number[]} tangent unit vector along the line
 * @property {number} feature world index of the owner
 * @property {number} line number of the line inside its feature
 * @property {number} kind ROAD, STREET, STREAM, or PLOT of plots.js
 * @property {number} halfWidth planet radii
 *
 * @typedef {object} Built what one batch of one tool adds to the scene
 * @property {Record<string, Part>} parts buffer name -> rows
 * @property {PathPoint[]} paths lines that later features may follow or face, ordered by feature
 *
 * Twin: godseed/sim/columns.py
 */

export const ROAD = 0;
export const STREET = 1;
export const STREAM = 2;

/**
 * Roads, streets and streams on the ground as sampled points, ordered by feature; columns of equal
 * length.
 */
export class Paths {
  /**
   * @param {Float64Array} points 3 numbers each
   * @param {Float64Array} tangents 3 numbers each
   * @param {Int32Array} feature
   * @param {Int32Array} line
   * @param {Int32Array} kind
   * @param {Float64Array} halfWidth
   */
  constructor(points, tangents, feature, line, kind, halfWidth) {
    this.points = points;
    this.tangents = tangents;
    this.feature = feature;
    this.line = line;
    this.kind = kind;
    this.halfWidth = halfWidth;
  }

  /** No paths at all. */
  static empty() {
    const none = new Int32Array(0);
    return new Paths(
      new Float64Array(0),
      new Float64Array(0),
      none,
      none,
      none,
      new Float64Array(0),
    );
  }

  /** Number of points. */
  get length() {
    return this.feature.length;
  }

  /** Point i as a vector. */
  point(i) {
    return [this.points[3 * i], this.points[3 * i + 1], this.points[3 * i + 2]];
  }

  /** Tangent at point i as a vector. */
  tangent(i) {
    return [this.tangents[3 * i], this.tangents[3 * i + 1], this.tangents[3 * i + 2]];
  }

  /** How many points belong to features below a world index. */
  countBefore(feature) {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.feature[middle] < feature) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Find the path point nearest to a place among those of earlier features; ties go to the earliest
 * point.
 *
 * @returns {[number, number]} index into paths and cosine of the angle to it, both -1 where there
 *   is none
 */
export function nearestPath(paths, at, before, kinds) {
  const end = paths.countBefore(before);
  const { points, kind } = paths;
  const [x, y, z] = at;
  let best = -1;
  let cosine = -2;
  for (let i = 0; i < end; i += 1) {
    const along = points[3 * i] * x + points[3 * i + 1] * y + points[3 * i + 2] * z;
    if (along > cosine && kinds.includes(kind[i])) {
      best = i;
      cosine = along;
    }
  }
  return best < 0 ? [-1, -1] : [best, cosine];
}

/** A part without rows yet. */
export function emptyPart(width) {
  return { rows: [], feature: [], width };
}

/** Add a row to a part of a built batch, which begins empty. */
export function addRow(parts, name, feature, row) {
  parts[name] ??= emptyPart(row.length);
  parts[name].rows.push(row);
  parts[name].feature.push(feature);
}
