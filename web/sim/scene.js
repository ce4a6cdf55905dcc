/**
 * Features -> buffers: the scene that a list of features makes, built in one go or feature by
 * feature with the same bytes.
 *
 * A scene is immutable to its readers and shares storage with the scene it was extended from. Rows
 * are float32, in feature order; the height of the ground under every anchor is kept apart in
 * float64, so that terrain raised later lifts what stands on it.
 *
 * Twin: godseed/sim/scene.py
 */

import { Paths } from './columns.js';
import { Growing } from './growing.js';
import { skylineOf } from './skyline.js';
import { once, spec } from './spec.js';
import { TERRAIN_WIDTH, baseHeight, basis, reaches, reliefAdd, reliefSums } from './terrain.js';
import { build as buildDistrict, districts } from './tools/build_district.js';
import { build as inscribeWish } from './tools/inscribe_wish.js';
import { build as lowerTerrain } from './tools/lower_terrain.js';
import { build as placeRoad } from './tools/place_road.js';
import { build as placeStructure, plots } from './tools/place_structure.js';
import { build as placeWater } from './tools/place_water.js';
import { build as raiseTerrain } from './tools/raise_terrain.js';
import { build as setSky } from './tools/set_sky.js';
import { build as setWeather } from './tools/set_weather.js';
import { build as spawnFlora } from './tools/spawn_flora.js';
import { build as spawnLife } from './tools/spawn_life.js';
import { centerOf, townPrefixes } from './town.js';

/**
 * Order in which the tools of a batch are built: whoever lays paths comes before whoever looks for
 * them.
 */
export const STAGES = [
  ['place_road', 'place_water'],
  ['build_district'],
  ['place_structure', 'spawn_life'],
  ['raise_terrain', 'lower_terrain', 'spawn_flora', 'set_weather', 'set_sky', 'inscribe_wish'],
];
/** Buffers that are not drawn but read. */
export const TABLES = ['terrain', 'light', 'life'];
const BUILDERS = {
  raise_terrain: raiseTerrain,
  lower_terrain: lowerTerrain,
  spawn_flora: spawnFlora,
  place_structure: placeStructure,
  place_water: placeWater,
  set_weather: setWeather,
  set_sky: setSky,
  inscribe_wish: inscribeWish,
  spawn_life: spawnLife,
  build_district: buildDistrict,
  place_road: placeRoad,
};

/** Rows of one buffer, ordered by feature. */
export class Buffer {
  /**
   * @param {number} width columns of a row
   * @param {Growing} rows float32
   * @param {Growing} feature owner of each row
   * @param {Growing} fields terrain noise fields at the anchors, 4 numbers each
   * @param {Growing} sums what terrain adds at the anchors
   * @param {number[]} anchors first column of each anchor direction
   */
  constructor(width, rows, feature, fields, sums, anchors) {
    this.width = width;
    this.rows = rows;
    this.feature = feature;
    this.fields = fields;
    this.sums = sums;
    this.anchors = anchors;
  }

  /** Anchor directions of rows from `start` on, flat float64, row-major. */
  anchorDirs(start = 0) {
    const rows = this.rows.view;
    const dirs = [];
    for (let row = start * this.width; row < rows.length; row += this.width) {
      for (const a of this.anchors) dirs.push(rows[row + a], rows[row + a + 1], rows[row + a + 2]);
    }
    return Float64Array.from(dirs);
  }

  /** Height of the ground at every anchor, float32, planet radii. */
  ground() {
    const base = baseHeight(this.fields.view);
    return Float32Array.from(this.sums.view, (sum, i) => base[i] + sum);
  }
}

/** Everything that features[0..n) put on the planet. */
export class Scene {
  #skyline = null;

  /**
   * @param {import('./feature.js').Feature[]} features in world order
   * @param {Map<string, Buffer>} buffers drawn buffers and TABLES, by name
   * @param {Growing} terrainRows float64, 12 numbers a row
   * @param {Growing} lightRows float64, 12 numbers a row
   * @param {Growing[]} pathRows one growing column per field of `Paths`
   * @param {number[]} townSum running weighted sum of town features
   * @param {Record<string, number>} counts tool -> how many features of it there are
   */
  constructor(features, buffers, terrainRows, lightRows, pathRows, townSum, counts) {
    this.features = features;
    this.buffers = buffers;
    this.terrainRows = terrainRows;
    this.lightRows = lightRows;
    this.pathRows = pathRows;
    this.townSum = townSum;
    this.counts = counts;
  }

