/**
 * Carts, birds and fireflies: where each of them is at any time, in closed form.
 *
 * A feature of `spawn_life` has one row in the table `life`; `poses` turns all rows into instances
 * for one moment. Nothing is integrated, so frames can be asked for in any order.
 *
 * Life row (88 columns): anchor xyz, radius (rad) | kind, count, 1 if the way is a loop, length of
 * the way (rad) | rgb linear, seed / 65536 | seed % 65536, feature, 0, 0 | way: 24 unit vectors,
 * the line that carts follow, evenly spaced; zero for the others.
 *
 * Twin: godseed/sim/life.py
 */

import { instanceRow, seed24Of } from './kits.js';
import { TAU, cos, fract, sin, smoothstep } from './maths.js';
import { mix, uniform } from './rng.js';
import { DEGREES_PER_RADIAN, capPoint, cross, dot, eastNorth, normalize } from './sphere.js';

export const WAY_POINTS = 24;
export const WAY_START = 16;
export const LIFE_WIDTH = WAY_START + 3 * WAY_POINTS;
export const CARTS = 0;
export const BIRDS = 1;
export const FIREFLIES = 2;
export const DRAWS = 12;
export const HALF = 65536;
export const FLOCK_PURPOSE = 0x464c;

/** Radians per second, the same for every cart at every moment. */
export const CART_SPEED = 0.011;
/** Distance of a cart's lane from the middle of its way, planet radii. */
export const CART_LANE = 0.0017;
export const CART_SCALE = [0.9, 1.15];
export const LANTERN_LIFT = 0.0048;
export const LANTERN_SIZE = 0.0062;
export const LANTERN_AHEAD = 0.0031;

/** Radians per second along the way, and at most round the loop. */
export const BIRD_SPEED = 0.045;
export const BIRD_TURN = 0.9;
export const BIRD_LIFT = 0.052;
export const BIRD_SPREAD = 0.016;
export const BIRD_BOB = 0.004;
export const BIRD_SCALE = [0.95, 1.35];
/** How far a flock reaches along its loop, in turns. */
export const FLOCK_SPREAD = 0.09;

export const FLIES_PER_COUNT = 5;
export const FLY_DRIFT = 0.01;
export const FLY_LIFT = [0.003, 0.014];
export const FLY_SIZE = [0.0018, 0.003];

/**
 * Everything alive at a moment.
 *
 * @param {Float32Array} rows life rows, flat
 * @param {number} timeS seconds, any
 * @returns {Record<string, number[][]>} buffer name (`kit:cart`, `kit:bird`, `sprite`) -> instance
 *   rows, without empty ones
 */
export function poses(rows, timeS) {
  const lives = [];
  for (let at = 0; at < rows.length; at += LIFE_WIDTH) lives.push(lifeOf(rows, at));
  const carts = [];
  const birds = [];
  const lanterns = [];
  const flies = [];
  for (const life of lives) {
    if (life.kind === CARTS) {
      individuals(life, 1, (item) => {
        const [cart, lantern] = cartOf(life, item, timeS);
        carts.push(cart);
        lanterns.push(lantern);
      });
    } else if (life.kind === BIRDS) {
      individuals(life, 1, (item) => birds.push(birdOf(life, item, timeS)));
    } else {
      individuals(life, FLIES_PER_COUNT, (item) => flies.push(fireflyOf(life, item, timeS)));
    }
  }
  const found = { 'kit:cart': carts, 'kit:bird': birds, sprite: [...lanterns, ...flies] };
  return Object.fromEntries(Object.entries(found).filter(([, posed]) => posed.length > 0));
}

