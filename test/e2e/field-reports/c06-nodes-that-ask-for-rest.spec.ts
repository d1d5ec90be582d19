import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { FakeHead, HeadAnswering } from '../../support/fake-head.js';
import { dataOf, errorOf, jsonOf, open, type Reply } from '../../support/http-client.js';
import { sendChat, sendJson, SSE_HEADERS, event } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import { aChat, join, MODEL } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

function busy(headers: Readonly<Record<string, string>>, status = 429, error: object = {}): HeadAnswering {
  return (response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    sendJson(response, status, { error: { message: 'slow down', ...error } });
  };
}

interface TwoRoutes {
  readonly tracker: StagedTracker;
  readonly fast: FakeHead;
  readonly slow: FakeHead;
}

/** Two proven servers of one model. Each gets half of the chats. */
async function twoRoutes(env: Readonly<Record<string, string>> = {}): Promise<TwoRoutes> {
  const tracker = await stage.tracker({
    env: { MESHNET_ROUTE_SEED: '1', MESHNET_ROUTE_WEIGHT_ALPHA: '0', ...env },
  });
  const [fast, slow] = [await stage.head(), await stage.head()];
  await join(tracker.api, fast, 'fast', { throughput_tps: 100 });
  await join(tracker.api, slow, 'slow', { throughput_tps: 1 });
  for (const node of ['fast:all', 'slow:all']) await served(tracker, { route: [node] });
  return { tracker, fast, slow };
}

async function served({ api }: StagedTracker, more: object = {}): Promise<Reply> {
  const reply = await api.chat(aChat(more));
  expect(reply.status).toBe(200);
  return reply;
}

/** A pinned chat brings the answer that asks for rest; so no other call is part of it. */
async function askForRest(tracker: StagedTracker, node = 'fast:all', more: object = {}): Promise<void> {
  const reply = await tracker.api.chat(aChat({ route: [node], ...more }));
  expect([429, 503]).toContain(reply.status);
}

async function restOf({ api }: StagedTracker, node = 'fast:all'): Promise<number | null> {
  return (await api.node(node)).resting_seconds;
}

const POLICIES = ['proportional', 'least-expected-delay'];

describe.each(POLICIES)('C06: under %s, a proven node that asks for rest', (policy) => {
  it.each<[string, HeadAnswering]>([
    ['429', busy({ 'retry-after': '60' })],
    ['503', busy({ 'retry-after': '60' }, 503)],
  ])('by a %s gets none of the next 40 chats', async (_status, answer) => {
    const { tracker, fast, slow } = await twoRoutes({ MESHNET_ROUTE_POLICY: policy });
    fast.answer(answer);
    await askForRest(tracker);
    const before = fast.chats.length;
    for (let n = 0; n < 40; n += 1) await served(tracker, { stream: n % 2 === 0 });
    expect([fast.chats.length - before, slow.chats.length]).toEqual([0, 41]);
    expect(await tracker.api.node('fast:all')).toMatchObject({ breaker: 'closed', reputation: 1 });
    const rest = await restOf(tracker);
    expect(rest).toBeGreaterThan(0);
    expect(rest).toBeLessThanOrEqual(60);
    expect(await restOf(tracker, 'slow:all')).toBeNull();
  });
});