  /** The scene of no features. */
  static empty() {
    const none = Paths.empty();
    const columns = [
      none.points,
      none.tangents,
      none.feature,
      none.line,
      none.kind,
      none.halfWidth,
    ];
    const rows = () => Growing.of(new Float64Array(0));
    return new Scene([], new Map(), rows(), rows(), columns.map(Growing.of), [0, 0, 0], {});
  }

  /** The scene of a whole feature list. */
  static build(features) {
    return Scene.empty().extended(features);
  }

  /** Terrain rows in feature order. */
  get terrain() {
    return this.terrainRows.view;
  }

  /** Light rows in feature order. */
  get lights() {
    return this.lightRows.view;
  }

  /** Roads, streets and streams in feature order. */
  get paths() {
    return pathsOf(this.pathRows);
  }

  /** The town centre. */
  get town() {
    return centerOf(this.townSum);
  }

  /**
   * The scene with more features behind; costs what they cost, and gives the bytes of building from
   * scratch.
   */
  extended(features) {
    if (features.length === 0) return this;
    const start = this.features.length;
    const [town, townSum] = townPrefixes(this.townSum, features);
    const byTool = new Map();
    features.forEach(({ tool }, i) => {
      if (!byTool.has(tool)) byTool.set(tool, []);
      byTool.get(tool).push(i);
    });
    const columns = (tool) => {
      const found = columnsOf(tool, features, byTool.get(tool), start, town);
      const first = this.counts[tool] ?? 0;
      return { ...found, ordinal: found.index.map((_, i) => first + i) };
    };
    const counts = { ...this.counts };
    for (const [tool, picked] of byTool) counts[tool] = (counts[tool] ?? 0) + picked.length;
    const parts = new Map();
    const laid = byTool.has('place_structure') ? plots(columns('place_structure')) : [];
    if (byTool.has('build_district')) laid.push(...districts(columns('build_district')));
    let pathRows = appendPaths(this.pathRows, laid);
    for (const stage of STAGES) {
      const before = laid.length;
      for (const tool of stage) {
        if (!byTool.has(tool)) continue;
        const built = BUILDERS[tool](columns(tool), pathsOf(pathRows));
        for (const [name, part] of Object.entries(built.parts))
          parts.set(name, [...(parts.get(name) ?? []), part]);
        laid.push(...built.paths);
      }
      if (laid.length > before) pathRows = appendPaths(this.pathRows, laid);
    }
    const merged = new Map([...parts].map(([name, found]) => [name, mergedPart(found)]));
    const fresh = Float64Array.from(merged.get('terrain')?.rows.flat() ?? []);
    const terrainRows = this.terrainRows.append(fresh);
    const buffers = new Map(
      [...this.buffers].map(([name, buffer]) => [name, raised(buffer, fresh)]),
    );
    for (const name of [...merged.keys()].sort()) {
      const part = merged.get(name);
      const old = buffers.get(name) ?? emptyBuffer(name, part.width);
      buffers.set(name, appended(old, part, terrainRows.view));
    }
    return new Scene(
      [...this.features, ...features],
      buffers,
      terrainRows,
      this.lightRows.append(Float64Array.from(merged.get('light')?.rows.flat() ?? [])),
      pathRows,
      townSum,
      counts,
    );
  }

  /** What stands and how high, for cameras; made once. */
  get skyline() {
    this.#skyline ??= skylineOf(
      [...this.buffers]
        .filter(([name]) => name.startsWith('kit:'))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, buffer]) => [name.slice(4), buffer.rows.view, buffer.ground()]),
    );
    return this.#skyline;
  }

  /** What the planet's vertices depend on. */
  groundRows() {
    return { terrain: this.terrain, lights: this.lights };
  }
}

/**
 * Arguments of some features of one tool as columns.
 *
 * @param {string} tool its name in `spec/tools.json`
 * @param {import('./feature.js').Feature[]} features new features
 * @param {number[]} picked positions in `features` of those of this tool, ascending
 * @param {number} start world index of features[0]
 * @param {number[][]} town town centre before each feature
 * @returns {import('./columns.js').Columns}
 */
