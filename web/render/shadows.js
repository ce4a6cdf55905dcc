/**
 * The shadow map: depth of what stands in the key light's way, drawn once and kept while it is the
 * same.
 *
 * A map depends on the casters' rows and their ground, the light's window, and the ages of what still
 * grows; while none of these changes between frames, the map of the last frame serves.
 *
 * Twin: godseed/render/shadows.py
 */

import {
  Camera,
  ClampToEdgeWrapping,
  DepthFormat,
  DepthTexture,
  LessEqualCompare,
  LinearFilter,
  Mesh,
  NearestFilter,
  RedFormat,
  Scene,
  UnsignedByteType,
  UnsignedIntType,
  WebGLRenderTarget,
} from 'three';
import { constants } from '../sim/spec.js';
import { STANDING, bufferNames, draws } from './draws.js';
import { RenderError } from './errors.js';
import { casters, shaderMaterial } from './materials.js';

/** The shadow map of a context; `draw` makes it that of a frame. */
export class ShadowMap {
  #three;
  #store;
  #casters = casters();
  #camera = new Camera();
  #scene = new Scene();
  #meshes = new Map();
  #target;
  #drawn = null;
  // Casters stand as at the first second: what sways and turns would have no map that lasts.
  #light = { u_view_projection: { value: null }, u_time_s: { value: 0 } };

  constructor(three, store) {
    const [width, height] = constants().shadow.size_px;
    this.#three = three;
    this.#store = store;
    this.#scene.matrixWorldAutoUpdate = false;
    const depthTexture = new DepthTexture(width, height, UnsignedIntType);
    depthTexture.format = DepthFormat;
    depthTexture.minFilter = LinearFilter;
    depthTexture.magFilter = LinearFilter;
    depthTexture.wrapS = ClampToEdgeWrapping;
    depthTexture.wrapT = ClampToEdgeWrapping;
    depthTexture.compareFunction = LessEqualCompare;
    three.domElement.addEventListener('webglcontextrestored', () => {
      this.#drawn = null;
    });
    this.#target = new WebGLRenderTarget(width, height, {
      format: RedFormat,
      type: UnsignedByteType,
      minFilter: NearestFilter,
      magFilter: NearestFilter,
      generateMipmaps: false,
      stencilBuffer: false,
      depthTexture,
    });
  }

  /** Sources of the program that is being compiled, for messages. */
  compiling = null;

  /**
   * The map of a frame.
   *
   * @param {Frame} frame what casts
   * @param {object} table uniforms of the frame, name -> {value}
   * @returns {DepthTexture}
   * @throws {RenderError} the frame says nothing of the map's window
   */
  draw(frame, table) {
    const contents = contentsOf(this.#casters, frame);
    if (this.#drawn === null || !same(this.#drawn, contents)) {
      this.#redraw(frame, table);
      this.#drawn = contents;
    }
    return this.#target.depthTexture;
  }

  /** Give everything back. */
  dispose() {
    for (const { material } of this.#meshes.values()) material.dispose();
    this.#target.depthTexture.dispose();
    this.#target.dispose();
  }

  #redraw(frame, table) {
    this.#light.u_view_projection.value = windowOf(frame);
    this.#scene.children = this.#casters.flatMap((material) =>
      [...draws(this.#store, frame, material)].map((call) => this.#mesh(material, call, table)),
    );
    this.#three.setRenderTarget(this.#target);
    this.#three.state.buffers.depth.setMask(true);
    this.#three.clear(true, true, false);
    this.#three.render(this.#scene, this.#camera);
    this.compiling = null;
  }

  #mesh(material, call, table) {
    const key = `${material.name} ${call.key}`;
    let mesh = this.#meshes.get(key);
    if (mesh === undefined) {
      const { program, vertex, state } = material;
      const uniforms = Object.assign(Object.create(table), this.#light);
      mesh = new Mesh(call.geometry, shaderMaterial(program, state, uniforms, { vertex }));
      mesh.material.colorWrite = false;
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      mesh.onBeforeRender = () => {
        this.compiling = mesh.material.userData;
      };
      this.#meshes.set(key, mesh);
    }
    mesh.geometry = call.geometry;
    mesh.material.uniformsNeedUpdate = true;
    return mesh;
  }
}

/** What decides the map: numbers, texts and typed arrays. */
function contentsOf(materials, frame) {
  const settled = constants().shadow.settled_s;
  const found = [...windowOf(frame), frame.uniforms.u_rise, frame.planet.key];
  found.push(frame.ages.map((age) => Math.min(age, settled)));
  for (const material of materials) {
    if (!material.buffers.includes(STANDING)) continue;
    for (const name of bufferNames(frame, material)) {
      const view = frame.buffers[name];
      if (view) found.push(name, view.rows, view.groundBefore, view.ground);
    }
  }
  return found;
}

function same(a, b) {
  return a.length === b.length && a.every((value, i) => equal(value, b[i]));
}

function equal(a, b) {
  if (a === b || !ArrayBuffer.isView(a) || !ArrayBuffer.isView(b)) return a === b;
  if (a.length !== b.length) return false;
  if (a.buffer === b.buffer && a.byteOffset === b.byteOffset) return true;
  return a.every((value, i) => value === b[i]);
}

function windowOf(frame) {
  const window = frame.uniforms.u_shadow;
  if (!Array.isArray(window) || window.length !== 16) {
    throw new RenderError(
      `frame: u_shadow is ${window}; expected the 16 numbers of the shadow map's matrix; ` +
        'correct the frame',
    );
  }
  return window;
}
