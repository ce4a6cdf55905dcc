/**
 * Targets of one picture size, and the passes after the scene: bloom, tone mapping, sRGB.
 *
 * Bloom is that of three.js r187's `UnrealBloomPass`: a high pass at half size, five mips blurred in
 * turn, added up at half size. Its weights are literal numbers in `spec/postprocess.json`.
 *
 * Twin: godseed/render/passes.py
 */

import {
  BufferAttribute,
  BufferGeometry,
  Camera,
  ClampToEdgeWrapping,
  FloatType,
  HalfFloatType,
  LinearFilter,
  Mesh,
  NearestFilter,
  NoColorSpace,
  RGBAFormat,
  RedFormat,
  Scene,
  UnsignedByteType,
  WebGLRenderTarget,
} from 'three';
import { spec } from '../sim/spec.js';
import { cornerMesh } from './buffers.js';
import { shaderMaterial, state } from './materials.js';

/** Programs of the passes, for `loadShaders`. */
export const PASS_FILES = ['screen.vert', 'bright.frag', 'blur.frag', 'composite.frag', 'output.frag'];

/** Sizes of `count` mips: half of the picture, then half of that, .5 rounded up. */
export function mipSizes([width, height], count) {
  const sizes = [];
  for (let i = 0; i < count; i++) {
    width = Math.floor((width + 1) / 2);
    height = Math.floor((height + 1) / 2);
    sizes.push([width, height]);
  }
  return sizes;
}

/** Everything that a picture of one size is drawn into. */
export class Targets {
  constructor(size, samples) {
    const mips = mipSizes(size, spec('postprocess.json').bloom.mips.length);
    this.size = size;
    this.samples = samples;
    /** The scene, linear; three.js resolves its samples after drawing. */
    this.scene = halfFloat(size, { depthBuffer: true, samples });
    /** The high pass, at half size. */
    this.bright = halfFloat(mips[0]);
    /** The five mips blurred along x, and along y after that. */
    this.across = mips.map((mip) => halfFloat(mip));
    this.down = mips.map((mip) => halfFloat(mip));
    this.output = bytes(size);
  }

  /** Give all of it back. */
  dispose() {
    const all = [this.scene, this.bright, ...this.across, ...this.down, this.output];
    for (const target of all) target.dispose();
  }
}

/** RGBA8 with or without a depth buffer, as it is. */
export function bytes([width, height], depthBuffer = false) {
  return new WebGLRenderTarget(width, height, { ...PLAIN, type: UnsignedByteType, depthBuffer });
}

/** One float per pixel, with a depth buffer. */
export function distances([width, height]) {
  return new WebGLRenderTarget(width, height, {
    ...PLAIN,
    format: RedFormat,
    type: FloatType,
    depthBuffer: true,
  });
}

/** The passes after the scene. */
export class Passes {
  #three;
  #camera = new Camera();
  #scene = new Scene();
  #mesh;
  #materials = new Map();

  constructor(three) {
    this.#three = three;
    const { vertices, faces } = cornerMesh('triangle');
    const geometry = new BufferGeometry();
    geometry.setAttribute('a_corner', new BufferAttribute(vertices, 2));
    geometry.setIndex(new BufferAttribute(faces, 1));
    this.#mesh = new Mesh(geometry);
    this.#mesh.frustumCulled = false;
    this.#scene.add(this.#mesh);
  }

  /**
   * Blur what is bright in the scene; gives the half-size target that is to be added to it.
   *
   * @param {Targets} to
   * @param {Object<string, number>} uniforms of the frame
   */
  bloom(to, uniforms) {
    const row = spec('postprocess.json').bloom;
    this.screen('bright', to.bright, {
      u_scene: to.scene.texture,
      u_bloom_threshold: uniforms.u_bloom_threshold ?? row.threshold,
      u_bloom_smooth: uniforms.u_bloom_smooth ?? row.smooth,
    });
    let source = to.bright;
    row.mips.forEach((mip, i) => {
      const { width, height } = to.across[i];
      const passes = [
        [to.across[i], [1 / width, 0]],
        [to.down[i], [0, 1 / height]],
      ];
      for (const [target, step] of passes) {
        const own = { u_step: step, u_center: mip.center, u_taps: mip.taps.flat() };
        const defines = [`TAPS ${mip.taps.length}`];
        this.screen('blur', target, { u_scene: source.texture, ...own }, defines);
        source = target;
      }
    });
    const strength = uniforms.u_bloom_strength ?? row.strength;
    const radius = uniforms.u_bloom_radius ?? row.radius;
    const blurs = to.down.map((target, i) => [`u_blur_${i}`, target.texture]);
    this.screen('composite', to.across[0], {
      ...Object.fromEntries(blurs),
      u_factors: factors(row, strength, radius),
    });
    return to.across[0];
  }

  /**
   * Scene plus bloom as sRGB.
   *
   * @param {WebGLRenderTarget|null} target null for the canvas
   */
  toneMap(to, glow, uniforms, target = to.output) {
    this.screen('output', target, {
      u_scene: to.scene.texture,
      u_bloom: glow.texture,
      u_exposure: uniforms.u_exposure ?? spec('postprocess.json').exposure,
    });
  }

  /** One pass over the whole target. */
  screen(name, target, values, defines = []) {
    const key = [name, ...defines].join();
    let material = this.#materials.get(key);
    if (material === undefined) {
      const uniforms = Object.fromEntries(Object.keys(values).map((each) => [each, { value: null }]));
      material = shaderMaterial(name, state('screen'), uniforms, { vertex: 'screen', defines });
      this.#materials.set(key, material);
    }
    for (const [each, value] of Object.entries(values)) material.uniforms[each].value = value;
    material.uniformsNeedUpdate = true;
    this.compiling = material.userData;
    this.#mesh.material = material;
    this.#three.setRenderTarget(target);
    this.#three.render(this.#scene, this.#camera);
  }

  /** Give programs and the triangle back. */
  dispose() {
    for (const material of this.#materials.values()) material.dispose();
    this.#mesh.geometry.dispose();
  }
}

const PLAIN = {
  format: RGBAFormat,
  colorSpace: NoColorSpace,
  minFilter: NearestFilter,
  magFilter: NearestFilter,
  wrapS: ClampToEdgeWrapping,
  wrapT: ClampToEdgeWrapping,
  generateMipmaps: false,
  depthBuffer: false,
  stencilBuffer: false,
  samples: 0,
};

function halfFloat([width, height], options = {}) {
  return new WebGLRenderTarget(width, height, {
    ...PLAIN,
    type: HalfFloatType,
    minFilter: LinearFilter,
    magFilter: LinearFilter,
    ...options,
  });
}

/** Weight of each mip: its factor mixed with the mirrored one by the radius. */
function factors(row, strength, radius) {
  return Float32Array.from(row.mips, ({ factor }) =>
    row.scale * strength * (factor + (row.mirror - factor - factor) * radius),
  );
}
