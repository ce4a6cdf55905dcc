/** The live world behind the page: its state, its event stream, and the way to make a wish. */

/** Talks to the server that the page came from. */
export class ServerFeed {
  #source = null;

  /** @returns {Promise<object>} `{world: {version, epoch, features}, queue, wishes_recent}` */
  async state() {
    const answer = await fetch('api/state');
    if (!answer.ok) throw new Error(`feed: api/state answers ${answer.status}`);
    return answer.json();
  }

  /** Hand every event of the stream to `onEvent`; the browser reconnects by itself. */
  start(onEvent) {
    this.#source = new EventSource('api/stream');
    this.#source.onmessage = ({ data }) => onEvent(JSON.parse(data));
  }

  /** Listen no more. */
  stop() {
    this.#source?.close();
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
    });
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(body.reason ?? body.detail ?? 'The god declines this wish.');
    return body;
  }
}
