/** Opens the renderer on the page's canvas with the specification that lies beside the page. */

import { Renderer } from '../render/renderer.js';
import { loadSpec } from '../sim/spec.js';

/** Files of the specification, which lie at `../spec/` of the page's address. */
export class SpecSource {
  /** Texts as they were read: name -> text. */
  texts = new Map();

  /** A text file. */
  text = async (name) => {
    if (!this.texts.has(name)) this.texts.set(name, await (await read(name)).text());
    return this.texts.get(name);
  };

  /** A file of bytes. */
  blob = async (name) => (await read(name)).blob();
}

/**
 * Load the specification and make a renderer for a canvas.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {SpecSource} source
 * @returns {Promise<Renderer>}
 * @throws {Error} a file does not arrive, or this browser cannot draw; the text is for visitors
 */
export async function openRenderer(canvas, source) {
  await loadSpec(source.text);
  return Renderer.create(canvas, source);
}

/** Load the letters of inscriptions; where they do not arrive, lozenges stand for them. */
export async function prepareLetters(renderer, features) {
  await renderer.prepare(features).catch(() => renderer.doWithout(features));
}

async function read(name) {
  const address = new URL(`../spec/${name}`, document.baseURI);
  const answer = await fetch(address);
  if (!answer.ok) {
    throw new Error(`${address}: ${answer.status}; expected a file of the specification`);
  }
  return answer;
}
