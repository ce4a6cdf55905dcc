/**
 * Textures that are not targets: feature ages, the glyph atlas and its pages.
 *
 * Twin: godseed/render/textures.py
 */

import {
  ClampToEdgeWrapping,
  DataArrayTexture,
  DataTexture,
  FloatType,
  LinearFilter,
  NearestFilter,
  RedFormat,
  UnsignedByteType,
} from 'three';

import { pageFile, tables } from '../sim/glyph_pages.js';

export const AGES_WIDTH = 256;
/** Pages that a glyph may name: 0 for none, else 1 + the page's number. */
export const LAYERS_WIDTH = 257;
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
  const { grey: rows, width, height } = await grey(file);
  return plain(rows, width, height, UnsignedByteType, LinearFilter);
}

/**
 * Pages of the glyph atlas: the layers of an R8 array texture, filtered linearly, and a 257 wide
 * R32F texture that gives the layer of page p at p. Pages stay once they are loaded.
 */
export class GlyphPages {
  #pages = [];
  #pictures = [];

  constructor() {
    this.#upload();
  }

  /** Which pages of some are not there yet, as rows of glyphs name them. */
  missing(pages) {
    return pages.filter((page) => page > 0 && !this.#pages.includes(page));
  }

  /**
   * Load what is not there yet.
   *
   * @param {number[]} pages as in rows of glyphs, 1 + the page's number
   * @param {(name: string) => Promise<Blob>} read gives a file of the specification
   */
  async need(pages, read) {
    const files = this.missing(pages).map((page) => read(pageFile(page - 1, 'png')).then(grey));
    const missing = this.missing(pages);
    const pictures = await Promise.all(files);
    const fresh = missing.flatMap((page, i) => (this.#pages.includes(page) ? [] : [i]));
    if (fresh.length === 0) return;
    this.#pages.push(...fresh.map((i) => missing[i]));
    this.#pictures.push(...fresh.map((i) => pictures[i].grey));
    this.dispose();
    this.#upload();
  }

  /** Give them back. */
  dispose() {
    this.pictures.dispose();
    this.layers.dispose();
  }

  #upload() {
    const side = this.#pages.length > 0 ? tables().size_px : 1;
    const count = Math.max(1, this.#pages.length);
    const stack = new Uint8Array(side * side * count);
    const table = new Float32Array(LAYERS_WIDTH);
    this.#pictures.forEach((picture, layer) => {
      stack.set(picture, layer * side * side);
      table[this.#pages[layer]] = layer;
    });
    const pictures = new DataArrayTexture(stack, side, side, count);
    pictures.format = RedFormat;
    pictures.type = UnsignedByteType;
    this.pictures = settled(pictures, LinearFilter);
    this.layers = plain(table, LAYERS_WIDTH, 1, FloatType, NearestFilter);
  }
}

/** Grey values of a PNG, rows as they lie in the file. */
async function grey(file) {
  const bitmap = await createImageBitmap(file, {
    colorSpaceConversion: 'none',
    premultiplyAlpha: 'none',
  });
  const { width, height } = bitmap;
  const drawn = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  drawn.drawImage(bitmap, 0, 0);
  bitmap.close();
  const { data } = drawn.getImageData(0, 0, width, height);
  const values = new Uint8Array(width * height);
  for (let i = 0; i < values.length; i++) values[i] = data[i * 4];
  return { grey: values, width, height };
}

function plain(data, width, height, type, filter) {
  return settled(new DataTexture(data, width, height, RedFormat, type), filter);
}

function settled(texture, filter) {
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
