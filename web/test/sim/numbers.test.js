import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';

import { MathUtils } from 'three';

import { hueRgb, linear } from '../../sim/color.js';
import { Growing } from '../../sim/growing.js';
import * as maths from '../../sim/maths.js';
import { fbm4, valueNoise4 } from '../../sim/noise.js';
import { Mulberry32, crc32, hashU32, mix, uniform } from '../../sim/rng.js';
import { Sha256, hex, unhex } from '../../sim/sha256.js';

const NATIVE = {
  sin: [-50, 50],
  cos: [-50, 50],
  exp: [-20, 20],
  log: [1e-9, 1e9],
  asin: [-1, 1],
  acos: [-1, 1],
};

test('elementary functions stay within two units in the last place of the native ones', () => {
  for (const [name, [low, high]] of Object.entries(NATIVE)) {
    for (let i = 0; i < 4000; i += 1) {
      const x = low + (high - low) * uniform(7, i);
      const [own, native] = [maths[name](x), Math[name](x)];
      assert.ok(
        Math.abs(own - native) <= 4e-16 * Math.max(Math.abs(native), 1e-3),
        `${name}(${x}): ${own}, ${native}`,
      );
    }
  }
  for (let i = 0; i < 4000; i += 1) {
    const [y, x] = [uniform(8, 2 * i) - 0.5, uniform(8, 2 * i + 1) - 0.5];
    assert.ok(Math.abs(maths.atan2(y, x) - Math.atan2(y, x)) < 1e-15);
  }
});

test('functions refuse what is not finite', () => {
  for (const name of ['sin', 'cos', 'exp', 'log', 'asin', 'acos', 'sqrt', 'roundHalfUp', 'fract']) {
    assert.throws(() => maths[name](Number.NaN), RangeError);
    assert.throws(() => maths[name](Infinity), RangeError);
  }
});

test('rounding goes half up and never gives minus zero', () => {
  assert.deepEqual([-1.5, -0.5, -0.2, 0.5, 1.5].map(maths.roundHalfUp), [-1, 0, 0, 1, 2]);
  assert.ok(Object.is(maths.positiveZero(-0), 0));
});

test('draws are those of the walking generator and of three.js', () => {
  for (const seed of [0, 1, 1234, 0x7fffffff, 0xffffffff]) {
    const walk = new Mulberry32(seed);
    MathUtils.seededRandom(seed);
    for (let n = 0; n < 50; n += 1) {
      const drawn = walk.next();
      assert.equal(uniform(seed, n), drawn);
      assert.equal(n === 0 ? MathUtils.seededRandom(seed) : MathUtils.seededRandom(), drawn);
    }
  }
});

test('hashes are those of known vectors', () => {
  assert.equal(crc32('123456789'), 0xcbf43926);
  assert.equal(crc32(''), 0);
  assert.equal(hashU32(0), 0);
  assert.equal(new Set(Array.from({ length: 1000 }, (_, i) => mix(i, 5))).size, 1000);
});

test('our SHA-256 is that of node, for every length around a block', () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 7 + 3) & 255);
  for (const length of [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000]) {
    const data = bytes.subarray(0, length);
    const expected = createHash('sha256').update(data).digest('hex');
    assert.equal(hex(new Sha256().update(data).digest()), expected);
    const halves = new Sha256()
      .update(data.subarray(0, length >> 1))
      .update(data.subarray(length >> 1));
    assert.equal(hex(halves.digest()), expected);
    assert.deepEqual(hex(unhex(expected)), expected);
  }
});

test('noise is smooth, bounded and reaches both sides', () => {
  const places = Float64Array.from({ length: 3000 }, (_, i) => uniform(3, i) * 40 - 20);
  const fields = fbm4(places, 5, 99);
  for (let channel = 0; channel < 4; channel += 1) {
    const own = fields.filter((_, i) => i % 4 === channel);
    assert.ok(Math.min(...own) >= -1 && Math.max(...own) <= 1);
    assert.ok(Math.min(...own) < -0.2 && Math.max(...own) > 0.2);
  }
  const [a, b] = [valueNoise4(1.5, -2.25, 0.5, 4), valueNoise4(1.5000001, -2.25, 0.5, 4)];
  a.forEach((x, k) => assert.ok(Math.abs(x - b[k]) < 1e-5));
});

test('hues go round the wheel', () => {
  const near = (found, wanted) =>
    found.forEach((x, k) => assert.ok(Math.abs(x - wanted[k]) < 1e-9));
  near(hueRgb(0, 1, 1), [1, 0, 0]);
  near(hueRgb(120, 1, 1), [0, 1, 0]);
  near(hueRgb(240, 1, 1), [0, 0, 1]);
  near(hueRgb(400, 1, 1), hueRgb(40, 1, 1));
  assert.equal(linear(0), 0);
});

test('a grown array leaves its shorter views alone', () => {
  const first = Growing.of(Float64Array.of(1, 2));
  const longer = first.append([3]);
  const other = first.append([4, 5]);
  assert.deepEqual([...first.view], [1, 2]);
  assert.deepEqual([...longer.view], [1, 2, 3]);
  assert.deepEqual([...other.view], [1, 2, 4, 5]);
  assert.deepEqual([...longer.append([6]).view], [1, 2, 3, 6]);
});
