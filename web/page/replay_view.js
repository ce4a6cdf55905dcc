/** What stands around a replay: the wish, the thoughts as they type, the epitaph, the controls. */

import { eventAt, typed } from '../sim/timeline.js';
import { townCenter, townName } from '../sim/town.js';
import { announce, showNotice } from './hud.js';
import { callText, shortened } from './ticker.js';

const at = (id) => document.getElementById(id);
const SECOND_MS = 1000;

/** The page of one wish. */
export class ReplayView {
  #replay;
  #archive;
  #trace = null;
  #wishId = null;
  #spoken = null;

  /**
   * @param {Replay} replay
   * @param {Archive} archive
   */
  constructor(replay, archive) {
    this.#replay = replay;
    this.#archive = archive;
    replay.onFrame = () => this.#show();
    at('play').addEventListener('click', () => this.#turn());
    at('time').addEventListener('input', () => replay.seek(Number(at('time').value)));
    at('tell').addEventListener('click', () => this.#tell(at('told').hidden));
    at('share').addEventListener('click', () => share());
    at('planet').addEventListener('click', () => this.#turn());
    addEventListener('resize', () => replay.draw());
    addEventListener('keydown', (event) => this.#key(event));
  }

  /**
   * Open a wish and play it, or show what it made where the page stands still.
   *
   * @param {Entry} entry
   * @param {number | null} stillMs null plays; else nothing moves unless asked to
   */
  async open(entry, stillMs) {
    const trace = await this.#archive.trace(entry.wish_id);
    this.#trace = trace;
    this.#wishId = entry.wish_id;
    this.#spoken = null;
    const features = this.#archive.features.slice(0, this.#archive.extent(entry.wish_id));
    this.#replay.close();
    this.#replay.open(trace, features);
    document.title = `${trace.epitaph || trace.text} · Genesis Log`;
    at('wish').textContent = `“${trace.text}”`;
    at('epoch').textContent = `Epoch ${entry.epoch.toLocaleString('en')}`;
    at('number').textContent = entry.wish_id;
    at('time').max = String(this.#replay.timeline.totalMs);
    const town = townName(townCenter(features));
    at('planet').setAttribute('aria-label', `The town of ${town} as this wish changes it`);
    this.#link('earlier', -1);
    this.#link('later', 1);
    at('told').replaceChildren(...transcript(trace));
    this.#tell(false);
    at('stage').hidden = false;
    at('planet').hidden = false;
    document.body.classList.add('replaying');
    at('stage').focus({ preventScroll: true });
    if (stillMs === null) this.#replay.play();
    else this.#replay.seek(made(this.#replay.timeline));
  }

  /** Leave the wish. */
  close() {
    this.#replay.close();
    this.#wishId = null;
    at('stage').hidden = true;
    at('planet').hidden = true;
    document.body.classList.remove('replaying');
  }

  #turn() {
    if (this.#replay.playing) this.#replay.pause();
    else this.#replay.play();
  }

  #key(event) {
    if (this.#wishId === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      if (at('told').hidden) location.hash = '';
      else this.#tell(false);
    } else if (event.key === ' ' && !event.target.closest('button, a, input')) {
      event.preventDefault();
      this.#turn();
    }
  }

  #tell(open) {
    at('told').hidden = !open;
    at('tell').setAttribute('aria-expanded', String(open));
    if (open) {
      this.#replay.pause();
      at('told').focus();
    }
  }

  /** A link to a neighbour of the wish, taken away at the ends. */
  #link(id, step) {
    const { entries } = this.#archive;
    const number = entries.findIndex((entry) => entry.wish_id === this.#wishId);
    const other = entries[number + step];
    at(id).hidden = other === undefined;
    if (other) at(id).href = `#${other.wish_id}`;
  }

  #show() {
    const { timeline, timeMs, playing } = this.#replay;
    if (timeline === null) return;
    const ended = timeMs >= timeline.totalMs;
    at('play').textContent = playing ? 'pause' : ended ? 'again' : 'play';
    at('time').value = String(Math.floor(timeMs));
    at('time').setAttribute('aria-valuetext', spokenTime(timeMs, timeline.totalMs));
    const speech = latest(timeline, timeMs, ['reading', 'thought']);
    const card = eventAt(timeline, timeMs, 'epitaph');
    const act = latest(timeline, timeMs, ['gaze', 'observation']);
    this.#ticker(speech, act, timeMs, card !== null);
    const shows = card !== null && (timeMs < card.endMs || ended) && card.text !== '';
    at('card').hidden = !shows;
    at('epitaph').textContent = shows ? card.text : '';
    const spoken = shows ? card : speech;
    if (spoken !== null && spoken !== this.#spoken) announce(spoken.text);
    this.#spoken = spoken;
  }

  #ticker(speech, act, timeMs, over) {
    at('ticker').classList.toggle('speaking', speech !== null && !over);
    at('thought').textContent = speech ? shortened(typed(speech, timeMs)) : '';
    const own = act !== null && speech !== null && act.turn === speech.turn;
    const call = own ? this.#trace.turns[act.turn].call : null;
    const rejected = own && act.kind === 'observation';
    at('act').textContent = rejected ? act.text : call ? callText(call) : '';
    at('act').classList.toggle('rejected', rejected);
  }
}

/** The newest of the events of some kinds that have begun, null before the first. */
function latest({ events }, timeMs, kinds) {
  return events.findLast(({ kind, startMs }) => kinds.includes(kind) && startMs <= timeMs) ?? null;
}

/** When everything that the wish made stands, and the camera still looks at it. */
function made({ events, totalMs }) {
  const last = events.findLast(({ kind }) => kind === 'land');
  return last ? last.endMs : totalMs;
}

/** All that was asked, thought, done and answered, as paragraphs. */
function transcript({ text, reading, turns, epitaph }) {
  const rows = [['asked', `“${text}”`]];
  if (reading) rows.push(['thought', reading]);
  for (const { thought, call, observation } of turns) {
    rows.push(['thought', thought]);
    if (call) rows.push(['act', callText(call)]);
    if (observation) rows.push(['observed', observation]);
  }
  if (epitaph) rows.push(['said-last', epitaph]);
  return rows
    .filter(([, words]) => words)
    .map(([className, words]) => {
      const line = document.createElement('p');
      line.className = className;
      line.textContent = words;
      return line;
    });
}

function spokenTime(timeMs, totalMs) {
  const [now, all] = [timeMs, totalMs].map((ms) => Math.floor(ms / SECOND_MS));
  return `${now} of ${all} seconds`;
}

async function share() {
  try {
    await navigator.clipboard.writeText(location.href);
    showNotice('The link is yours.', 2500);
  } catch {
    showNotice(location.href, 12_000);
  }
}
