/**
 * Stored arguments read back: what a feature may hold, by the rules of `spec/tools.json`.
 *
 * The page never takes calls from a model, so this side only has the twin of `restore`; making
 * canonical arguments of anything else is Python's.
 *
 * @typedef {number | string | number[][]} ArgumentValue
 *
 * Twin: godseed/sim/arguments.py
 */

import { constants, once, spec } from './spec.js';

/** Tool name -> its row of the spec with `index`, its position there. */
export const tools = once(
  () => new Map(spec('tools.json').tools.map((row, index) => [row.name, { ...row, index }])),
);

/**
 * Read stored arguments back, in spec order.
 *
 * @param {object} tool a row of `tools()`
 * @param {Record<string, unknown>} args as parsed from JSON
 * @returns {Record<string, ArgumentValue>}
 */
export function restore(tool, args) {
  const found = {};
  for (const row of tool.args) {
    const value = args[row.name];
    if (value === undefined && !row.required) continue;
    found[row.name] = restored(tool, row, value, found);
  }
  const extra = Object.keys(args).find((name) => !(name in found));
  if (extra !== undefined)
    throw new TypeError(`${tool.name}: unknown argument ${quoted(extra)}; remove it`);
  return found;
}

/** What an argument takes: `a number -85..85 expected`. */
export function expected(row) {
  if (row.type === 'enum') return `one of ${row.values.join(', ')}`;
  if (row.type === 'text') return `a text of 1..${row.max_length} characters expected`;
  if (row.type === 'path')
    return `a list of ${row.min_items}..${row.max_items} waypoints [lat,lon] expected`;
  return `${row.type === 'integer' ? 'an integer' : 'a number'} ${row.min}..${row.max} expected`;
}

/** Show a value in a message: short, on one line. */
export function quoted(value) {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 34 ? text : `${text.slice(0, 33)}…`;
}

function restored(tool, row, value, found) {
  const { type } = row;
  if (type === 'number' && inRange(row, value)) return value + 0;
  if (type === 'integer' && inRange(row, value) && Number.isInteger(value)) return value + 0;
  if (type === 'enum' && row.values.includes(value)) return value;
  if (type === 'text' && isLine(value)) return value;
  if (type === 'path' && isPath(row, value, found))
    return value.map(([lat, lon]) => [lat + 0, lon + 0]);
  throw new TypeError(`${tool.name}.${row.name}: ${quoted(value)}; ${expected(row)}`);
}

function inRange(row, value) {
  return typeof value === 'number' && row.min <= value && value <= row.max;
}

function isLine(value) {
  return (
    typeof value === 'string' &&
    value !== '' &&
    Array.from(value).length <= constants().text.max_code_points
  );
}

function isPath(row, value, found) {
  if (!Array.isArray(value)) return false;
  const [low, high] = pathBounds(row, found);
  const inside = (pair) =>
    Array.isArray(pair) &&
    pair.length === 2 &&
    inRange(row.lat, pair[0]) &&
    inRange(row.lon, pair[1]);
  return value.length >= low && value.length <= high && value.every(inside);
}

/** Fewest and most waypoints of a path, given the enum arguments before it. */
export function pathBounds(row, args) {
  let [low, high] = [row.min_items, row.max_items];
  for (const [name, bounds] of Object.entries(row.min_items_when ?? {}))
    low = bounds[args[name]] ?? low;
  for (const [name, bounds] of Object.entries(row.max_items_when ?? {}))
    high = bounds[args[name]] ?? high;
  return [low, high];
}
