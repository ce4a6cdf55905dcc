/** Text around the planet: counter, wish, queue chip, place, epitaph card, notices. */

const RULES = new Intl.PluralRules('en', { type: 'ordinal' });
const SUFFIXES = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
const SAID = 6;
const PATIENCE = 'the god grants one wish at a time';

const at = (id) => document.getElementById(id);

/** Epoch and number of wishes granted. */
export function showCounter(epoch) {
  at('epoch').textContent = `Epoch ${epoch.toLocaleString('en')}`;
  const wishes = epoch === 1 ? '1 wish granted' : `${epoch.toLocaleString('en')} wishes granted`;
  at('granted').textContent = wishes;
}

/** The wish that is being granted; empty for none. */
export function showWish(text) {
  at('wish').hidden = !text;
  at('wish').textContent = text ? `“${text}”` : '';
}

/** Length of the queue, or a visitor's own place in it (from 1), or that theirs is being granted. */
export function showQueue(length, place = 0, mine = false) {
  const chip = at('chip');
  if (mine) {
    chip.textContent = `your wish is heard · ${PATIENCE}`;
  } else if (place > 0) {
    chip.textContent = `${place}${SUFFIXES[RULES.select(place)]} in line · ${PATIENCE}`;
  } else if (length > 1) {
    const waiting = length - 1;
    chip.textContent = `${waiting} ${waiting === 1 ? 'wish' : 'wishes'} waiting · ${PATIENCE}`;
  } else {
    chip.textContent = length === 1 ? PATIENCE : '';
  }
}

/** Name of the town; the control offers the other view. */
export function showView(view, town) {
  const seen = view === 'town' ? `The town of ${town}` : `The whole planet, with the town of ${town}`;
  at('planet').setAttribute('aria-label', seen);
  at('place').textContent = view === 'town' ? town : '';
  at('view').firstChild.textContent = view === 'town' ? 'behold the world ' : `return to ${town} `;
}

/** The epitaph of a granted wish and the way to its page in the log; null puts the card away. */
export function showCard(epitaph, wishId = null) {
  if (epitaph === null && at('card').contains(document.activeElement)) at('view').focus();
  at('card').hidden = epitaph === null;
  at('epitaph').textContent = epitaph ?? '';
  if (wishId !== null) at('keep').href = `${at('log').getAttribute('href')}#${wishId}`;
  if (epitaph !== null) announce(`Granted: ${epitaph}`);
}

/** Say something to screen readers. */
export function announce(text) {
  const line = document.createElement('p');
  line.textContent = text;
  at('said').append(line);
  while (at('said').childElementCount > SAID) at('said').firstChild.remove();
}

/** A wish that was not taken returns to its field, unless something else is being written there. */
export function giveBack(text) {
  if (at('text').value === '') at('text').value = text;
}

/** Whether what comes from outside (the stream, the graphics) is there; a sentence while it is not. */
export function showConnection(there, sentence = 'The god is out of hearing. Listening again…') {
  const line = at('away');
  line.textContent = there ? '' : sentence;
  line.hidden = there;
}

/** Clear the page for a glide, or bring everything back. */
export function showDescending(descending) {
  document.body.classList.toggle('descending', descending);
  at('hint').hidden = !descending;
}

/** A sentence in the middle of the page for a while. */
export function showNotice(text, lengthMs = 6000) {
  const notice = at('notice');
  notice.textContent = text;
  notice.hidden = false;
  clearTimeout(showNotice.timer);
  if (lengthMs > 0) showNotice.timer = setTimeout(() => (notice.hidden = true), lengthMs);
}

/** Turn the wish field on, or off with a reason in its place. */
export function allowWishes(allowed, placeholder = 'make a wish') {
  at('text').disabled = !allowed;
  at('text').placeholder = placeholder;
}

/**
 * Connect the controls.
 *
 * @param {{wish: (text: string) => void, view: () => void, descend: () => void, cancel: () => void}} to
 */
export function listen(to) {
  at('ask').addEventListener('submit', (event) => {
    event.preventDefault();
    const text = at('text').value.trim();
    if (text) to.wish(text);
    at('text').value = '';
  });
  at('view').addEventListener('click', () => to.view());
  at('descend').addEventListener('click', () => to.descend());
  at('planet').addEventListener('click', () => to.cancel());
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') to.cancel();
  });
}
