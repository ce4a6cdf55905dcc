/**
 * What stands on the ground and how high: what cameras frame, look past and fly round.
 *
 * Twin: godseed/sim/skyline.py
 */

import { kit } from './kits.js';
import { smoothstep } from './maths.js';
import { dot } from './sphere.js';

/** What is not higher than a lamp hides nothing, planet radii. */
export const LOWEST = 0.008;
/** Whatever is lower is under every camera anyway. */
export const TALL = 0.018;
/** Room between the top of a building and a camera above it. */
export const MARGIN = 0.014;
/** The floor for cameras is as high as a building this far around it... */
export const STEEP = 0.018;
/** ... and ends this far away. */
export const GENTLE = 0.085;
/** What is farther from a town's centre does not belong to it; chord. */
export const TOWN_REACH = 0.6;
/** Extent of a town of one building, planet radii. */
export const SMALLEST = 0.06;

/** Things that stand, kit after kit by name. */
export class Skyline {
  /** Framings that were chosen for it, by what they show. */
  chosen = new Map();

  /** @param {{dir: number[], ground: number, height: number, reach: number}[]} stands */
  constructor(stands) {
    this.stands = stands;
    this.tall = stands.filter(({ height }) => height > TALL);
  }

  /** How far a town reaches around its centre: twice the spread of what stands near it. */
  extent(center) {
    let [total, count] = [0, 0];
    for (const { dir } of this.stands) {
      const gap = [dir[0] - center[0], dir[1] - center[1], dir[2] - center[2]];
      const square = dot(gap, gap);
      if (square < TOWN_REACH * TOWN_REACH) {
        total += square;
        count += 1;
      }
    }
    return count === 0 ? SMALLEST : Math.max(SMALLEST, 2 * Math.sqrt(total / count));
  }

  /**
   * Least height above radius 1 at which a camera passes over what stands, -1 where nothing does.
   *
   * @param {Float64Array} dirs 3 numbers each
   */
  floor(dirs) {
    const floor = new Float64Array(dirs.length / 3).fill(-1);
    for (let i = 0; i < floor.length; i += 1) {
      const [x, y, z] = [dirs[3 * i], dirs[3 * i + 1], dirs[3 * i + 2]];
      for (const { dir, ground, height, reach } of this.tall) {
        const gap = [dir[0] - x, dir[1] - y, dir[2] - z];
        const apart = Math.sqrt(dot(gap, gap));
        if (!(apart < reach + GENTLE)) continue;
        const fall = 1 - smoothstep(0, 1, (apart - reach - STEEP) / (GENTLE - STEEP));
        floor[i] = Math.max(floor[i], ground + (height + MARGIN) * fall);
      }
    }
    return floor;
  }
}

/**
 * The skyline of kits.
 *
 * @param {[string, Float32Array, Float32Array][]} stands kit name, instance rows of 16 columns, and
 *   ground under each; by name
 */
export function skylineOf(stands) {
  const found = [];
  for (const [name, rows, under] of stands) {
    const info = kit(name);
    if (info.family !== 'structure') continue;
    for (let i = 0; i < under.length; i += 1) {
      const row = rows.subarray(16 * i, 16 * i + 16);
      const height = row[3] * row[7] * info.height;
      if (!(height > LOWEST)) continue;
      const dir = [row[0], row[1], row[2]];
      found.push({ dir, ground: under[i], height, reach: row[3] * info.footprint });
    }
  }
  return new Skyline(found);
}
