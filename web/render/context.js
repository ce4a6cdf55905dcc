/**
 * The WebGL2 context of a canvas, through three.js with everything automatic turned off.
 *
 * Twin: godseed/render/context.py
 */

import { ColorManagement, LinearSRGBColorSpace, NoToneMapping, WebGLRenderer } from 'three';
import { RenderError } from './errors.js';

export const SAMPLE_COUNTS = [0, 2, 4, 8];

/**
 * A three.js renderer that draws what it is given, in the order it is given, and adds nothing.
 *
 * @param {HTMLCanvasElement} canvas
 * @returns {WebGLRenderer}
 * @throws {RenderError} the browser has no WebGL2 with float targets
 */
export function createContext(canvas) {
  const gl = canvas.getContext('webgl2', {
    alpha: false,
    antialias: false,
    depth: false,
    stencil: false,
    powerPreference: 'high-performance',
    preserveDrawingBuffer: false,
  });
  if (gl === null || gl.getExtension('EXT_color_buffer_float') === null) {
    throw new RenderError(
      'render.context: no WebGL2 with float targets; expected a browser of 2021 or newer with ' +
        'graphics enabled; try another browser',
    );
  }
  ColorManagement.enabled = false;
  const three = new WebGLRenderer({ canvas, context: gl });
  three.outputColorSpace = LinearSRGBColorSpace;
  three.toneMapping = NoToneMapping;
  three.autoClear = false;
  three.sortObjects = false;
  three.shadowMap.autoUpdate = false;
  three.info.autoReset = false;
  const settle = () => {
    three.setClearColor(0x000000, 0);
    gl.disable(gl.DITHER);
  };
  settle();
  // three.js begins anew with a context that comes back.
  canvas.addEventListener('webglcontextrestored', settle);
  return three;
}

/**
 * What decides the pixels here.
 *
 * @returns {{renderer: string, version: string, samples: number}} strings of the driver
 */
export function fingerprint(three, samples) {
  const gl = three.getContext();
  const names = gl.getExtension('WEBGL_debug_renderer_info');
  return {
    renderer: gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER),
    version: gl.getParameter(gl.VERSION),
    samples,
  };
}

/**
 * The sample count, if this browser can draw with it.
 *
 * @throws {RenderError} it is not one of 0, 2, 4, 8, or above what the rasteriser offers
 */
export function requireSamples(three, samples) {
  if (!SAMPLE_COUNTS.includes(samples)) {
    throw new RenderError(
      `render.samples: ${samples}; expected 0, 2, 4 or 8; choose one of these`,
    );
  }
  const gl = three.getContext();
  const [most] = gl.getInternalformatParameter(gl.RENDERBUFFER, gl.RGBA16F, gl.SAMPLES);
  if (samples > most) {
    throw new RenderError(
      `render.samples: ${samples}; expected at most ${most} here; choose fewer samples`,
    );
  }
  return samples;
}

/**
 * [width, height] in pixels, if this browser can draw a picture so large.
 *
 * @throws {RenderError} a side is under 1 or above the largest texture
 */
export function requireSize(three, size) {
  const gl = three.getContext();
  const limit = Math.min(
    gl.getParameter(gl.MAX_TEXTURE_SIZE),
    gl.getParameter(gl.MAX_RENDERBUFFER_SIZE),
  );
  const [width, height] = size;
  const fits = (side) => Number.isInteger(side) && side >= 1 && side <= limit;
  if (!fits(width) || !fits(height)) {
    throw new RenderError(
      `render.size: ${width}x${height}; expected each side from 1 to ${limit} px; change it`,
    );
  }
  return [width, height];
}
