/** The live world behind the page: its state, its event stream, and the way to make a wish. */

const EVENTS = [
  ...['hello', 'queue', 'wish_started', 'thought_token', 'tool_call', 'world_delta'],
  ...['wish_granted', 'wish_rejected', 'heartbeat'],
];
/** Three heartbeats: a stream that is silent for so long is dead, whatever the browser thinks. */
const SILENT_MS = 45_000;
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;

/** Talks to the server that the page came from. */
export class ServerFeed {
  /** Whether a wish can be made here. */
  canWish = true;
  #source = null;
  #on = null;
  #retryMs = FIRST_RETRY_MS;
  #timer = 0;
  #watch = 0;

  /**
   * @returns {Promise<object>} `{world: {version, epoch, features}, queue, wishes_recent}`
   * @throws {FeedError} the server is away, or there is none
   */
  async state() {
    const answer = await fetch('api/state', { cache: 'no-store' });
    if (!answer.ok) throw new FeedError(`feed: api/state answers ${answer.status}`, answer.status);
    return answer.json();
  }

  /**
   * Listen to the stream, and again whenever it ends.
   *
   * @param {(event: object) => void} onEvent called for every event, in order
   * @param {(connected: boolean) => void} onConnection called as the stream comes and goes
   */
  start(onEvent, onConnection) {
    this.#on = { event: onEvent, connection: onConnection };
    this.#open();
  }

  /** Listen no more. */
  stop() {
    clearTimeout(this.#timer);
    clearTimeout(this.#watch);
    this.#source?.close();
    this.#source = null;
  }

  /**
   * Make a wish.
   *
   * @returns {Promise<{wish_id: string, position: number}>}
   * @throws {Error} declined; the message is for the visitor
   */
  async wish(text) {
    const answer = await fetch('api/wish', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text }),
    }).catch(() => null);
    if (answer === null) throw new Error('The god does not hear; the wish is still yours.');
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(reasonOf(body) ?? 'The god declines this wish.');
    return body;
  }

  #open() {
    this.stop();
    const source = new EventSource('api/stream');
    this.#source = source;
    this.#listenFor(SILENT_MS);
    source.onopen = () => {
      this.#retryMs = FIRST_RETRY_MS;
      this.#on.connection(true);
    };
    const hear = ({ data }) => {
      this.#listenFor(SILENT_MS);
      if (data) this.#on.event(JSON.parse(data));
    };
    source.onmessage = hear;
    for (const name of EVENTS) source.addEventListener(name, hear);
    source.onerror = () => {
      this.#on.connection(false);
      // While it is connecting the browser comes back by itself, with the id of the last event.
      if (source.readyState === EventSource.CLOSED) this.#later();
    };
  }

  /** Open the stream anew if nothing is heard for a while. */
  #listenFor(ms) {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => {
      this.#on.connection(false);
      this.#open();
    }, ms);
  }

  #later() {
    this.stop();
    this.#timer = setTimeout(() => this.#open(), this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS);
  }
}

/** The server does not give its state; `status` is its answer, undefined where none came. */
export class FeedError extends Error {
  name = 'FeedError';

  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** The sentence for the visitor in an error of the server. */
function reasonOf({ reason, detail }) {
  if (typeof reason === 'string') return reason;
  if (typeof detail === 'string') return detail;
  return typeof detail?.reason === 'string' ? detail.reason : null;
}
