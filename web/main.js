/**
 * The page. It shows the live world of the server that it came from, or of a log beside it;
 * `?mock=1` plays a scripted one instead, `&speed=4` faster, `&quality=best` without getting coarser
 * on a slow machine, `&still=4000` at one moment. A program that loads features through
 * `window.godseed` takes the canvas for itself.
 */

import { instanceShare, stillMs } from './page/comfort.js';
import { ServerFeed } from './page/feed.js';
import { showConnection, showNotice } from './page/hud.js';
import { LivePage, featuresOf } from './page/live.js';
import { Planet } from './page/planet.js';
import { SpecSource, openRenderer, prepareLetters } from './page/source.js';
import { LogFeed } from './page/static_feed.js';
import { install } from './protocol.js';

const AGAIN_MS = 15_000;
const query = new URLSearchParams(location.search);
const source = new SpecSource();
const opened = openRenderer(document.getElementById('planet'), source);
let live = null;
install(opened, source.texts, { takeOver: () => live?.stop(), shown: () => live?.report() ?? null });
opened.then(begin).catch((error) => showNotice(error.message, 0));

/** Show the world and follow its feed, unless a program drives the page. */
async function begin(renderer) {
  if (query.has('driven')) {
    document.body.classList.add('driven');
    return;
  }
  const [feed, state] = await firstFeed();
  const features = featuresOf(state);
  await prepareLetters(renderer, features);
  const planet = new Planet(renderer, features, {
    adapts: query.get('quality') !== 'best',
    stillMs: stillMs(query),
    share: instanceShare(),
    onContext: (lost) => showConnection(!lost, 'The sky is dark for a moment.'),
  });
  live = new LivePage(planet, feed, state);
  live.start();
}

/** Where the world comes from: the script, the server, a log beside the page, or nowhere yet. */
async function firstFeed() {
  if (query.has('mock')) {
    const { MockFeed } = await import('./page/mock.js');
    const feed = new MockFeed(Number(query.get('speed') ?? 1));
    return [feed, await feed.state()];
  }
  const feed = new ServerFeed();
  try {
    return [feed, await feed.state()];
  } catch (error) {
    if (error.status === 404 || error.status === 501) {
      const log = await LogFeed.find(query.get('log') ?? 'wishes.jsonl');
      if (log) return [log, await log.state()];
    } else {
      returnWhenThere(feed);
    }
    showNotice('The god is elsewhere. This is the world as it began.');
    const nothing = { canWish: false, start: () => {}, stop: () => {} };
    return [nothing, { world: { epoch: 0, features: null }, queue: { length: 0 } }];
  }
}

/** Load the page anew once a server that did not answer does. */
function returnWhenThere(feed) {
  const look = async () => {
    try {
      await feed.state();
      location.reload();
    } catch {
      setTimeout(look, AGAIN_MS);
    }
  };
  setTimeout(look, AGAIN_MS);
}
