/**
 * The Genesis Log as data: what was granted, and the trace of each wish.
 *
 * It comes from the server's API, or from a log that lies beside the page as `wishes.jsonl`; both give
 * the same pages.
 *
 * @typedef {object} Entry one granted wish
 * @property {string} wish_id
 * @property {string} text
 * @property {string} epitaph
 * @property {number} epoch
 */

import { Feature } from '../sim/feature.js';
import { genesisFeatures } from '../sim/genesis.js';

export const LOG_NAME = 'wishes.jsonl';
const WISH_ID = /^w_[0-9]{6,9}$/;

/** What was granted, in order, and the world that came of it. */
export class Archive {
  #read;

  /**
   * @param {Entry[]} entries in the order in which they were granted
   * @param {Feature[]} features of the whole world
   * @param {(wishId: string) => Promise<object>} read gives a trace
   * @param {string[]} notes what could not be read, for the visitor
   */
  constructor(entries, features, read, notes = []) {
    this.entries = entries;
    this.features = features;
    this.notes = notes;
    this.#read = read;
  }

  /** The trace of a wish. */
  trace(wishId) {
    return this.#read(wishId);
  }

  /** The entry of a wish, undefined if it was not granted here. */
  entry(wishId) {
    return this.entries.find((entry) => entry.wish_id === wishId);
  }

  /** How many features there were once a wish had been granted. */
  extent(wishId) {
    const last = numberOf(wishId);
    return this.features.findLastIndex((feature) => numberOf(feature.wishId) <= last) + 1;
  }
}

/**
 * Open the log that the page was asked for, or the nearest one.
 *
 * @param {URLSearchParams} query `mock` opens the built-in one, `log=ADDRESS` a file
 * @returns {Promise<Archive>}
 * @throws {Error} there is none; the text is for visitors
 */
export async function openArchive(query) {
  if (query.has('mock')) return mockArchive();
  if (query.has('log')) return logArchive(query.get('log'));
  const answer = await fetch('api/wishes', { cache: 'no-store' }).catch(() => null);
  if (answer?.ok) return serverArchive(await answer.json());
  try {
    return await logArchive(LOG_NAME);
  } catch {
    throw new Error(`No log is here: neither a server's nor a file ${LOG_NAME} beside this page.`);
  }
}

/**
 * Traces of a log file.
 *
 * @param {string} address relative to the page
 * @returns {Promise<{traces: object[], notes: string[]}>}
 * @throws {Error} there is no such file
 */
export async function logTraces(address) {
  const answer = await fetch(address, { cache: 'no-cache' });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}; expected a log of wishes`);
  return parseLog(await answer.text());
}

/**
 * Read a log: one trace a line. Lines that are none are left out and counted, a torn last line too.
 *
 * @param {string} text
 * @returns {{traces: object[], notes: string[]}}
 */
export function parseLog(text) {
  const traces = [];
  let left = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const trace = traceOf(line);
    if (trace) traces.push(trace);
    else left++;
  }
  const lines = left === 1 ? '1 line' : `${left} lines`;
  return { traces, notes: left > 0 ? [`${lines} of the log could not be read.`] : [] };
}

function traceOf(line) {
  try {
    const trace = JSON.parse(line);
    if (!WISH_ID.test(trace.wish_id) || typeof trace.text !== 'string') return null;
    const features = trace.features ?? [];
    // Logs of the first design list ids alone; `godseed inspect` writes them anew.
    if (features.length === 0 && trace.feature_ids?.length > 0) return null;
    features.forEach((row) => new Feature(row));
    return { reading: '', epitaph: '', turns: [], ...trace, features };
  } catch {
    return null;
  }
}

async function mockArchive() {
  const { default: log } = await import('../mock/log.json');
  return traceArchive({ traces: structuredClone(log.traces), notes: [] });
}

async function logArchive(address) {
  return traceArchive(await logTraces(address));
}

function traceArchive({ traces, notes }) {
  const byId = new Map(traces.map((trace) => [trace.wish_id, trace]));
  const entries = traces.map(({ wish_id, text, epitaph }, i) => ({
    wish_id,
    text,
    epitaph,
    epoch: i + 1,
  }));
  const rows = traces.flatMap((trace) => trace.features.map((row) => new Feature(row)));
  const features = [...genesisFeatures(), ...rows];
  return new Archive(entries, features, async (wishId) => byId.get(wishId), notes);
}

async function serverArchive(entries) {
  const answer = await fetch('api/state', { cache: 'no-store' });
  if (!answer.ok) throw new Error(`api/state: ${answer.status}; expected the world`);
  const { world } = await answer.json();
  const read = async (wishId) => {
    const trace = await fetch(`api/wishes/${wishId}`);
    if (!trace.ok) throw new Error(`api/wishes/${wishId}: ${trace.status}; expected its trace`);
    return trace.json();
  };
  const inOrder = [...entries].sort((a, b) => numberOf(a.wish_id) - numberOf(b.wish_id));
  return new Archive(
    inOrder,
    world.features.map((row) => new Feature(row)),
    read,
  );
}

/** Number of a wish, 0 for genesis. */
function numberOf(wishId) {
  return WISH_ID.test(wishId) ? Number(wishId.slice(2)) : 0;
}
