/**
 * The town: where it lies, and what it is called.
 *
 * The centre is the weighted mean of unit vectors over what wishes built, structures and districts,
 * summed in feature order and brought back to the sphere; genesis does not count.
 *
 * Twin: godseed/sim/town.py
 */

import { GENESIS_WISH } from './feature.js';
import { roundHalfUp } from './maths.js';
import { crc32 } from './rng.js';
import { constants, spec } from './spec.js';
import { direction, dot, latLon } from './sphere.js';

export const WEIGHT_NAMES = {
  place_structure: 'structure_weight',
  build_district: 'district_weight',
};

/** Centre of the town of a feature list, a unit vector. */
export function townCenter(features) {
  const [, total] = townPrefixes([0, 0, 0], features);
  return centerOf(total);
}

/**
 * Centres of the town before each of some features, and the sum with them.
 *
 * @param {number[]} total weighted sum of all features before them
 * @returns {[number[][], number[]]}
 */
export function townPrefixes(total, features) {
  const weights = constants().town;
  const centers = [];
  let sum = total;
  for (const feature of features) {
    centers.push(centerOf(sum));
    const name = WEIGHT_NAMES[feature.tool];
    if (name && feature.wishId !== GENESIS_WISH) {
      const dir = direction(feature.args.lat, feature.args.lon);
      sum = sum.map((x, k) => x + dir[k] * weights[name]);
    }
  }
  return [centers, sum];
}

/** Town centre from a weighted sum; the fallback where it is shorter than `min_mean_length`. */
export function centerOf(sum) {
  const town = constants().town;
  const length = Math.sqrt(dot(sum, sum));
  if (length < town.min_mean_length) return direction(town.fallback_lat_deg, town.fallback_lon_deg);
  return sum.map((x) => x / length);
}

/** Latitude and longitude of a town centre, whole degrees, halves rounded up. */
export function townPlace(center) {
  return latLon(center).map(roundHalfUp);
}

/** Name of a town: decided by the whole degrees that it lies nearest to. */
export function townName(center) {
  const [lat, lon] = townPlace(center);
  const names = spec('town_names.json');
  return names[crc32(`${lat},${lon}`) % names.length];
}
