/**
 * The renderer: a frame of the world -> pixels, feature ids or distances.
 *
 * It computes no geometry and keeps nothing between frames but GPU copies of arrays, so frames may be
 * drawn in any order, at any size, and come out the same.
 *
 * Twin: godseed/render/renderer.py
 */

import { Camera, Mesh, Scene } from 'three';
import { leaveOut, loadPages } from '../sim/glyph_pages.js';
import { spec } from '../sim/spec.js';
import { pages } from '../sim/tools/inscribe_wish.js';
import { Buffers } from './buffers.js';
import { createContext, fingerprint, requireSamples, requireSize } from './context.js';
import { draws } from './draws.js';
import { RenderError } from './errors.js';
import { casters, materials, shaderMaterial } from './materials.js';
import { PASS_FILES, Passes, Targets, bytes, distances } from './passes.js';
import { loadShaders, reportErrors, requireUniforms } from './programs.js';
import { ShadowMap } from './shadows.js';
import { AgeTexture, GlyphPages, glyphTexture } from './textures.js';

/** Id of a pixel that shows no feature. */
export const NOTHING = -1;

/** Draws frames into a canvas or into memory. */
export class Renderer {
  #three;
  #store = new Buffers();
  #passes;
  #shadows;
  #materials = materials();
  #camera = new Camera();
  #scene = new Scene();
  #meshes = new Map();
  #table = {};
  #source;
  #textures;
  #targets = null;
  #compiling = null;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{text: (name: string) => Promise<string>, blob: (name: string) => Promise<Blob>}} source
   *   reads files of the specification; its JSON is loaded already
   * @returns {Promise<Renderer>}
   * @throws {RenderError} the browser cannot draw this
   */
  static async create(canvas, source) {
    const programs = [...materials(), ...casters()].flatMap(({ program, vertex }) => [
      `${vertex}.vert`,
      `${program}.frag`,
    ]);
    const [glyphs] = await Promise.all([
      source.blob('glyphs.png').then(glyphTexture),
      loadShaders((name) => source.text(name), [...programs, ...PASS_FILES]),
    ]);
    return new Renderer(canvas, glyphs, source);
  }

