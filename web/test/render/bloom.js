/** The same picture through our bloom and through three.js's; `window.bloomTest` gives both. */

import { DataTexture, DataUtils, HalfFloatType, RGBAFormat, Vector2 } from 'three';
import { UnrealBloomPass } from 'three/addons/postprocessing/UnrealBloomPass.js';
import { createContext } from '../../render/context.js';
import { PASS_FILES, Passes, Targets } from '../../render/passes.js';
import { loadShaders } from '../../render/programs.js';
import { loadSpec, spec } from '../../sim/spec.js';

const text = async (name) => (await fetch(`/spec/${name}`)).text();
await loadSpec(text);
await loadShaders(text, [...PASS_FILES]);
const three = createContext(document.querySelector('#planet'));
const passes = new Passes(three);

/** Dots, bars and slopes of 0 to 12 on a dim ground. */
function picture(width, height) {
  const data = new Uint16Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const dot = x % 37 < 2 && y % 29 < 2 ? 12 : 0;
      const bar = Math.abs(x - width * 0.7) < 3 && y > height * 0.2 ? 3 : 0;
      const slope = y < height * 0.15 ? (2 * x) / width : 0.04;
      const value = [dot + bar + slope, dot * 0.6 + bar + slope, bar * 0.3 + slope * 1.2, 1];
      value.forEach((v, k) => (data[(y * width + x) * 4 + k] = DataUtils.toHalfFloat(v)));
    }
  }
  const texture = new DataTexture(data, width, height, RGBAFormat, HalfFloatType);
  texture.needsUpdate = true;
  return texture;
}

function read(target) {
  const pixels = new Uint8Array(target.width * target.height * 4);
  three.readRenderTargetPixels(target, 0, 0, target.width, target.height, pixels);
  return btoa(Array.from(pixels, (each) => String.fromCharCode(each)).join(''));
}

window.bloomTest = {
  run([width, height], strength, radius) {
    const { threshold, smooth } = spec('postprocess.json').bloom;
    const to = new Targets([width, height], 0);
    const black = { texture: picture(1, 1) };
    black.texture.image.data.fill(0);
    const source = picture(width, height);
    const copied = { u_scene: source, u_step: [0, 0], u_center: 1, u_taps: [0, 0] };
    const fill = () => passes.screen('blur', to.scene, copied, ['TAPS 1']);
    const uniforms = { u_bloom_strength: strength, u_bloom_radius: radius, u_exposure: 1 };

    fill();
    passes.toneMap(to, passes.bloom(to, uniforms), uniforms);
    const ours = read(to.output);

    fill();
    const pass = new UnrealBloomPass(new Vector2(width, height), strength, radius, threshold);
    pass.highPassUniforms.smoothWidth.value = smooth;
    pass.renderToScreen = false;
    pass.render(three, null, to.scene, 0, false);
    three.setRenderTarget(null);
    passes.toneMap(to, black, uniforms);
    const theirs = read(to.output);
    pass.dispose();
    to.dispose();
    return { ours, theirs };
  },
};