function lifeOf(rows, at) {
  const way = [];
  for (let k = 0; k < WAY_POINTS; k += 1) {
    const from = at + WAY_START + 3 * k;
    way.push([rows[from], rows[from + 1], rows[from + 2]]);
  }
  return {
    anchor: [rows[at], rows[at + 1], rows[at + 2]],
    radius: rows[at + 3],
    kind: rows[at + 4],
    count: rows[at + 5],
    closed: rows[at + 6] > 0.5,
    length: rows[at + 7],
    tint: [rows[at + 8], rows[at + 9], rows[at + 10]],
    seed: rows[at + 11] * HALF + rows[at + 12],
    feature: rows[at + 13],
    way,
  };
}

/**
 * A cart on its lane, and the glow of its lantern.
 *
 * An open way is driven like a stadium: along one lane, round its end, back along the other lane
 * and round the start, at one speed throughout. A loop is driven on the right, by every other cart
 * backwards.
 */
function cartOf(life, item, timeS) {
  const draw = drawOf(life, item);
  const { length, closed } = life;
  const roundEnd = 0.5 * TAU * CART_LANE;
  const lap = closed ? length : 2 * (length + roundEnd);
  const backwards = closed && item % 2 === 1;
  const pace = (backwards ? -CART_SPEED : CART_SPEED) / lap;
  const start = (item + 0.7 * draw(0)) / life.count;
  const s = fract(start + timeS * pace) * lap;
  const turned = within(s - length, roundEnd) + within(s - (2 * length + roundEnd), roundEnd);
  const along = within(s, length) - within(s - (length + roundEnd), length);
  const backwardsAngle = backwards ? 0.5 * TAU : 0;
  const angle = closed ? backwardsAngle : turned / CART_LANE;
  const [at, tangent] = onWay(life, (closed ? s : along) / length);
  const right = cross(tangent, at);
  const [c, si] = [cos(angle), sin(angle)];
  const aside = CART_LANE * c;
  const ahead = closed ? 0 : CART_LANE * si;
  const here = normalize(at.map((x, k) => x + right[k] * aside + tangent[k] * ahead));
  const heading = tangent.map((x, k) => x * c - right[k] * si);
  const rise = dot(heading, here);
  const front = normalize(heading.map((x, k) => x - here[k] * rise));
  const scale = between(CART_SCALE, draw(1));
  const phase = draw(3);
  const delayS = 0.1 * item;
  const seed24 = seed24Of(draw(2));
  const cart = instanceRow(here, front, scale, life.feature, {
    tint: life.tint,
    seed24,
    delayS,
    phase,
  });
  const lamp = normalize(here.map((x, k) => x + front[k] * (LANTERN_AHEAD * scale)));
  const glow = life.tint.map((x) => x * 0.5);
  const lantern = spriteRow(
    lamp,
    LANTERN_LIFT * scale,
    glow,
    LANTERN_SIZE * scale,
    life.feature,
    phase,
  );
  lantern[8] = delayS + 1;
  return [cart, lantern];
}

/**
 * A bird of a flock that goes round its place, each bird a little behind, beside and above the
 * next.
 */
function birdOf(life, item, timeS) {
  const draw = drawOf(life, item);
  const flock = mix(life.seed, FLOCK_PURPOSE);
  const loop = life.radius * (0.45 + 0.2 * uniform(flock, 0));
  const spread = Math.min(BIRD_SPREAD, 0.2 * life.radius);
  // Small loops are flown slower, so that nothing spins.
  const pace = Math.min(BIRD_SPEED, BIRD_TURN * loop) / loop;
  const wayRound = uniform(flock, 1) < 0.5 ? -1 : 1;
  const behind = (FLOCK_SPREAD * (item + 0.6 * draw(0))) / life.count;
  const turn = TAU * (uniform(flock, 2) - behind) + pace * timeS;
  const wave = uniform(flock, 3) * TAU;
  const beside = spread * (2 * draw(1) - 1);
  const here = onLoop(life.anchor, loop, beside, turn, wayRound, wave);
  const soon = onLoop(life.anchor, loop, beside, turn + 0.01, wayRound, wave);
  const step = soon.map((x, k) => x - here[k]);
  const phase = draw(2);
  const bob = BIRD_BOB * sin(TAU * phase + 0.9 * timeS);
  const rise = dot(step, here);
  const front = normalize(step.map((x, k) => x - here[k] * rise));
  return instanceRow(here, front, between(BIRD_SCALE, draw(3)), life.feature, {
    tint: life.tint,
    seed24: seed24Of(draw(4)),
    delayS: 0.08 * item,
    lift: BIRD_LIFT + 0.012 * draw(5) + bob,
    phase,
  });
}

