/**
 * The weather: it has no geometry of its own; `environment.js` reads the feature itself.
 *
 * Twin: godseed/sim/tools/set_weather.py
 */

/**
 * Nothing to place.
 *
 * @returns {import('../columns.js').Built}
 */
export function build() {
  return { parts: {}, paths: [] };
}
