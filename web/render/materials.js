/**
 * Materials: the draw order and every bit of WebGL state, from `spec/materials.json`.
 *
 * Nothing is left to a default of three.js: each draw sets all state, so a picture cannot depend on
 * what was drawn before it.
 *
 * Twin: godseed/render/materials.py
 */

import {
  AddEquation,
  AlwaysDepth,
  BackSide,
  CustomBlending,
  DoubleSide,
  EqualDepth,
  FrontSide,
  GLSL3,
  LessDepth,
  LessEqualDepth,
  NoBlending,
  OneFactor,
  OneMinusSrcAlphaFactor,
  RawShaderMaterial,
  SrcAlphaFactor,
  ZeroFactor,
} from 'three';
import { spec } from '../sim/spec.js';
import { RenderError } from './errors.js';
import { assemble, withoutVersion } from './programs.js';

const DEPTH_FUNCS = {
  lequal: LessEqualDepth,
  less: LessDepth,
  equal: EqualDepth,
  always: AlwaysDepth,
};
/** What is drawn, by what is culled. */
const CULLS = { none: DoubleSide, back: FrontSide, front: BackSide };
const BLENDS = {
  zero: ZeroFactor,
  one: OneFactor,
  src_alpha: SrcAlphaFactor,
  one_minus_src_alpha: OneMinusSrcAlphaFactor,
};
const MESHES = { planet: 0, kit: 0, kit_glow: 0, quad: 0, triangle: 0 };
const STATE_KEYS = ['blend', 'cull', 'depth_func', 'depth_test', 'depth_write'];

/**
 * All materials in draw order: `{name, program, vertex, mesh, buffers, state, ids}`.
 *
 * @throws {RenderError} `spec/materials.json` names something unknown
 */
export function materials() {
  return spec('materials.json').materials.map(material);
}

/** What is drawn into the shadow map, in that order; `vertex` names another's vertex shader. */
export function casters() {
  return spec('materials.json').casters.map(material);
}

/**
 * A named state in three.js terms.
 *
 * @throws {RenderError} there is no such state, or it says something unknown
 */
export function state(name) {
  const where = `state ${name}`;
  const { states } = spec('materials.json');
  choice(where, name, states);
  const row = states[name];
  const keys = Object.keys(row).sort();
  if (keys.join() !== STATE_KEYS.join()) {
    throw new RenderError(
      `materials.json: ${where} has ${keys.join(', ')}; expected exactly ` +
        `${STATE_KEYS.join(', ')}; correct the row`,
    );
  }
  return {
    depthTest: Boolean(row.depth_test),
    depthFunc: choice(where, row.depth_func, DEPTH_FUNCS),
    depthWrite: Boolean(row.depth_write),
    side: choice(where, row.cull, CULLS),
    blend: row.blend && row.blend.map((factor) => choice(where, factor, BLENDS)),
  };
}

/**
 * The shaders of `glsl/<vertex or name>.vert` and `glsl/<name>.frag` with all state set.
 *
 * @param {string} name stem of the fragment shader
 * @param {object} wanted a `state`
 * @param {object} uniforms name -> {value}, shared between materials
 * @param {{output?: string, vertex?: string, defines?: string[]}} options `output` other than COLOR
 *   never blends
 * @returns {RawShaderMaterial} its `userData` holds both sources for error messages
 */
export function shaderMaterial(name, wanted, uniforms, options = {}) {
  const { output = 'COLOR', vertex = name, defines = [] } = options;
  const sources = {
    name,
    vertex: assemble(`${vertex}.vert`, output, defines),
    fragment: assemble(`${name}.frag`, output, defines),
  };
  const factors = output === 'COLOR' ? wanted.blend : null;
  const material = new RawShaderMaterial({
    name,
    glslVersion: GLSL3,
    vertexShader: withoutVersion(sources.vertex),
    fragmentShader: withoutVersion(sources.fragment),
    uniforms,
    depthTest: wanted.depthTest,
    depthFunc: wanted.depthFunc,
    depthWrite: wanted.depthWrite,
    side: wanted.side,
    blending: factors ? CustomBlending : NoBlending,
    blendEquation: AddEquation,
    blendSrc: factors ? factors[0] : OneFactor,
    blendDst: factors ? factors[1] : ZeroFactor,
    colorWrite: true,
    stencilWrite: false,
    polygonOffset: false,
    alphaToCoverage: false,
    dithering: false,
    toneMapped: false,
    fog: false,
    // three draws its transparent list last: with everything in it, our order is the order.
    transparent: true,
    forceSinglePass: true,
  });
  material.userData = sources;
  return material;
}

function material(row) {
  choice(`material ${row.name}`, row.mesh, MESHES);
  return { vertex: row.program, ...row, state: state(row.state) };
}

function choice(where, value, known) {
  if (!Object.hasOwn(known, value)) {
    throw new RenderError(
      `materials.json: ${where} says '${value}'; expected one of ${Object.keys(known).join(', ')}; ` +
        'correct the name',
    );
  }
  return known[value];
}