  constructor(canvas, glyphs, source) {
    this.#three = createContext(canvas);
    this.#passes = new Passes(this.#three);
    this.#shadows = new ShadowMap(this.#three, this.#store);
    this.#source = source;
    this.#textures = { ages: new AgeTexture(), glyphs, pages: new GlyphPages() };
    this.#scene.matrixWorldAutoUpdate = false;
    this.canvas = canvas;
    const compiling = () => this.#compiling ?? this.#shadows.compiling ?? this.#passes.compiling;
    reportErrors(this.#three, compiling);
  }

  /** Whether features can be drawn at once, since every page of their inscriptions is there. */
  prepared(features) {
    return this.#textures.pages.missing(pages(features).map((number) => 1 + number)).length === 0;
  }

  /**
   * Load the pages of the glyph atlas that features' inscriptions are drawn from; await it before
   * the scene of these features is built.
   *
   * @throws {Error} a page does not arrive
   */
  async prepare(features) {
    const wanted = pages(features);
    await Promise.all([
      loadPages(wanted, (name) => this.#source.text(name)),
      this.preparePages(wanted.map((number) => 1 + number)),
    ]);
  }

  /**
   * Load pictures of pages, for a frame that was built elsewhere.
   *
   * @param {number[]} named pages as in rows of glyphs, 1 + the page's number
   */
  async preparePages(named) {
    await this.#textures.pages.need(named, (name) => this.#source.blob(name));
  }

  /** Draw lozenges for what pages would show that have not arrived. */
  doWithout(features) {
    const named = pages(features).map((number) => 1 + number);
    leaveOut(this.#textures.pages.missing(named).map((page) => page - 1));
  }

  /** Strings that decide the pixels here, at a sample count. */
  fingerprint(samples) {
    return fingerprint(this.#three, samples);
  }

  /**
   * Draw a frame into the canvas, which is resized to it.
   *
   * @param {Frame} frame
   * @param {[number, number]} size pixels
   * @param {number} samples per pixel: 0, 2, 4 or 8
   * @throws {RenderError} the size or sample count is beyond this browser, a shader does not compile,
   *   or the frame lacks something that it needs
   */
  draw(frame, size, samples) {
    const { width, height } = this.canvas;
    if (width !== size[0] || height !== size[1]) this.#three.setSize(size[0], size[1], false);
    this.#picture(frame, size, samples, null);
  }

  /**
   * Pixels of a frame, RGBA8 rows from the top down.
   *
   * @returns {Uint8Array}
   * @throws {RenderError} as in `draw`
   */
  pixels(frame, size, samples) {
    const to = this.#picture(frame, size, samples);
    return topDown(this.#three, to.output, new Uint8Array(size[0] * size[1] * 4));
  }

  /**
   * Index of the feature that each pixel shows, rows from the top down, -1 for none: ground, sky and
   * what only glows. Drawn without multisampling.
   *
   * @returns {Int32Array}
   * @throws {RenderError} as in `draw`
   */
  ids(frame, size) {
    const target = bytes(requireSize(this.#three, size), true);
    this.#draw(frame, size, target, 'IDS');
    const wide = topDown(this.#three, target, new Uint8Array(size[0] * size[1] * 4));
    target.dispose();
    const ids = new Int32Array(size[0] * size[1]);
    for (let i = 0; i < ids.length; i++) {
      ids[i] = wide[i * 4] + (wide[i * 4 + 1] << 8) + (wide[i * 4 + 2] << 16) + NOTHING;
    }
    return ids;
  }

  /**
   * Distance of what each pixel shows along the view direction, rows from the top down, planet radii;
   * Infinity where there is only sky. Drawn without multisampling.
   *
   * @returns {Float32Array}
   * @throws {RenderError} as in `draw`
   */
  depth(frame, size) {
    const target = distances(requireSize(this.#three, size));
    this.#draw(frame, size, target, 'DEPTH');
    const depth = topDown(this.#three, target, new Float32Array(size[0] * size[1]));
    target.dispose();
    return depth.map((distance) => (distance > 0 ? distance : Infinity));
  }

  /** Give everything back; the renderer draws no more. */
  dispose() {
    this.#targets?.dispose();
    this.#passes.dispose();
    this.#shadows.dispose();
    this.#store.dispose();
    this.#textures.ages.dispose();
    this.#textures.glyphs.dispose();
    this.#textures.pages.dispose();
    for (const { material } of this.#meshes.values()) material.dispose();
    this.#three.dispose();
  }

  /** Scene, bloom and tone mapping into the output target, or into `target`. */
  #picture(frame, size, samples, target) {
    requireSize(this.#three, size);
    requireSamples(this.#three, samples);
    const held = this.#targets;
    if (!held || held.size.join() !== size.join() || held.samples !== samples) {
      held?.dispose();
      this.#targets = new Targets([...size], samples);
    }
    const to = this.#targets;
    this.#draw(frame, size, to.scene, 'COLOR');
    const glow = this.#passes.bloom(to, frame.uniforms);
    this.#passes.toneMap(to, glow, frame.uniforms, target);
    this.#three.info.reset();
    return to;
  }

  /** Draw every material in its order. */
  #draw(frame, size, target, output) {
    this.#setUniforms(frame, size);
    this.#set('u_shadow_map', this.#shadows.draw(frame, this.#table));
    const meshes = [];
    for (const material of this.#materials) {
      if (output !== 'COLOR' && !material.ids) continue;
      for (const call of draws(this.#store, frame, material)) {
        meshes.push(this.#mesh(material, call, output));
      }
    }
    this.#scene.children = meshes;
    this.#three.setRenderTarget(target);
    this.#three.state.buffers.depth.setMask(true);
    this.#three.clear(true, true, false);
    this.#three.render(this.#scene, this.#camera);
    this.#compiling = null;
  }

  /** The mesh of a draw call, made at its first use. */
  #mesh(material, call, output) {
    const key = `${output} ${material.name} ${call.key}`;
    let mesh = this.#meshes.get(key);
    if (mesh === undefined) {
      // Values of the call hide those of the frame, which are shared by all materials.
      const own = Object.entries(call.uniforms).map(([name, value]) => [name, { value }]);
      const uniforms = Object.assign(Object.create(this.#table), Object.fromEntries(own));
      mesh = new Mesh(
        call.geometry,
        shaderMaterial(material.program, material.state, uniforms, {
          output,
          vertex: material.vertex,
        }),
      );
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      mesh.onBeforeRender = () => {
        this.#compiling = mesh.material.userData;
      };
      mesh.onAfterRender = () => {
        mesh.onAfterRender = Mesh.prototype.onAfterRender;
        const { currentProgram } = this.#three.properties.get(mesh.material);
        const gl = this.#three.getContext();
        requireUniforms(gl, material.program, currentProgram.program, uniforms);
      };
      this.#meshes.set(key, mesh);
    }
    mesh.geometry = call.geometry;
    mesh.material.uniformsNeedUpdate = true;
    return mesh;
  }

  /** Uniforms of the frame, and what depends on the picture's size and the atlas. */
  #setUniforms(frame, [width, height]) {
    const lens = frame.uniforms.u_lens;
    if (!Array.isArray(lens) || lens.length !== 2) {
      throw new RenderError(
        `frame: u_lens is ${lens}; expected the tangents of half the field of view, [x, y]; ` +
          'correct the frame',
      );
    }
    const values = {
      ...frame.uniforms,
      u_viewport: [width, height],
      u_pixel: (2 * lens[1]) / height,
      u_glyph_spread: [spec('glyphs.json').atlas.spread_px, spec('glyph_pages.json').spread_px],
      u_ages: this.#textures.ages.update(frame.ages),
      u_glyphs: this.#textures.glyphs,
      u_glyph_pages: this.#textures.pages.pictures,
      u_glyph_layers: this.#textures.pages.layers,
    };
    for (const [name, value] of Object.entries(values)) this.#set(name, value);
  }

  #set(name, value) {
    if (this.#table[name]) this.#table[name].value = value;
    else this.#table[name] = { value };
  }
}

/** Read a target, its rows turned to run from the top down. */
function topDown(three, target, into) {
  const { width, height } = target;
  three.readRenderTargetPixels(target, 0, 0, width, height, into);
  const row = into.length / height;
  const turned = new into.constructor(into.length);
  for (let y = 0; y < height; y++) {
    turned.set(into.subarray((height - 1 - y) * row, (height - y) * row), y * row);
  }
  return turned;
}
