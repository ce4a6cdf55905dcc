import assert from 'node:assert/strict';
import test from 'node:test';
import { mipSizes } from '../../render/passes.js';
import { HEADER, assemble, located, withoutVersion } from '../../render/programs.js';

const reader = (files) => (name) => files[name];

test('includes are put in place and every line knows its file', () => {
  const read = reader({ 'a.frag': '// a\n#include "_b.glsl" // why\nlast', '_b.glsl': 'one\ntwo\n' });
  const { text, lines } = assemble('a.frag', 'IDS', ['TAPS 3'], read);
  const body = ['#define OUTPUT_IDS', '#define TAPS 3', '// a', 'one', 'two', 'last', ''];
  assert.equal(text, [...HEADER, ...body].join('\n'));
  assert.deepEqual(lines.slice(-4), ['a.frag:1', '_b.glsl:1', '_b.glsl:2', 'a.frag:3']);
});

test('files that include each other are refused by name', () => {
  const read = reader({ 'a.frag': '#include "_b.glsl"', '_b.glsl': '#include "a.frag"' });
  assert.throws(() => assemble('a.frag', 'COLOR', [], read), /break a.frag -> _b.glsl -> a.frag/);
});

test('a missing include names who wants it', () => {
  const read = reader({ 'a.frag': '#include "_none.glsl"' });
  assert.throws(() => assemble('a.frag', 'COLOR', [], read), /a.frag: no shader file '_none.glsl'/);
});

test('a compile error points at the line that a person edits', () => {
  const source = assemble('a.frag', 'COLOR', [], reader({ 'a.frag': 'fine\nbroken' }));
  // The driver counts the first line and the two that three.js puts behind it.
  const line = source.text.split('\n').indexOf('broken') + 1 + 2;
  const log = `ERROR: 0:${line}: 'broken' : syntax error\n\0`;
  assert.deepEqual(located('planet', log, source), ["a.frag:2: 'broken' : syntax error"]);
});

test('three.js is given the shader without its first line', () => {
  const source = assemble('a.frag', 'COLOR', [], reader({ 'a.frag': 'x' }));
  assert.ok(withoutVersion(source).startsWith('precision highp float;\n'));
});

test('mips halve with .5 rounded up', () => {
  assert.deepEqual(mipSizes([321, 203], 5), [[161, 102], [81, 51], [41, 26], [21, 13], [11, 7]]);
});
