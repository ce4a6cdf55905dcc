import './spec_files.js';

import assert from 'node:assert/strict';
import test from 'node:test';

import { formatShot, parseShot } from '../../sim/camera.js';
import { geometryDigest } from '../../sim/digest.js';
import { blend, environmentOf } from '../../sim/environment.js';
import { Feature, canonicalBytes, worldDigest } from '../../sim/feature.js';
import { Stage } from '../../sim/frame.js';
import { genesisFeatures } from '../../sim/genesis.js';
import { Scene } from '../../sim/scene.js';
import { townCenter, townName } from '../../sim/town.js';
import { landingTimes, timeline, typed } from '../../sim/timeline.js';

const CALLS = [
  [
    'place_road',
    {
      path: [
        [12, 36],
        [16, 40],
        [13, 44],
      ],
    },
  ],
  ['build_district', { lat: 14, lon: 40, radius_deg: 6, density: 0.7, hue: 40 }],
  ['raise_terrain', { lat: 20, lon: 42, radius_deg: 9, height: 0.06, roughness: 0.8 }],
  ['place_structure', { lat: 14, lon: 39, kind: 'village', scale: 1, hue: 200 }],
  ['place_water', { kind: 'pool', path: [[11, 41]], radius_deg: 3, hue: 200 }],
  ['spawn_flora', { lat: 15, lon: 44, radius_deg: 8, kind: 'mushrooms', density: 0.8, hue: 300 }],
  ['spawn_life', { lat: 14, lon: 40, radius_deg: 6, kind: 'carts', count: 4, hue: 40 }],
  ['spawn_life', { lat: 15, lon: 43, radius_deg: 9, kind: 'birds', count: 5, hue: 40 }],
  ['set_weather', { kind: 'storm', intensity: 0.8 }],
  ['set_sky', { palette: 'aurora', star_density: 0.7, moons: 3 }],
  ['inscribe_wish', { text: 'small • gold • rain', style: 'stone' }],
  ['lower_terrain', { lat: 9, lon: 36, radius_deg: 5, depth: 0.03, roughness: 0.2 }],
];

function made() {
  return CALLS.map(([tool, args], i) => {
    const id = `f_${String(i + 4).padStart(6, '0')}`;
    return new Feature({
      id,
      wish_id: `w_00000${1 + (i >> 2)}`,
      tool,
      args,
      seed: 1000 + 77 * i,
      t: i,
    });
  });
}

const world = [...genesisFeatures(), ...made()];

test('a scene built feature by feature has the bytes of one built at once', () => {
  const whole = geometryDigest(Scene.build(world));
  let scene = Scene.empty();
  for (const feature of world) scene = scene.extended([feature]);
  assert.deepEqual(geometryDigest(scene), whole);
  assert.equal(geometryDigest(Scene.build(world), false).total, whole.total);
});

test('extending a scene leaves it as it was', () => {
  const start = Scene.build(world.slice(0, 9));
  const before = geometryDigest(start);
  start.extended(world.slice(9));
  assert.deepEqual(geometryDigest(start), before);
});

test('frames come out the same in any order', () => {
  const timing = {
    events: [],
    landedMs: new Map(world.map((_, i) => [i, 1000 * i])),
    totalMs: 0,
    riseMs: 2000,
  };
  const asked = [
    [3500, 'town'],
    [21_700, 'world'],
    [12_345, 'gaze:5'],
    [30_000, 'descend:7@3'],
  ];
  const frames = (order) => {
    const stage = new Stage(world, timing);
    return new Map(order.map(([ms, shot]) => [ms, stage.frame(ms, shot)]));
  };
  const [forth, back] = [frames(asked), frames([...asked].reverse())];
  for (const [ms, frame] of forth) {
    const other = back.get(ms);
    assert.deepEqual(frame.uniforms, other.uniforms);
    assert.deepEqual(frame.ages, other.ages);
    assert.deepEqual(frame.planet.vertices, other.planet.vertices);
    assert.deepEqual(frame.buffers, other.buffers);
  }
});

test('a settled buffer is the same memory from frame to frame', () => {
  const stage = new Stage(world);
  const [a, b] = [stage.frame(1000, 'town'), stage.frame(1016, 'town')];
  for (const name of ['road', 'water', 'kit:house_a', 'star'])
    assert.equal(a.buffers[name].rows, b.buffers[name].rows);
  assert.equal(a.buffers.road.ground, b.buffers.road.ground);
  assert.equal(a.planet, b.planet);
  assert.notDeepEqual(a.buffers['kit:cart'].rows, b.buffers['kit:cart'].rows);
});