describe('C06: a rest', () => {
  it('is asked for by a chat that another route then serves', async () => {
    const tracker = await stage.tracker();
    const fast = await stage.head(busy({ 'retry-after': '60' }));
    await join(tracker.api, fast, 'fast', { throughput_tps: 100 });
    await join(tracker.api, await stage.head(), 'slow', { throughput_tps: 1 });
    for (let n = 0; n < 10; n += 1) {
      expect((await served(tracker)).headers['x-meshnet-attempts']).toBe(n === 0 ? '2' : '1');
    }
    expect(fast.chats).toHaveLength(1);
  });

  it('is over after its time, by retry-after-ms too, and the node is asked again', async () => {
    const { tracker, fast } = await twoRoutes();
    fast.answer(busy({ 'retry-after-ms': '150.5', 'retry-after': '60' }));
    await askForRest(tracker);
    fast.answer(sendChat);
    await eventually(async () => expect(await restOf(tracker)).toBeNull());
    const before = fast.chats.length;
    await eventually(async () => {
      await served(tracker);
      expect(fast.chats.length).toBeGreaterThan(before);
    });
  });

  it('may be given as a date', async () => {
    const { tracker, fast } = await twoRoutes();
    fast.answer(busy({ 'retry-after': new Date(Date.now() + 90_000).toUTCString() }));
    await askForRest(tracker);
    const rest = await restOf(tracker);
    expect(rest).toBeGreaterThan(80);
    expect(rest).toBeLessThanOrEqual(90);
  });

  it('lasts ten minutes at most', async () => {
    const { tracker, fast } = await twoRoutes();
    fast.answer(busy({ 'retry-after': '86400' }));
    await askForRest(tracker);
    const rest = await restOf(tracker);
    expect(rest).toBeGreaterThan(590);
    expect(rest).toBeLessThanOrEqual(600);
  });

  it.each<[string, HeadAnswering]>([
    ['a 429 without Retry-After', busy({})],
    ['Retry-After: 0', busy({ 'retry-after': '0' })],
    ['a negative Retry-After', busy({ 'retry-after': '-5' })],
    ['a date that is past', busy({ 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' })],
    ['an unreadable Retry-After', busy({ 'retry-after': 'soon' })],
    ['a 503 about loading', busy({}, 503, { message: 'Loading model' })],
  ])('is none by %s', async (_what, answer) => {
    const { tracker, fast } = await twoRoutes();
    fast.answer(answer);
    await askForRest(tracker);
    expect(await restOf(tracker)).toBeNull();
  });

  it('is none by a failure that has Retry-After', async () => {
    const { tracker, fast } = await twoRoutes();
    fast.answer(busy({ 'retry-after': '60' }, 500));
    expect((await tracker.api.chat(aChat({ route: ['fast:all'] }))).status).toBe(500);
    expect(await restOf(tracker)).toBeNull();
  });

  it('is asked for by an error inside a stream of 200, too', async () => {
    const { tracker, fast } = await twoRoutes();
    fast.answer((response) => {
      response.writeHead(200, { ...SSE_HEADERS, 'retry-after': '60' });
      response.end(event({ error: { message: 'slow down', code: 429 } }));
    });
    await askForRest(tracker, 'fast:all', { stream: true });
    expect(await restOf(tracker)).toBeGreaterThan(50);
  });

  it('lets pinned chats pass, and ends by a completed one', async () => {
    const { tracker, fast } = await twoRoutes();
    fast.answer(busy({ 'retry-after': '60' }));
    await askForRest(tracker);
    fast.answer(sendChat);
    await served(tracker, { route: ['fast:all'] });
    expect(await restOf(tracker)).toBeNull();
  });

  it('shows in live events, the timeline and a metric', async () => {
    const { tracker, fast } = await twoRoutes();
    const watching = await open(`${tracker.url}/v1/events`, {});
    fast.answer(busy({ 'retry-after': '60' }));
    await askForRest(tracker);
    const told = await watching.until('node.resting');
    watching.leave();
    const facts = dataOf(told).map((data) => JSON.parse(data) as Record<string, unknown>);
    expect(facts.find(({ seconds }) => seconds !== undefined)).toEqual({
      ...{ model: MODEL, node_id: 'fast:all', seconds: 60, at: expect.any(Number) },
    });
    const metrics = (await tracker.api.get('/metrics')).text;
    expect(metrics).toMatch(/meshnet_node_resting_seconds\{model="m",node="fast:all"\} [1-9]/);
    expect(metrics).toMatch(/meshnet_node_resting_seconds\{model="m",node="slow:all"\} 0\b/);
    const { data } = jsonOf(await tracker.api.get('/v1/timeline')) as { data: { type: string }[] };
    expect(data[0]).toMatchObject({ type: 'node.resting', node_id: 'fast:all', seconds: 60 });
  });
});

describe('C06: where every node rests', () => {
  it('a chat gets 429 with the least rest, rounded up, and no node is asked', async () => {
    const { tracker, fast, slow } = await twoRoutes();
    fast.answer(busy({ 'retry-after': '300' }));
    slow.answer(busy({ 'retry-after': '120' }));
    await askForRest(tracker);
    await askForRest(tracker, 'slow:all');
    const before = fast.chats.length + slow.chats.length;
    for (const stream of [false, true]) {
      const reply = await tracker.api.chat(aChat({ stream }), {
        headers: { 'x-request-id': `r${String(stream)}` },
      });
      expect([reply.status, reply.headers['retry-after']]).toEqual([429, '120']);
      expect(errorOf(reply)).toMatchObject({ type: 'rate_limit_error', code: 'nodes_resting' });
      expect(errorOf(reply).message).toContain('120 s');
    }
    expect(fast.chats.length + slow.chats.length).toBe(before);
  });

  it('a chat waits for a rest that MESHNET_QUEUE_SECONDS allows for, and is served', async () => {
    const { tracker, fast, slow } = await twoRoutes({ MESHNET_QUEUE_SECONDS: '30' });
    fast.answer(busy({ 'retry-after': '300' }));
    slow.answer(busy({ 'retry-after-ms': '400' }));
    await askForRest(tracker);
    await askForRest(tracker, 'slow:all');
    slow.answer(sendChat);
    const reply = await served(tracker);
    const record = await tracker.api.callOf(reply);
    expect(record.routing?.signature).toContain('slow:all');
    expect(record.queued_ms).toBeGreaterThan(50);
  });

  it('a chat that was refused by the last node awake gets the response of that node', async () => {
    const { tracker, fast, slow } = await twoRoutes();
    slow.answer(busy({ 'retry-after': '120' }));
    await askForRest(tracker, 'slow:all');
    fast.answer(busy({ 'retry-after': '7' }, 429, { message: 'the node of its own' }));
    const reply = await tracker.api.chat(aChat());
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '7']);
    expect(reply.text).toContain('the node of its own');
    expect(reply.headers['x-meshnet-attempts']).toBe('1');
  });
});

describe('C06: a tail that asks for rest', () => {
  it('gives its place to an equal one; the head goes on', async () => {
    const tracker = await stage.tracker();
    const tired = busy({ 'retry-after': '60' }, 429, { code: 'busy', node_id: 'ta:10-19' });
    const head = await stage.head((response, chat) => {
      const route = String(chat.headers['x-meshnet-route']);
      if (route.includes('ta:10-19')) tired(response, chat);
      else sendChat(response, chat);
    });
    const layers = { model: MODEL, num_layers: 20 };
    await tracker.api.register({
      ...{ ...layers, wallet: 'head', endpoint: head.url, shard_start: 0, shard_end: 9 },
    });
    for (const wallet of ['ta', 'tb']) {
      const endpoint = `http://${wallet}.test`;
      await tracker.api.register({ ...layers, wallet, endpoint, shard_start: 10, shard_end: 19 });
    }
    const first = await served(tracker);
    expect(first.headers['x-meshnet-attempts']).toBe('2');
    for (let n = 0; n < 10; n += 1) {
      expect((await served(tracker)).headers['x-meshnet-attempts']).toBe('1');
    }
    expect([await restOf(tracker, 'head:0-9'), await restOf(tracker, 'tb:10-19')]).toEqual([null, null]);
    expect(await restOf(tracker, 'ta:10-19')).toBeGreaterThan(50);
  });
});
