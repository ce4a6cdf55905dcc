/** A canvas whose WebGL context goes away and comes back, as phones and drivers let it. */

/**
 * Watch a canvas.
 *
 * @param {HTMLCanvasElement} canvas of a renderer, whose own listeners come first
 * @param {{lost: () => void, restored: () => void}} to
 */
export function watchContext(canvas, to) {
  canvas.addEventListener('webglcontextlost', (event) => {
    // Without this the browser never gives the context back.
    event.preventDefault();
    to.lost();
  });
  canvas.addEventListener('webglcontextrestored', () => to.restored());
}
