import { afterEach, describe, expect, it } from '@jest/globals';
import type { FakeHead, HeadAnswering } from '../../support/fake-head.js';
import { eventually } from '../../support/eventually.js';
import type { Reply } from '../../support/http-client.js';
import { event, sendChat, sendJson, SSE_HEADERS } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';

const MODEL = 'm';
const LANES = 10;
const ROUNDS = 10;
/** Far slower than any failure comes. */
const ANSWER_MS = 40;
const stage = new Stage();
afterEach(() => stage.end());

const FAST_FAILURES: Readonly<Record<string, HeadAnswering>> = {
  'a status of 500': (response) => sendJson(response, 500, { error: { message: 'boom' } }),
  'an error inside a 200': (response, chat) => {
    const error = { error: { message: 'boom', code: 502 } };
    if (chat.body.includes('"stream":true')) response.writeHead(200, SSE_HEADERS).end(event(error));
    else sendJson(response, 200, error);
  },
  'a reset': (response) => response.destroy(),
};

async function slowHead(): Promise<FakeHead> {
  return stage.head((response, chat) => setTimeout(() => sendChat(response, chat), ANSWER_MS));
}

/** A hundred chats, ten at a time, JSON and streams in turn. */
async function hundred({ api }: StagedTracker): Promise<Reply[]> {
  const lane = async (): Promise<Reply[]> => {
    const replies: Reply[] = [];
    for (let n = 0; n < ROUNDS; n += 1) replies.push(await api.chat({ model: MODEL, stream: n % 2 === 0 }));
    return replies;
  };
  return (await Promise.all(Array.from({ length: LANES }, lane))).flat();
}

async function expectAvoided(tracker: StagedTracker, healthy: FakeHead): Promise<void> {
  const { api } = tracker;
  await api.register({ wallet: 'b', endpoint: healthy.url, model: MODEL, throughput_tps: 15 });
  const replies = await hundred(tracker);
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(healthy.chats).toHaveLength(100);
  await eventually(async () => expect(await api.inFlight(MODEL)).toEqual({ nodes: 0, routes: 0 }));
  // Its breaker has opened, so not even a scout goes there for a while.
  expect(await api.candidate(MODEL, 'b:all')).toMatchObject({ status: 'proven', traffic_share: 1 });
  const { candidates } = await api.routing(MODEL);
  expect(candidates.map(({ hops }) => hops[0]?.node_id)).toEqual(['b:all']);
  const failing = await api.node('a:all');
  expect(failing.breaker).toBe('open');
  expect(failing.reputation).toBeLessThanOrEqual(1 / 4);
  expect(await api.node('b:all')).toMatchObject({ reputation: 1, breaker: 'closed' });
  const attempts = (await api.calls('?limit=1000')).flatMap((call) => call.attempts);
  const failures = attempts.filter(({ outcome }) => outcome === 'failed');
  expect(failures.every(({ signature }) => signature.includes('a:all'))).toBe(true);
  // The first ten go out together and may all go there; after that nobody does.
  expect(failures.length).toBeGreaterThanOrEqual(3);
  expect(failures.length).toBeLessThanOrEqual(LANES);
}

describe('B43: a node that fails faster than any other answers', () => {
  it.each(Object.keys(FAST_FAILURES))('draws nobody by %s', async (kind) => {
    const tracker = await stage.tracker();
    const failing = await stage.head(FAST_FAILURES[kind]);
    await tracker.api.register({ wallet: 'a', endpoint: failing.url, model: MODEL, throughput_tps: 500 });
    await expectAvoided(tracker, await slowHead());
  });

  it('draws nobody by refusing every connection', async () => {
    const tracker = await stage.tracker();
    const endpoint = await stage.refusingUrl();
    await tracker.api.register({ wallet: 'a', endpoint, model: MODEL, throughput_tps: 500 });
    await expectAvoided(tracker, await slowHead());
  });

  it('is scouted for what it may have become, and gives no sample by failing', async () => {
    const { api } = await stage.tracker({ env: { MESHNET_ROUTE_EXPLORE_SHARE: '1' } });
    const failing = await stage.head(FAST_FAILURES['a status of 500']);
    await api.register({ wallet: 'b', endpoint: (await stage.head()).url, model: MODEL });
    const first = await api.chat({ model: MODEL });
    await api.register({ wallet: 'a', endpoint: failing.url, model: MODEL });
    await api.chat({ model: MODEL, route: ['b:all'] });
    expect(await api.candidate(MODEL, 'a:all')).toMatchObject({ status: 'unsampled', traffic_share: 1 });
    const scout = await api.chat({ model: MODEL });
    expect([first.status, scout.status]).toEqual([200, 200]);
    expect(scout.headers['x-meshnet-attempts']).toBe('2');
    expect(await api.candidate(MODEL, 'a:all')).toMatchObject({
      status: 'unsampled',
      tps: null,
      sample_count: 0,
      traffic_share: 0,
    });
  });
});

describe('B43: a request that the client got wrong', () => {
  it('says nothing of the node that refused it', async () => {
    const { api } = await stage.tracker();
    let isRefusing = false;
    const head = await stage.head((response, chat) => {
      if (isRefusing) sendJson(response, 400, { error: { message: 'no such parameter' } });
      else sendChat(response, chat);
    });
    await api.register({ wallet: 'a', endpoint: head.url, model: MODEL });
    await api.chat({ model: MODEL });
    const [before, node] = [await api.candidate(MODEL, 'a:all'), await api.node('a:all')];
    isRefusing = true;
    for (let n = 0; n < 10; n += 1) {
      const reply = await api.chat({ model: MODEL, stream: n % 2 === 0 });
      expect(reply.status).toBe(400);
      expect(await api.callOf(reply)).toMatchObject({ outcome: 'refused', sample: 'failed' });
    }
    const after = await api.candidate(MODEL, 'a:all');
    expect([after.status, after.tps, after.sample_count]).toEqual([before.status, before.tps, 1]);
    const { reputation, breaker } = await api.node('a:all');
    expect({ reputation, breaker }).toEqual({ reputation: node.reputation, breaker: 'closed' });
  });
});
