/**
 * Where the shadow map looks: a window over the ground near the camera, seen from the key light.
 *
 * The window lies round a vertex of the level 3 icosphere, as the finer ground does, so that it
 * stands still while the camera moves within it. Its axes are level and upright at that place, and
 * it is as tall as the ground in it looks from the light, so that no texel is spent on what is not
 * there.
 *
 * Twin: godseed/sim/shadow.py
 */

import { snap } from './planet.js';
import { constants } from './spec.js';
import { cross, dot, eastNorth, icosphere, normalize } from './sphere.js';

/**
 * Uniforms of the shadow map: `u_shadow`, the matrix from the world to the map's clip space,
 * column-major; and `u_shadow_texel`, the width of a texel in planet radii.
 *
 * @param {number[]} focus unit direction of what the shot is about
 * @param {boolean} near whether the camera stands near the ground; from afar the window spans half
 *   the planet
 * @param {number[]} sun unit vector towards the key light
 */
export function shadowWindow(focus, near, sun) {
  const rule = constants().shadow;
  const first = 3 * snap(focus);
  const anchor = [...icosphere(3).vertices.subarray(first, first + 3)];
  const level = cross(anchor, sun);
  const right = dot(level, level) > 1e-6 ? normalize(level) : eastNorth(sun)[0];
  const up = cross(sun, right);
  const height = dot(anchor, sun);
  const slant = Math.sqrt(Math.max(1 - height * height, 0));
  const wide = near ? rule.near_reach : rule.far_reach;
  // Seen from the side, the ground falls away by half the square of the distance.
  const tall = wide * Math.abs(height) + (rule.headroom + 0.5 * wide * wide) * slant;
  const deep = rule.depth;
  const rows = [right.map((x) => x / wide), up.map((x) => x / tall), sun.map((x) => -x / deep)];
  const shift = rows.map((row) => -dot(anchor, row));
  shift[2] += rule.toward_sun / deep;
  const matrix = [0, 1, 2].map((k) => [rows[0][k], rows[1][k], rows[2][k], 0]);
  matrix.push([...shift, 1]);
  return { u_shadow: matrix.flat(), u_shadow_texel: (2 * wide) / rule.size_px[0] };
}
