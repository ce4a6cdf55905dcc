import './spec_files.js';

import assert from 'node:assert/strict';
import test from 'node:test';

import { kit, kitMesh, kitNames } from '../../sim/kits.js';
import * as mesh from '../../sim/mesh.js';
import { planetMesh, snap } from '../../sim/planet.js';
import {
  angleRad,
  direction,
  eastNorth,
  icosphere,
  latLon,
  normalize,
  rotate,
  slerp,
} from '../../sim/sphere.js';
import { sample } from '../../sim/spline.js';
import { fitRing, layout, plaque, ring, wrap } from '../../sim/text.js';

const SOLIDS = {
  box: [2, 3, 4],
  gable: [2, 1, 3],
  wedge: [2, 1, 3],
  cylinder: [2, 1, 3, 8],
  dome: [2, 9, 3],
  ball: [2, 1],
  ring: [2, 1.5, 1, 10],
  octahedron: [1],
};

/** How often each edge is walked in each direction. */
function edges(faces) {
  const walked = new Map();
  for (let f = 0; f < faces.length; f += 3) {
    for (let k = 0; k < 3; k += 1) {
      const key = `${faces[f + k]},${faces[f + ((k + 1) % 3)]}`;
      walked.set(key, (walked.get(key) ?? 0) + 1);
    }
  }
  return walked;
}

function isClosed(faces) {
  const walked = edges(faces);
  return [...walked].every(
    ([key, count]) => count === 1 && walked.get(key.split(',').reverse().join(',')) === 1,
  );
}

for (const [name, sizes] of Object.entries(SOLIDS)) {
  test(`${name} is closed, stands on the ground and winds outward`, () => {
    const { vertices, faces } = mesh[name](...sizes);
    assert.ok(isClosed(faces));
    assert.ok(Math.abs(Math.min(...vertices.filter((_, i) => i % 3 === 1))) < 1e-12);
    let volume = 0;
    for (let f = 0; f < faces.length; f += 3) {
      const [a, b, c] = [0, 1, 2].map((k) =>
        vertices.subarray(3 * faces[f + k], 3 * faces[f + k] + 3),
      );
      volume +=
        a[0] * (b[1] * c[2] - b[2] * c[1]) +
        a[1] * (b[2] * c[0] - b[0] * c[2]) +
        a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    assert.ok(volume > 0);
  });
}

test('shapes refuse sizes that make no shape', () => {
  assert.throws(() => mesh.box(0, 1, 1), /box\.w: 0; expected above 0/);
  assert.throws(() => mesh.cylinder(1, 1, 1, 2), /expected 3 or more/);
  assert.throws(() => mesh.ring(1, 2, 1, 8), /make it wider/);
});

test('the icosphere is closed and all unit vectors', () => {
  const { vertices, faces } = icosphere(3);
  assert.equal(vertices.length / 3, 642);
  assert.ok(isClosed(faces));
  for (let i = 0; i < vertices.length; i += 3) {
    assert.ok(Math.abs(vertices[i] ** 2 + vertices[i + 1] ** 2 + vertices[i + 2] ** 2 - 1) < 1e-14);
  }
});

test('the refined planet has no crack and no T-junction', () => {
  const refined = planetMesh(snap(direction(14, 38)));
  assert.ok(isClosed(refined.faces));
  assert.ok(refined.dirs.length / 3 > 50_000);
});

test('directions and places are inverse', () => {
  for (const [lat, lon] of [
    [0, 0],
    [14, 38],
    [-85, 179],
    [60, -120],
  ]) {
    const [lat1, lon1] = latLon(direction(lat, lon));
    assert.ok(Math.abs(lat - lat1) < 1e-12 && Math.abs(lon - lon1) < 1e-12);
  }
  const [east, north] = eastNorth(direction(0, 0));
  assert.deepEqual(
    [east, north],
    [
      [1, 0, 0],
      [0, 1, 0],
    ],
  );
  const turned = rotate([0, 0, 1], [0, 1, 0], Math.PI / 2);
  assert.ok(Math.abs(turned[0] - 1) < 1e-15);
});

test('slerp goes along the great circle', () => {
  const [a, b] = [direction(10, 20), direction(-30, 80)];
  const middle = slerp(a, b, 0.5);
  assert.ok(Math.abs(angleRad(a, middle) - angleRad(middle, b)) < 1e-12);
  assert.deepEqual(normalize([0, 0, 0]), [0, 0, 0]);
});

test('a sampled line passes its waypoints at even steps', () => {
  const waypoints = [
    [0, 0],
    [6, 4],
    [2, 11],
  ].map(([lat, lon]) => direction(lat, lon));
  const [points, arc] = sample(waypoints, 0.0078, 2048);
  assert.deepEqual(points[0], waypoints[0]);
  assert.deepEqual(points.at(-1), waypoints[2]);
  const steps = arc.slice(1).map((s, i) => s - arc[i]);
  assert.ok(Math.max(...steps) < 0.0079 && Math.min(...steps) > 0.006);
  assert.throws(() => sample([waypoints[0], waypoints[0]], 0.01, 10), /0 and 1 are equal/);
});

test('every kit has a mesh with finite rows and a size', () => {
  for (const name of kitNames()) {
    const { rows, faces } = kitMesh(name);
    assert.ok(rows.length > 0 && faces.length > 0, name);
    assert.ok(
      rows.every((row) => row.length === 16 && row.every(Number.isFinite)),
      name,
    );
    assert.ok(kit(name).height > 0);
  }
  assert.throws(() => kitMesh('castle'), /kits: 'castle'; expected one of/);
});

test('a ring of letters closes without a seam', () => {
  const fit = fitRing('speak, and it will be made', 100);
  assert.ok(fit.repeats >= 1 && fit.emScale <= 1.2);
  const letters = ring('né à l’aube', 1.3, 0.078);
  const angles = letters.map(({ angle }) => angle);
  assert.ok(angles.every((angle, i) => i === 0 || angle >= angles[i - 1] - 0.2));
  assert.deepEqual(ring('   ', 1.3, 0.078), []);
});

test('a plaque keeps its text within the box', () => {
  for (const text of ['a', 'let there be a harbour', 'W'.repeat(90), 'тихий свет над холмом']) {
    const { letters } = plaque(text, 0.0455, 0.0285);
    assert.ok(letters.length > 0);
    for (const { quad } of letters)
      assert.ok(quad[0] > -0.03 && quad[2] < 0.03 && quad[1] > -0.02 && quad[3] < 0.02);
  }
  assert.deepEqual(wrap('one two', 'serif', 2), ['one', 'two']);
  assert.ok(layout('AV').width < layout('A').width + layout('V').width);
});
