/**
 * The sky: it has no geometry of its own; `environment.js` reads the feature itself.
 *
 * Twin: godseed/sim/tools/set_sky.py
 */

/**
 * Nothing to place.
 *
 * @returns {import('../columns.js').Built}
 */
export function build() {
  return { parts: {}, paths: [] };
}
