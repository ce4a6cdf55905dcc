/** The thought ticker: what the god thinks, word by word, and what it does. */

import { announce } from './hud.js';

const KEPT = 220;
const AWAY_MS = 7000;

/** Types into the page as tokens come. */
export class Ticker {
  #thought = document.getElementById('thought');
  #act = document.getElementById('act');
  #box = document.getElementById('ticker');
  #text = '';
  #announced = '';
  #fresh = true;
  #turn;
  #timer = 0;

  /**
   * A piece of reading or thought.
   *
   * @param {{text: string, turn?: number}} event a feed that does not number turns is cut at sentences
   */
  say({ text, turn }) {
    const ended = /[.!?…]$/.test(this.#text) && /^\S/.test(text);
    if (this.#fresh || (turn === undefined ? ended : turn !== this.#turn)) {
      this.#announce();
      this.#text = '';
    }
    this.#fresh = false;
    this.#turn = turn;
    this.#text += text;
    this.#thought.textContent = shortened(this.#text);
    this.#show();
  }

  /** A call that the god makes; the next thought starts anew. */
  act({ tool, args }) {
    this.#announce();
    const text = callText({ tool, args });
    this.#act.textContent = text;
    announce(text);
    this.#fresh = true;
    this.#show();
  }

  /** A new wish: nothing is said yet. */
  clear() {
    this.#text = '';
    this.#fresh = true;
    this.#act.textContent = '';
    this.#thought.textContent = '';
    this.#box.classList.remove('speaking');
  }

  #show() {
    this.#box.classList.add('speaking');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#announce();
      this.#box.classList.remove('speaking');
    }, AWAY_MS);
  }

  /** Hand a finished thought to screen readers, which words as they come would drown. */
  #announce() {
    if (this.#text !== '' && this.#text !== this.#announced) announce(this.#text.trim());
    this.#announced = this.#text;
  }
}

/** A call in words: what, of which kind, and where. */
export function callText({ tool, args = {} }) {
  const what = args.kind ?? args.palette ?? args.style ?? '';
  const [lat, lon] = args.path?.[0] ?? [args.lat, args.lon];
  const placed = Number.isFinite(lat) && Number.isFinite(lon);
  const where = placed ? ` at ${degrees(lat, 'N', 'S')} ${degrees(lon, 'E', 'W')}` : '';
  return `${String(tool).replaceAll('_', ' ')}${what ? ` · ${what}` : ''}${where}`;
}

/** The end of a long text, from the beginning of a word. */
export function shortened(text) {
  if (text.length <= KEPT) return text;
  const end = text.slice(-KEPT);
  return `… ${end.slice(end.indexOf(' ') + 1)}`;
}

function degrees(value, positive, negative) {
  return `${Math.floor(Math.abs(value) + 0.5)}°${value < 0 ? negative : positive}`;
}