/** A glowing point that wanders about its own place and breathes. */
function fireflyOf(life, item, timeS) {
  const draw = drawOf(life, item);
  const drift = Math.min(FLY_DRIFT, 0.3 * life.radius);
  const innerDeg = (life.radius - 1.5 * drift) * DEGREES_PER_RADIAN;
  const home = capPoint(life.anchor, innerDeg, draw(0), draw(1));
  const [east, north] = eastNorth(home);
  const slow = 0.16 + 0.2 * draw(2);
  const first = TAU * draw(3);
  const second = TAU * draw(4);
  const t = slow * timeS;
  const x = drift * (0.7 * sin(t + first) + 0.3 * sin(2.3 * t + second));
  const y = drift * (0.7 * sin(0.8 * t + second) + 0.3 * cos(1.9 * t + first));
  const lift = between(FLY_LIFT, 0.5 + 0.35 * sin(0.7 * t + first) + 0.15 * sin(3.1 * t + second));
  const breath = 0.5 + 0.5 * sin(timeS * (0.9 + 0.8 * draw(5)) + first);
  const shine = 0.12 + 0.88 * smoothstep(0.25, 0.95, breath);
  const at = normalize(home.map((h, k) => h + east[k] * x + north[k] * y));
  const rgb = life.tint.map((channel) => channel * shine);
  const fly = spriteRow(at, lift, rgb, between(FLY_SIZE, draw(6)), life.feature, draw(7));
  fly[8] = 1.2 * draw(8);
  return fly;
}

/** Do something for the number of every one that lives. */
function individuals(life, perCount, each) {
  for (let item = 0; item < life.count * perCount; item += 1) each(item);
}

function drawOf(life, item) {
  return (k) => uniform(life.seed, item * DRAWS + k);
}

function between([low, high], share) {
  return low + (high - low) * share;
}

/** x, but not below 0 and not above `high`. */
function within(x, high) {
  return Math.min(Math.max(x, 0), high);
}

/** The place at a share 0..1 of a way, and the unit tangent, both continuous. */
function onWay({ way, closed }, share) {
  const last = WAY_POINTS - 1;
  const place = share * last;
  const k = Math.min(Math.floor(place), last - 1);
  const f = place - k;
  const before = k > 0 ? k - 1 : closed ? last - 1 : 0;
  const after = k + 2 <= last ? k + 2 : closed ? 1 : last;
  const [a, b] = [way[k], way[k + 1]];
  const at = normalize(a.map((x, j) => x * (1 - f) + b[j] * f));
  const coming = normalize(b.map((x, j) => x - way[before][j]));
  const going = normalize(way[after].map((x, j) => x - a[j]));
  const slope = coming.map((x, j) => x * (1 - f) + going[j] * f);
  const rise = dot(slope, at);
  return [at, normalize(slope.map((x, j) => x - at[j] * rise))];
}

/** The place on a wavy loop round a centre. */
function onLoop(center, loop, beside, turn, wayRound, wave) {
  const [east, north] = eastNorth(center);
  const angle = loop * (1 + 0.16 * sin(2 * turn + wave)) + beside;
  const [c, s] = [cos(turn), wayRound * sin(turn)];
  const [ca, sa] = [cos(angle), sin(angle)];
  return normalize(center.map((x, k) => x * ca + (north[k] * c + east[k] * s) * sa));
}

/** Row of the `sprite` buffer. */
function spriteRow(at, lift, rgb, size, feature, phase) {
  return [...at, lift, ...rgb, size, 0, seed24Of(phase), phase, feature];
}
