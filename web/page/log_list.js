/** The list of granted wishes, the newest first. */

const numerals = new Intl.NumberFormat('en');
const at = (id) => document.getElementById(id);

/** The entries of an archive, as links to their replays. */
export class LogList {
  #rows = [];
  #scroll = 0;

  /**
   * @param {Archive} archive
   * @param {Thumbnails} thumbnails
   */
  constructor(archive, thumbnails) {
    const { entries } = archive;
    const count = entries.length === 1 ? '1 wish' : `${numerals.format(entries.length)} wishes`;
    if (entries.length > 0) at('preface').textContent += ` ${count} so far.`;
    at('find').addEventListener('input', () => this.#find(at('find').value));
    for (const entry of [...entries].reverse()) {
      const { row, canvas } = rowOf(entry);
      this.#rows.push({ row, words: `${entry.text} ${entry.epitaph}`.toLocaleLowerCase('en') });
      at('entries').append(row);
      thumbnails.add(entry.wish_id, canvas);
    }
    this.#find('');
  }

  /** Show it where it was left, at the entry that was open. */
  show(wishId) {
    at('pages').hidden = false;
    document.title = 'Genesis Log · GODSEED';
    window.scrollTo(0, this.#scroll);
    if (wishId) at('entries').querySelector(`a[href="#${wishId}"]`)?.focus({ preventScroll: true });
  }

  /** Put it away. */
  hide() {
    if (!at('pages').hidden) this.#scroll = window.scrollY;
    at('pages').hidden = true;
  }

  #find(text) {
    const words = text.toLocaleLowerCase('en').split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { row, words: own } of this.#rows) {
      row.hidden = !words.every((word) => own.includes(word));
      if (!row.hidden) found++;
    }
    at('none').hidden = found > 0;
    at('none').textContent =
      this.#rows.length === 0 ? 'Nothing has been wished for yet.' : 'No wish with these words.';
  }
}

function rowOf({ wish_id: wishId, text, epitaph, epoch }) {
  const row = document.createElement('li');
  const link = document.createElement('a');
  link.className = 'entry';
  link.href = `#${wishId}`;
  const canvas = document.createElement('canvas');
  canvas.className = 'thumb';
  canvas.setAttribute('aria-hidden', 'true');
  const epitaphLine = line('said-last', epitaph || text);
  link.append(canvas, line('epoch-line', `Epoch ${numerals.format(epoch)}`), epitaphLine);
  if (epitaph) link.append(line('asked', `“${text}”`));
  row.append(link);
  return { row, canvas };
}

function line(className, text) {
  const made = document.createElement('span');
  made.className = className;
  made.textContent = text;
  return made;
}
