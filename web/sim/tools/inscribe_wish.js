/**
 * Words in the world: a ring of letters round it, or a stone near the town.
 *
 * Twin: godseed/sim/tools/inscribe_wish.py
 */

import { addRow } from '../columns.js';
import { instanceRow, kit, lightRow } from '../kits.js';
import { DEG, TAU, cos, sin } from '../maths.js';
import { touches, within } from '../plots.js';
import { mix, uniform } from '../rng.js';
import { pagesOf } from '../shaping.js';
import { constants, spec } from '../spec.js';
import { cross, eastNorth, normalize, rotate } from '../sphere.js';
import * as text from '../text.js';

export const RING_RADIUS = 1.3;
export const RING_STEP = 0.07;
export const RING_LEVELS = 4;
export const RING_EM = 0.078;
/**
 * How far a ring leans away from the town, so that its near side passes above it, and to a side.
 */
export const RING_TILT_DEG = [15, 24];
export const RING_ROLL_DEG = [-15, 15];
/**
 * How rings that follow each other are turned about the town, so that they cross and do not cover.
 */
export const RING_TURNS_DEG = [0, 42, -42, 22, -22];
/** Radians per second. */
export const RING_SPEED = 0.03;
export const RING_GOLD = [1, 0.78, 0.45];
export const RING_INTENSITY = 0.8;
/** Seconds from the first letter to the last one. */
export const RING_FADE_S = 2.4;

export const STONE_AWAY_DEG = [3.5, 6];
/** A stone stands on the near side of the town, at most so far from the camera's azimuth. */
export const STONE_BEARING_DEG = 80;
export const STONE_TURN_DEG = 9;
export const STONE_TRIES = 16;
/** Radius that a stone wants free, and how far around it is looked for what stands there. */
export const STONE_SIZE = 0.03;
export const STONE_MARGIN = 0.07;
/**
 * Text box on the front of the `plaque` kit: size, height of its middle, distance from its axis.
 */
export const FACE_WIDTH = 0.0455;
export const FACE_HEIGHT = 0.0285;
export const FACE_MIDDLE = 0.0236;
export const FACE_FRONT = 0.0034;
export const STONE_GOLD = [1, 0.74, 0.4];
export const STONE_INTENSITY = 0.62;
export const STONE_FADE_S = 1.8;
export const RING_PURPOSE = 0x5247;
export const STONE_PURPOSE = 0x5354;
/** Kinds in column 23 of a glyph, to which twice the page of the atlas is added (0: the base). */
export const RING = 0;
export const PLAQUE = 1;

/**
 * Inscribe texts: parts `glyph_ring`, `glyph_plaque`, `kit:plaque` and `light`.
 *
 * @param {import('../columns.js').Columns} columns features with `text style`, and `town`
 * @param {import('../columns.js').Paths} paths of all features; stones keep clear of those before
 *   theirs
 * @returns {import('../columns.js').Built}
 */
export function build(columns, paths) {
  const parts = {};
  const names = styleNames();
  columns.index.forEach((feature, i) => {
    if (names[columns.enums.style[i]] === 'orbit') {
      for (const row of ringOf(columns, i)) addRow(parts, 'glyph_ring', feature, row);
    } else {
      const [at, front] = place(columns, i, paths);
      addRow(parts, 'kit:plaque', feature, instanceRow(at, front, 1, feature));
      const ahead = normalize(at.map((x, k) => x + front[k] * 0.012));
      addRow(parts, 'light', feature, lightRow(ahead, 0.06, STONE_GOLD, 0.5, feature));
      for (const row of plaqueOf(columns, i, at, front))
        addRow(parts, 'glyph_plaque', feature, row);
    }
  });
  return { parts, paths: [] };
}

/** Pages of the glyph atlas that features' texts are drawn from, ascending. */
export function pages(features) {
  const texts = features.flatMap(({ tool, args }) => (tool === 'inscribe_wish' ? [args.text] : []));
  return [...new Set(texts.flatMap((words) => pagesOf(words)))].sort((a, b) => a - b);
}

function styleNames() {
  const { args } = spec('tools.json').tools.find((row) => row.name === 'inscribe_wish');
  return args.find((arg) => arg.name === 'style').values;
}