export function columnsOf(tool, features, picked, start, town) {
  const chosen = picked.map((i) => features[i]);
  const [numbers, enums, texts, paths] = [{}, {}, {}, {}];
  for (const { name, type, values, default: usual } of toolRow(tool).args) {
    const found = chosen.map((feature) => feature.args[name] ?? usual);
    if (type === 'number' || type === 'integer') numbers[name] = found;
    else if (type === 'enum') enums[name] = found.map((value) => values.indexOf(value));
    else if (type === 'text') texts[name] = found;
    else paths[name] = found;
  }
  const index = picked.map((i) => i + start);
  const seed = chosen.map((feature) => feature.seed);
  return { index, seed, numbers, enums, texts, paths, town: picked.map((i) => town[i]) };
}

/** The tool's row of `spec/tools.json`. */
export const toolRow = once((tool) => spec('tools.json').tools.find((row) => row.name === tool));

/** Format of a buffer from `spec/materials.json`; tables that are not drawn have no anchors. */
export const bufferFormat = once((name) => {
  const names = {
    kit: 'kit_instance',
    road: 'patch',
    water: 'patch',
    glyph_ring: 'glyph',
    glyph_plaque: 'glyph',
  };
  const key = names[name.split(':')[0]] ?? name;
  return spec('materials.json').formats[key] ?? { ground: 0, attributes: [] };
});

function pathsOf(pathRows) {
  return new Paths(...pathRows.map((column) => column.view));
}

/** Append the new lines of one extension, in feature order, to the lines before it. */
function appendPaths(store, laid) {
  if (laid.length === 0) return store;
  const ordered = [...laid].sort((a, b) => a.feature - b.feature);
  const [points, tangents] = [
    new Float64Array(3 * ordered.length),
    new Float64Array(3 * ordered.length),
  ];
  ordered.forEach(({ point, tangent }, i) => {
    points.set(point, 3 * i);
    tangents.set(tangent, 3 * i);
  });
  const column = (name) => ordered.map((p) => p[name]);
  const columns = [
    points,
    tangents,
    column('feature'),
    column('line'),
    column('kind'),
    column('halfWidth'),
  ];
  return store.map((old, i) => old.append(columns[i]));
}

/** One part from several tools' rows for the same buffer, in feature order. */
function mergedPart(parts) {
  if (parts.length === 1) return parts[0];
  const feature = parts.flatMap((part) => part.feature);
  const rows = parts.flatMap((part) => part.rows);
  const order = feature.map((_, i) => i).sort((a, b) => feature[a] - feature[b]);
  return {
    rows: order.map((i) => rows[i]),
    feature: order.map((i) => feature[i]),
    width: parts[0].width,
  };
}

function emptyBuffer(name, width) {
  const none = () => Growing.of(new Float64Array(0));
  const rows = Growing.of(new Float32Array(0));
  const feature = Growing.of(new Int32Array(0));
  return new Buffer(width, rows, feature, none(), none(), bufferFormat(name).anchors ?? []);
}

/** A buffer with more rows, their anchors' ground summed over all terrain. */
function appended(buffer, part, terrain) {
  const count = buffer.feature.length;
  const { width, anchors } = buffer;
  const rows = new Float32Array(part.rows.length * width);
  part.rows.forEach((row, i) => rows.set(row, i * width));
  const grown = new Buffer(
    width,
    buffer.rows.append(rows),
    buffer.feature.append(part.feature),
    buffer.fields,
    buffer.sums,
    anchors,
  );
  if (anchors.length === 0) return grown;
  const dirs = grown.anchorDirs(count);
  const fields = basis(dirs);
  grown.fields = buffer.fields.append(fields);
  grown.sums = buffer.sums.append(reliefSums(dirs, fields, terrain));
  return grown;
}

/** A buffer whose anchors feel more terrain rows; the same object where none reaches it. */
function raised(buffer, terrain) {
  const count = terrain.length / TERRAIN_WIDTH;
  if (buffer.anchors.length === 0 || count === 0 || buffer.feature.length === 0) return buffer;
  const dirs = buffer.anchorDirs();
  const touched = Array.from({ length: count }, (_, row) => reaches(terrain, row, dirs)).some(
    Boolean,
  );
  if (!touched) return buffer;
  const sums = buffer.sums.view.slice();
  for (let row = 0; row < count; row += 1) reliefAdd(sums, dirs, buffer.fields.view, terrain, row);
  return new Buffer(
    buffer.width,
    buffer.rows,
    buffer.feature,
    buffer.fields,
    Growing.of(sums),
    buffer.anchors,
  );
}
