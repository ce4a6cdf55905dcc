import assert from 'node:assert/strict';
import test from 'node:test';
import { MathUtils } from 'three';
import { uniform } from '../../sim/rng.js';

test("draws are those of three.js's seeded random numbers", () => {
  for (const seed of [1, 2, 7, 1213, 0x7fffffff, 0xffffffff]) {
    MathUtils.seededRandom(seed);
    for (let i = 1; i < 200; i++) assert.equal(uniform(seed, i), MathUtils.seededRandom());
  }
});
