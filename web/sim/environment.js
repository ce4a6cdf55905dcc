/**
 * Sky and weather: what the whole world's light depends on, as numbers that can be mixed.
 *
 * Sky and weather are features like any other, and the last one written wins. While one rises, the
 * light crossfades: skies mix throughout, the old weather fades out in the first half and the new
 * one comes in the second.
 *
 * Twin: godseed/sim/environment.py
 */

import { DEG, cos, exp, sin } from './maths.js';
import { uniform } from './rng.js';
import { once, spec } from './spec.js';
import { cross, eastNorth, normalize } from './sphere.js';

/** Palette, star density and moons of a world in which no sky was ever set. */
export const FIRST_SKY = ['void', 0.9, 1];
export const FIRST_WEATHER = ['clear', 0];
export const COLORS = [
  'key',
  'ambient_sky',
  'ambient_ground',
  'rim',
  'haze',
  'zenith',
  'horizon',
  'nebula',
];
export const NUMBERS = [
  'elevation_deg',
  'azimuth_deg',
  'haze_density',
  'exposure',
  'bloom_strength',
  'star_factor',
  'aurora',
];

/** Sky and weather at a moment. */
export class Environment {
  /**
   * @param {Record<string, number[]>} colors name in COLORS -> linear rgb of the palette
   * @param {Record<string, number>} numbers name in NUMBERS -> number of the palette
   * @param {number} starDensity 0..1, as wished, without the palette's factor
   * @param {number} moons 0..3; between whole numbers the last moon is fading
   * @param {number} weather kind, in the order of the tool's values
   * @param {number} amount 0..1, how heavy
   */
  constructor(colors, numbers, starDensity, moons, weather, amount) {
    this.colors = colors;
    this.numbers = numbers;
    this.starDensity = starDensity;
    this.moons = moons;
    this.weather = weather;
    this.amount = amount;
  }

  /**
   * What the shaders read: uniform name -> number, or rgb, or vector; `u_moon_dirs` is three
   * vectors end to end.
   *
   * @param {number[]} town the town centre; the sun stands in its frame
   * @param {number} timeS moves the moons and fires the lightning
   */
  uniforms(town, timeS) {
    const { colors, numbers, amount } = this;
    const look = weatherLooks()[this.weather];
    const lit = toward(1, look.key, amount);
    const ambient = toward(1, look.ambient, amount);
    const haze = mix3(colors.haze, look.haze, look.haze_mix * amount);
    const stars = this.starDensity * numbers.star_factor;
    return {
      u_sun: inFrame(town, numbers.elevation_deg, numbers.azimuth_deg),
      u_key: scaled(colors.key, lit),
      u_ambient_sky: scaled(colors.ambient_sky, ambient),
      u_ambient_ground: scaled(colors.ambient_ground, ambient),
      u_rim: scaled(colors.rim, lit),
      u_haze: haze,
      u_haze_density: numbers.haze_density + look.haze_density * amount,
      u_sky_zenith: colors.zenith,
      u_sky_horizon: mix3(colors.horizon, haze, 0.85 * look.haze_mix * amount),
      u_sky_nebula: scaled(colors.nebula, toward(1, look.stars, amount)),
      u_star_density: stars * toward(1, look.stars, amount),
      u_star_twinkle: 0.22,
      u_aurora: numbers.aurora * toward(1, look.stars, amount),
      u_moons: this.moons,
      u_moon_dirs: moonDirs(town, timeS),
      u_moon_sizes: table().moons.map((row) => sin(row.size_deg * DEG)),
      u_weather_kind: this.weather,
      u_weather_amount: amount,
      u_weather_center: town,
      u_flash: this.flash(timeS),
      u_exposure: numbers.exposure,
      u_bloom_strength: numbers.bloom_strength,
    };
  }

  /** Lightning 0..1: at times a bright stroke and a weaker one after it, gone in a second. */
  flash(timeS) {
    if (this.weather !== weatherKinds().indexOf('storm')) return 0;
    const rule = table().lightning;
    const slot = Math.floor(timeS / rule.every_s);
    const draw = (k) => uniform(rule.seed, slot * 4 + k);
    if (draw(0) > rule.chance) return 0;
    const first = (slot + 0.1 + 0.6 * draw(1)) * rule.every_s;
    const second = first + 0.09 + 0.12 * draw(2);
    const height = 0.55 + 0.45 * draw(3);
    const strokes =
      stroke(timeS - first, rule.fall_per_s) + 0.6 * stroke(timeS - second, rule.fall_per_s);
    return Math.min(1, height * strokes) * this.amount;
  }
}

