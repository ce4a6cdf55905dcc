/**
 * Hues to linear light, with operations that every machine rounds alike.
 *
 * Twin: godseed/sim/color.py
 */

/** Linear rgb of a hue in degrees, saturation and value of the HSV wheel. */
export function hueRgb(hue, saturation, value) {
  const sector = hue / 60;
  return [5, 3, 1].map((shift) => {
    let k = sector + shift;
    k -= 6 * Math.floor(k / 6);
    const drop = Math.max(0, Math.min(Math.min(k, 4 - k), 1));
    return linear(value - value * saturation * drop);
  });
}

/** Light of a display value: a cubic through 0 and 1 that follows the sRGB curve within 0.004. */
export function linear(display) {
  return display * (display * (display * 0.305306011 + 0.682171111) + 0.012522878);
}
