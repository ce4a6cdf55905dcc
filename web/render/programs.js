/**
 * Shader programs: GLSL files of the specification with includes resolved.
 *
 * Both twins put the same lines before a shader (`HEADER`, then `OUTPUT_` and other definitions) and
 * resolve the same `#include "file"` lines. A compile error names the file and line to edit.
 *
 * Twin: godseed/render/programs.py
 */

import { RenderError } from './errors.js';

export const HEADER = [
  '#version 300 es',
  'precision highp float;',
  'precision highp int;',
  'precision highp sampler2D;',
];
export const OUTPUTS = ['COLOR', 'IDS', 'DEPTH'];
const INCLUDE = /^\s*#include\s+"([^"]+)"\s*(?:\/\/.*)?$/;
/** three.js puts SHADER_TYPE and SHADER_NAME between our first line and the rest. */
const LINES_OF_THREE = 2;
// Mesa, Intel and ANGLE: "0:37(12): error", "ERROR: 0:37:"; NVIDIA: "0(37) : error".
const LOCATION = /^(?:ERROR:\s*)?\d+[:(](\d+)\)?(?:\(\d+\))?\s*:\s*(.*)$/;

const files = new Map();

/**
 * Read the files of programs and everything that they include, for `assemble` to find.
 *
 * @param {(name: string) => Promise<string>} readText gives a text file of the specification
 * @param {string[]} names files in `glsl/`, such as `planet.vert`
 * @throws {RenderError} a file is missing
 */
export async function loadShaders(readText, names) {
  const missing = [...new Set(names)].filter((name) => !files.has(name));
  const texts = await Promise.all(missing.map((name) => readText(`glsl/${name}`)));
  const included = new Set();
  missing.forEach((name, i) => {
    files.set(name, texts[i]);
    for (const line of texts[i].split('\n')) {
      const match = INCLUDE.exec(line);
      if (match) included.add(match[1]);
    }
  });
  if (included.size > 0) await loadShaders(readText, [...included]);
}

/**
 * A shader file with its header and includes. `lines[i]` is where line i + 1 of `text` comes from, ''
 * for the lines put before it.
 *
 * @param {string} file name in `glsl/` of the specification
 * @param {'COLOR'|'IDS'|'DEPTH'} output
 * @param {string[]} defines further definitions, such as `TAPS 3`
 * @param {(name: string) => string|undefined} read gives the text of a file
 * @returns {{text: string, lines: string[]}}
 * @throws {RenderError} a file is missing, or files include each other in a circle
 */
export function assemble(file, output = 'COLOR', defines = [], read = (name) => files.get(name)) {
  const lines = [...HEADER, ...[`OUTPUT_${output}`, ...defines].map((row) => `#define ${row}`)];
  const origins = lines.map(() => '');
  expand(file, read, [], lines, origins);
  return { text: `${lines.join('\n')}\n`, lines: origins };
}

/** The text that three.js is given: it writes the first line itself. */
export function withoutVersion(source) {
  return source.text.slice(HEADER[0].length + 1);
}

/**
 * Let three.js report a program that does not compile as `file:line: reason`.
 *
 * @param {import('three').WebGLRenderer} three
 * @param {(gl, program) => {name: string, vertex: object, fragment: object}} find the sources that
 *   were compiled last
 */
export function reportErrors(three, find) {
  three.debug.onShaderError = (gl, program, vertexShader, fragmentShader) => {
    const { name, vertex, fragment } = find();
    const logs = [
      [gl.getShaderInfoLog(vertexShader), vertex],
      [gl.getShaderInfoLog(fragmentShader), fragment],
      [gl.getProgramInfoLog(program), fragment],
    ];
    const found = logs.flatMap(([log, source]) => located(name, log ?? '', source));
    throw new RenderError(
      found.join('\n') || `${name}: the driver refused the program without a reason`,
    );
  };
}

/** A driver's log with its line numbers turned into `file:line`. */
export function located(name, log, source) {
  const found = [];
  for (const raw of log.split('\n')) {
    const line = raw.replaceAll('\0', '').trim();
    const match = LOCATION.exec(line);
    if (match) {
      const origin = source.lines[Number(match[1]) - 1 - LINES_OF_THREE];
      found.push(`${origin || name}: ${match[2]}`);
    } else if (line) {
      found.push(`${name}: ${line}`);
    }
  }
  return found;
}

/**
 * Check that every active uniform of a compiled program has a value.
 *
 * @throws {RenderError} one has none
 */
export function requireUniforms(gl, name, program, values) {
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
  for (let i = 0; i < count; i++) {
    const uniform = gl.getActiveUniform(program, i).name.replace('[0]', '');
    if (!(uniform in values)) {
      throw new RenderError(
        `${name}: nothing gives uniform '${uniform}'; expected a value in the frame; add it there ` +
          'or remove it from the shader',
      );
    }
  }
}

function expand(file, read, inside, lines, origins) {
  if (inside.includes(file)) {
    throw new RenderError(
      `${inside.at(-1)}: includes '${file}', which includes it; expected no circle; ` +
        `break ${[...inside, file].join(' -> ')}`,
    );
  }
  const body = read(file);
  if (body === undefined) {
    throw new RenderError(
      `${inside.at(-1) ?? 'render.programs'}: no shader file '${file}'; expected it in ` +
        'godseed/spec/glsl; check the name',
    );
  }
  body.replace(/\n$/, '').split('\n').forEach((line, i) => {
    const match = INCLUDE.exec(line);
    if (match) {
      expand(match[1], read, [...inside, file], lines, origins);
    } else {
      lines.push(line);
      origins.push(`${file}:${i + 1}`);
    }
  });
}