/** The sky and weather of any prefix of a world: the last of each that was set. */
export function environment(features) {
  const sky = lastOf(features, 'set_sky');
  const weather = lastOf(features, 'set_weather');
  return environmentOf(
    sky ? [sky.palette, sky.star_density, sky.moons] : FIRST_SKY,
    weather ? [weather.kind, weather.intensity] : FIRST_WEATHER,
  );
}

/** The environment of one sky [palette, star density, moons] and one weather [kind, intensity]. */
export function environmentOf([palette, starDensity, moons], [weather, intensity]) {
  const row = table().palettes[palette];
  const kind = weatherKinds().indexOf(weather);
  if (!row || kind < 0)
    throw new RangeError(`environment: ${palette}, ${weather}; expected names in palettes.json`);
  const colors = Object.fromEntries(COLORS.map((name) => [name, row[name]]));
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, row[name]]));
  return new Environment(colors, numbers, starDensity, moons, kind, kind > 0 ? intensity : 0);
}

/**
 * Crossfade, exactly `a` at x <= 0 and exactly `b` at x >= 1.
 *
 * Colours and numbers go straight, the sun goes round its arc; the weather of `a` is gone at half
 * way, where that of `b` begins; the same kind of weather just changes its amount.
 */
export function blend(a, b, x) {
  if (x <= 0) return a;
  if (x >= 1) return b;
  let kind;
  let amount;
  if (a.weather === b.weather || a.amount === 0 || b.amount === 0) {
    kind = a.amount === 0 ? b.weather : a.weather;
    amount = toward(a.amount, b.amount, x);
  } else if (x < 0.5) {
    kind = a.weather;
    amount = a.amount * (1 - 2 * x);
  } else {
    kind = b.weather;
    amount = b.amount * (2 * x - 1);
  }
  return new Environment(
    Object.fromEntries(COLORS.map((name) => [name, mix3(a.colors[name], b.colors[name], x)])),
    Object.fromEntries(NUMBERS.map((name) => [name, toward(a.numbers[name], b.numbers[name], x)])),
    toward(a.starDensity, b.starDensity, x),
    toward(a.moons, b.moons, x),
    kind,
    amount,
  );
}

/**
 * Unit directions of the three moons, end to end: each goes round the town's pole at its own slow
 * pace.
 */
export function moonDirs(town, timeS) {
  const [, north] = eastNorth(town);
  const aside = cross(north, town);
  return table().moons.flatMap((row) => {
    const turn = (row.from_town_deg + row.turn_deg_s * timeS) * DEG;
    const [c, s] = [cos(turn), sin(turn)];
    const down = row.from_north_deg * DEG;
    const [cd, sd] = [cos(down), sin(down)];
    return normalize(town.map((x, k) => (x * c + aside[k] * s) * sd + north[k] * cd));
  });
}

/** Names of the weathers in the order of the tool's values. */
export const weatherKinds = once(() => {
  const { args } = spec('tools.json').tools.find((row) => row.name === 'set_weather');
  return args.find((arg) => arg.name === 'kind').values;
});

/** How each weather changes the light, in the order of `weatherKinds`. */
export const weatherLooks = once(() => weatherKinds().map((kind) => table().weather[kind]));

/** Arguments of the last feature of a tool. */
function lastOf(features, tool) {
  for (let i = features.length - 1; i >= 0; i -= 1)
    if (features[i].tool === tool) return features[i].args;
  return null;
}

function table() {
  return spec('palettes.json');
}

/** Unit vector at an elevation and a compass azimuth over a place. */
function inFrame(town, elevationDeg, azimuthDeg) {
  const [east, north] = eastNorth(town);
  const [ca, sa] = [cos(azimuthDeg * DEG), sin(azimuthDeg * DEG)];
  const [ce, se] = [cos(elevationDeg * DEG), sin(elevationDeg * DEG)];
  return normalize(town.map((x, k) => (north[k] * ca + east[k] * sa) * ce + x * se));
}

function stroke(sinceS, fallPerS) {
  return sinceS >= 0 ? exp(-fallPerS * sinceS) : 0;
}

function scaled(color, factor) {
  return color.map((x) => x * factor);
}

function mix3(a, b, x) {
  return a.map((from, k) => toward(from, b[k], x));
}

function toward(a, b, x) {
  return a + (b - a) * x;
}
