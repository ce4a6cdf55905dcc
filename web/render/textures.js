/**
 * Textures that are not targets: feature ages and the glyph atlas.
 *
 * Twin: godseed/render/textures.py
 */

import {
  ClampToEdgeWrapping,
  DataTexture,
  FloatType,
  LinearFilter,
  NearestFilter,
  RedFormat,
  UnsignedByteType,
} from 'three';

export const AGES_WIDTH = 256;
/** Age of what is in no feature's list, seconds. */
export const SETTLED_S = 60;

/** Feature ages as a 256 wide R32F texture, feature i at (i & 255, i >> 8). */
export class AgeTexture {
  #texture = null;

  /**
   * The texture with new ages in it.
   *
   * @param {Float32Array} ages seconds; the rest of the last row is filled with settled ages
   */
  update(ages) {
    const height = Math.max(1, Math.ceil(ages.length / AGES_WIDTH));
    if (this.#texture === null || this.#texture.image.height !== height) {
      this.dispose();
      const rows = new Float32Array(height * AGES_WIDTH);
      this.#texture = plain(rows, AGES_WIDTH, height, FloatType, NearestFilter);
    }
    const rows = this.#texture.image.data;
    rows.fill(SETTLED_S);
    rows.set(ages);
    this.#texture.needsUpdate = true;
    return this.#texture;
  }

  /** Give it back. */
  dispose() {
    this.#texture?.dispose();
    this.#texture = null;
  }
}

/**
 * The glyph atlas as R8, filtered linearly, without mips.
 *
 * Rows are uploaded as they lie in the file, so v = 0 is its top, as in `web/sim/glyphs.js`.
 *
 * @param {Blob} file the PNG, 8-bit grey
 */
export async function glyphTexture(file) {
  const bitmap = await createImageBitmap(file, {
    colorSpaceConversion: 'none',
    premultiplyAlpha: 'none',
  });
  const { width, height } = bitmap;
  const drawn = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  drawn.drawImage(bitmap, 0, 0);
  bitmap.close();
  const { data } = drawn.getImageData(0, 0, width, height);
  const grey = new Uint8Array(width * height);
  for (let i = 0; i < grey.length; i++) grey[i] = data[i * 4];
  return plain(grey, width, height, UnsignedByteType, LinearFilter);
}

function plain(data, width, height, type, filter) {
  const texture = new DataTexture(data, width, height, RedFormat, type);
  texture.minFilter = filter;
  texture.magFilter = filter;
  texture.wrapS = ClampToEdgeWrapping;
  texture.wrapT = ClampToEdgeWrapping;
  texture.generateMipmaps = false;
  texture.flipY = false;
  texture.unpackAlignment = 1;
  texture.needsUpdate = true;
  return texture;
}
