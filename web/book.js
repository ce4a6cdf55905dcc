/**
 * The Genesis Log: every granted wish with a picture of what was made, and its replay. `#w_000005`
 * opens a wish. The log comes from the server, from `wishes.jsonl` beside the page, from
 * `?log=ADDRESS`, or with `?mock=1` from the built-in one.
 */

import { openArchive } from './page/archive.js';
import { stillMs } from './page/comfort.js';
import { showConnection, showNotice } from './page/hud.js';
import { LogList } from './page/log_list.js';
import { Replay } from './page/replay.js';
import { ReplayView } from './page/replay_view.js';
import { SpecSource, openRenderer, prepareLetters } from './page/source.js';
import { Thumbnails } from './page/thumbnails.js';
import { watchContext } from './page/canvas_loss.js';

const query = new URLSearchParams(location.search);
const canvas = document.getElementById('planet');

open().catch((error) => showNotice(error.message, 0));

async function open() {
  const renderer = await openRenderer(canvas, new SpecSource());
  const archive = await openArchive(query);
  await prepareLetters(renderer, archive.features);
  const thumbnails = new Thumbnails(renderer, archive);
  const list = new LogList(archive, thumbnails);
  const replay = new Replay(renderer);
  const view = new ReplayView(replay, archive);
  const book = new Book({ archive, list, view, thumbnails });
  watchContext(canvas, {
    lost: () => {
      replay.lose();
      thumbnails.pause();
      showConnection(false, 'The sky is dark for a moment.');
    },
    restored: () => {
      replay.regain();
      showConnection(true);
      book.resume();
    },
  });
  addEventListener('hashchange', () => book.turn());
  await book.turn();
}

/** Which page is open: the list, or the replay that the address names. */
class Book {
  #parts;
  #open = null;

  constructor(parts) {
    this.#parts = parts;
    const home = document.getElementById('home');
    home.href = `./${query.has('mock') ? '?mock=1' : ''}`;
    if (archiveNotes(parts.archive)) showNotice(archiveNotes(parts.archive));
  }

  /** Show what the address names. */
  async turn() {
    const { archive, list, view, thumbnails } = this.#parts;
    const wishId = decodeURIComponent(location.hash.slice(1));
    const entry = archive.entry(wishId);
    if (wishId !== '' && !entry) showNotice(`${wishId} is not in this log.`);
    if (!entry) {
      view.close();
      list.show(this.#open);
      this.#open = null;
      thumbnails.resume();
      return;
    }
    thumbnails.pause();
    list.hide();
    this.#open = wishId;
    try {
      await view.open(entry, stillMs(query));
    } catch (error) {
      showNotice(error.message, 0);
    }
  }

  /** Draw again after the graphics were away. */
  resume() {
    if (this.#open === null) this.#parts.thumbnails.resume();
  }
}

function archiveNotes({ notes }) {
  return notes.join(' ');
}
