/**
 * The schedule of a replay: a pure function of a trace, in whole milliseconds.
 *
 * The reading types at 28 characters a second; per turn the thought types, the gaze eases to the
 * target, the feature lands and rises; a rejected call shows its observation; then the epitaph
 * card, then the descent if wanted.
 *
 * @typedef {object} Event something that happens from `startMs` until `endMs`
 * @property {number} startMs
 * @property {number} endMs
 * @property {string} kind `reading`, `thought`, `gaze`, `land`, `observation`, `epitaph` or
 *   `descend`
 * @property {string} text what is read, thought, observed or inscribed; empty for camera events
 * @property {number} turn number of the turn, -1 outside the turns
 * @property {number} feature world index of the feature it is about, -1 for none
 *
 * @typedef {object} Timeline a whole replay
 * @property {Event[]} events ordered by start
 * @property {Map<number, number>} landedMs world index of a feature -> when it lands
 * @property {number} totalMs when the last event ends
 * @property {number} riseMs how long a feature takes to rise
 *
 * Twin: godseed/sim/timeline.py
 */

import { constants } from './spec.js';

/** Landing time of what has always been there, milliseconds. */
export const ALWAYS = -1_000_000_000_000;

/**
 * The event of a kind that is going on at `ms`, or the last one that has begun; null if none has.
 */
export function eventAt({ events }, ms, kind) {
  return events.findLast((event) => event.kind === kind && event.startMs <= ms) ?? null;
}

/**
 * Lay out one wish.
 *
 * @param {{reading: string, epitaph: string, turns: {thought: string, observation: string |
 *   null}[], features: object[]}} trace a turn whose observation begins with `ok` landed the next
 *   feature
 * @param {boolean} descend end with the descent to the last feature
 * @returns {Timeline}
 */
export function timeline(trace, descend = true) {
  const clock = constants().timeline;
  const events = [];
  const landedMs = new Map();
  let now = clock.lead_ms;
  const add = (kind, length, text = '', turn = -1, feature = -1) => {
    events.push({ startMs: now, endMs: now + length, kind, text, turn, feature });
    now += length;
  };
  add('reading', typingMs(trace.reading), trace.reading);
  const waiting = [...trace.features];
  let last = -1;
  trace.turns.forEach((turn, number) => {
    add('thought', typingMs(turn.thought), turn.thought, number);
    const observation = turn.observation ?? '';
    if (observation.startsWith('ok') && waiting.length > 0) {
      last = featureIndex(waiting.shift());
      add('gaze', clock.gaze_ms, '', number, last);
      landedMs.set(last, now);
      add('land', clock.rise_ms, observation, number, last);
    } else if (observation) {
      add('observation', clock.observation_ms, observation, number);
    }
  });
  add('epitaph', clock.epitaph_ms, trace.epitaph, -1, last);
  if (descend && last >= 0) add('descend', clock.descend_ms, '', -1, last);
  return { events, landedMs, totalMs: now, riseMs: clock.rise_ms };
}

/** Lay out a whole log: every wish compressed to its landings. */
export function timelapse(traces) {
  const clock = constants().timeline;
  const riseMs = clock.timelapse_rise_ms;
  const events = [];
  const landedMs = new Map();
  let now = clock.lead_ms;
  for (const trace of traces) {
    for (const feature of trace.features) {
      const index = featureIndex(feature);
      events.push({
        startMs: now,
        endMs: now + riseMs,
        kind: 'land',
        text: trace.epitaph,
        turn: -1,
        feature: index,
      });
      landedMs.set(index, now);
      now += riseMs;
    }
  }
  return { events, landedMs, totalMs: now + clock.epitaph_ms, riseMs };
}

/**
 * How long a text takes to type and be read: characters at the typing rate, rounded up, plus a
 * pause.
 */
export function typingMs(text) {
  const clock = constants().timeline;
  const rate = clock.chars_per_second;
  return text ? Math.floor((Array.from(text).length * 1000 + rate - 1) / rate) + clock.pause_ms : 0;
}

/** The part of an event's text that has been typed at `ms`. */
export function typed(event, ms) {
  const rate = constants().timeline.chars_per_second;
  const shown = Math.max(0, Math.floor(((ms - event.startMs) * rate) / 1000));
  return Array.from(event.text).slice(0, shown).join('');
}

/** World index of a feature, from its id. */
export function featureIndex(feature) {
  return Number(feature.id.slice(2));
}

/**
 * When each feature of a world begins to rise, in milliseconds, ascending; ALWAYS for those that
 * are not named.
 *
 * One group of features rises at a time: a feature that lands while another group is still rising
 * waits for it, so the ground always moves between two exact states. Features that land together
 * rise together.
 */
export function landingTimes(count, landedMs, riseMs) {
  const times = [];
  let started = ALWAYS;
  let asked = ALWAYS;
  for (let i = 0; i < count; i += 1) {
    const wanted = Math.max(landedMs.get(i) ?? asked, asked);
    if (wanted !== asked) {
      started = Math.max(wanted, started + riseMs);
      asked = wanted;
    }
    times.push(started);
  }
  return times;
}