/** Letters of one ring. */
function ringOf(columns, i) {
  const seed = mix(columns.seed[i], RING_PURPOSE);
  const ordinal = columns.ordinal[i];
  const radius = RING_RADIUS + RING_STEP * (ordinal % RING_LEVELS);
  const laid = text.ring(columns.texts.text[i], radius, RING_EM);
  const [axis, right, front] = ringFrame(
    columns.town[i],
    seed,
    RING_TURNS_DEG[ordinal % RING_TURNS_DEG.length],
  );
  return laid.map(({ angle, height, halfWidth, halfHeight, uv, page }, n) => {
    const [s, c] = [sin(angle), cos(angle)];
    return [
      ...[0, 0, 0, RING_SPEED],
      ...axis.map((x, k) => (right[k] * s + front[k] * c) * radius + x * height),
      delayOf(n, laid.length, RING_FADE_S),
      ...right.map((x, k) => (x * c - front[k] * s) * halfWidth),
      columns.index[i],
      ...axis.map((x) => x * halfHeight),
      n,
      ...uv,
      ...axis,
      RING + 2 * page,
      ...RING_GOLD,
      RING_INTENSITY,
    ];
  });
}

/** Axis of a ring, and two unit vectors in its plane; the text starts at the last, turned. */
function ringFrame(town, seed, turnDeg) {
  const north = eastNorth(town)[1];
  const tilt = between(RING_TILT_DEG, uniform(seed, 1)) * DEG;
  const roll = (between(RING_ROLL_DEG, uniform(seed, 2)) + turnDeg) * DEG;
  const [lean, rise] = [cos(tilt), sin(tilt)];
  const leaning = north.map((x, k) => x * lean - town[k] * rise);
  const axis = normalize(rotate(leaning, town, roll));
  const right = normalize(cross(axis, town));
  const front = cross(right, axis);
  const start = TAU * uniform(seed, 3);
  const [c, s] = [cos(start), sin(start)];
  return [
    axis,
    right.map((x, k) => x * c - front[k] * s),
    front.map((x, k) => x * c + right[k] * s),
  ];
}

/**
 * Where a stone stands and looks: near the town, towards whoever looks at it; the first of a few
 * seeded places that nothing stands on, the very first if all are taken.
 */
function place(columns, i, paths) {
  const azimuth = constants().camera.town.azimuth_deg;
  const size = Math.max(STONE_SIZE, kit('plaque').halfWidth);
  const seed = mix(columns.seed[i], STONE_PURPOSE);
  const town = columns.town[i];
  const near = within(paths, town, STONE_AWAY_DEG[1] * DEG + STONE_MARGIN, columns.index[i]);
  const tried = Array.from({ length: STONE_TRIES }, (_, number) => {
    const bearing = azimuth + STONE_BEARING_DEG * (2 * uniform(seed, 2 * number) - 1);
    const away = between(STONE_AWAY_DEG, uniform(seed, 2 * number + 1)) * DEG;
    const [c, s] = [cos(away), sin(away)];
    const level = levelOf(town, bearing);
    return normalize(town.map((x, k) => x * c + level[k] * s));
  });
  const at = tried.find((candidate) => !touches(candidate, size, near)) ?? tried[0];
  const turn = azimuth + STONE_TURN_DEG * (2 * uniform(seed, 2 * STONE_TRIES) - 1);
  return [at, levelOf(at, turn)];
}

/** Unit tangent at a compass bearing. */
function levelOf(at, bearingDeg) {
  const [east, north] = eastNorth(at);
  const [c, s] = [cos(bearingDeg * DEG), sin(bearingDeg * DEG)];
  return north.map((x, k) => x * c + east[k] * s);
}

/** Letters on one stone. */
function plaqueOf(columns, i, at, front) {
  const { letters } = text.plaque(columns.texts.text[i], FACE_WIDTH, FACE_HEIGHT);
  const right = cross(at, front);
  return letters.map(({ quad, uv, page }, n) => {
    const x = (quad[0] + quad[2]) * 0.5;
    const y = (quad[1] + quad[3]) * 0.5;
    const [halfWidth, halfHeight] = [(quad[2] - quad[0]) * 0.5, (quad[3] - quad[1]) * 0.5];
    return [
      ...[...at, 0],
      ...right.map((r, k) => r * x + at[k] * (y + FACE_MIDDLE) + front[k] * FACE_FRONT),
      1.2 + delayOf(n, letters.length, STONE_FADE_S),
      ...right.map((r) => r * halfWidth),
      columns.index[i],
      ...at.map((a) => a * halfHeight),
      n,
      ...uv,
      ...at,
      PLAQUE + 2 * page,
      ...STONE_GOLD,
      STONE_INTENSITY,
    ];
  });
}

/** When each letter appears, in reading order. */
function delayOf(number, count, seconds) {
  return number * (seconds / Math.max(count - 1, 1));
}

function between([low, high], share) {
  return low + (high - low) * share;
}
