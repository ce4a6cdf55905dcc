/** What a visitor's device asks for: less motion, fewer things drawn, a time that stands still. */

const STILL_MS = 4000;
const PHONE_SHARE = 0.5;
const MAX_PIXEL_RATIO = 2;

/** Whether the visitor asked the system for less motion. */
export function reducedMotion() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/**
 * The time that the page stands at, null where it runs: `?still=4000` sets it, and less motion asks
 * for it.
 *
 * @param {URLSearchParams} query
 * @returns {number | null} whole milliseconds
 */
export function stillMs(query) {
  const asked = query.get('still');
  if (asked !== null && /^[0-9]{1,9}$/.test(asked)) return Number(asked);
  return reducedMotion() ? STILL_MS : null;
}

/** Share of plants and weather that is drawn: all, or half of them on a phone. */
export function instanceShare() {
  return matchMedia('(pointer: coarse) and (max-width: 900px)').matches ? PHONE_SHARE : 1;
}

/** Size of a canvas in pixels of the screen, at most two for one of the page. */
export function pixelSize(canvas, scale = 1) {
  const ratio = Math.min(window.devicePixelRatio, MAX_PIXEL_RATIO) * scale;
  return [canvas.clientWidth, canvas.clientHeight].map((side) =>
    Math.max(1, Math.floor(side * ratio + 0.5)),
  );
}