test('a live stage takes features as they land', () => {
  const stage = new Stage([...genesisFeatures()]);
  stage.features.push(world[4]);
  stage.landingMs.push(5000);
  assert.equal(stage.frame(4000, 'town').buffers.road, undefined);
  assert.ok(stage.frame(6000, 'town').buffers.road.rows.length > 0);
});

test('features are refused for what is wrong with them', () => {
  const good = {
    id: 'f_000004',
    wish_id: 'w_000001',
    tool: 'set_weather',
    args: { kind: 'rain', intensity: 1 },
    seed: 1,
    t: 0,
  };
  assert.equal(new Feature(good).tool, 'set_weather');
  const wrong = [
    [{ id: '4' }, /feature\.id/],
    [{ wish_id: 'me' }, /wish_id/],
    [{ tool: 'rain' }, /expected one of raise_terrain/],
    [{ seed: -1 }, /feature\.seed/],
    [{ t: Number.NaN }, /feature\.t/],
    [{ args: { kind: 'frogs', intensity: 1 } }, /set_weather\.kind: "frogs"; one of clear/],
    [
      { args: { kind: 'rain', intensity: 2 } },
      /set_weather\.intensity: 2; a number 0\.\.1 expected/,
    ],
    [{ args: { kind: 'rain', intensity: 1, more: 1 } }, /unknown argument "more"/],
  ];
  for (const [change, message] of wrong)
    assert.throws(() => new Feature({ ...good, ...change }), message);
});

test('digests depend on numbers, not on how they are written', () => {
  assert.equal(worldDigest(world), worldDigest(world.slice()));
  assert.ok(canonicalBytes(world[0]).length > 20);
  assert.notEqual(worldDigest(world), worldDigest(world.slice(1)));
});

test('the town lies among what was built and has a name', () => {
  assert.match(townName(townCenter(world)), /^[A-Z][a-z]+$/);
  assert.equal(townName(townCenter(genesisFeatures())), townName(townCenter([])));
});

test('skies crossfade from exactly one to exactly the other', () => {
  const [a, b] = [
    environmentOf(['void', 0.9, 1], ['rain', 0.5]),
    environmentOf(['dawn', 0.2, 3], ['snow', 1]),
  ];
  assert.equal(blend(a, b, 0), a);
  assert.equal(blend(a, b, 1), b);
  assert.equal(blend(a, b, 0.25).amount, 0.25);
  assert.equal(blend(a, b, 0.5).amount, 0);
});

test('shots parse and print', () => {
  for (const text of [
    'town',
    'world',
    'gaze:f_000017',
    'descend:f_000004@2.5',
    'free:14,38,0.3,20,-25,45',
  ]) {
    assert.equal(formatShot(parseShot(text)), text);
  }
  assert.equal(parseShot('gaze:17').feature, 17);
  for (const text of [
    '',
    'towns',
    'gaze:x',
    'gaze:1@2',
    'free:1,2',
    'free:99,0,1,0,0,45',
    'town:',
  ]) {
    assert.throws(() => parseShot(text), /shot/);
  }
});

test('a wish is laid out as it was granted', () => {
  const trace = {
    reading: 'it wants a hill 🌄',
    epitaph: 'A hill.',
    turns: [
      { thought: 'first', observation: 'rejected: no' },
      { thought: 'raise it', observation: 'ok: mountains risen at (20,42)' },
      { thought: 'done', observation: null },
    ],
    features: [world[6]],
  };
  const laid = timeline(trace);
  assert.deepEqual(
    laid.events.map(({ kind }) => kind),
    [
      'reading',
      'thought',
      'observation',
      'thought',
      'gaze',
      'land',
      'thought',
      'epitaph',
      'descend',
    ],
  );
  assert.equal(laid.landedMs.get(6), laid.events[5].startMs);
  assert.equal(typed(laid.events[0], laid.events[0].startMs + 100_000), trace.reading);
  assert.deepEqual(
    landingTimes(
      4,
      new Map([
        [2, 500],
        [3, 600],
      ]),
      2000,
    ).slice(2),
    [500, 2500],
  );
});
