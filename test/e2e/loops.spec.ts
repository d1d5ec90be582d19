import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf, type Reply } from '../support/http-client.js';
import { sendJson } from '../support/openai-answers.js';
import { SilentLogger } from '../support/silent-logger.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aChat, join, MODEL } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

/** Registers each tracker as a node of all the others. */
async function introduce(trackers: readonly StagedTracker[]): Promise<void> {
  for (const { api, url } of trackers) {
    for (const [at, other] of trackers.entries()) {
      if (other.url === url) continue;
      await api.register({
        wallet: `t${String(at)}`,
        endpoint: other.url,
        model: MODEL,
        throughput_tps: 5000,
      });
    }
  }
}

function told(reply: Reply): unknown[] {
  return reply.status === 200 ? [200] : [reply.status, errorOf(reply).code];
}

const LOOP = [508, 'loop_detected'];

describe('a node that leads to the tracker itself', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.0.0.1', false],
    ['localhost', false],
    ['[::ffff:127.0.0.1]', true],
  ])('as %s (streamed: %j) gets a chat once, and its client is told why', async (host, stream) => {
    const logger = new SilentLogger();
    const tracker = await stage.tracker({ parts: { logger } });
    const endpoint = `http://${host}:${String(tracker.port)}`;
    await tracker.api.register({ wallet: 'w', endpoint, model: MODEL });
    for (let n = 0; n < 3; n += 1) expect(told(await tracker.api.chat(aChat({ stream })))).toEqual(LOOP);
    const calls = await tracker.api.calls();
    expect(calls.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1]);
    expect(logger.of('chat.unexpected_fault')).toEqual([]);
  });

  it('changes nothing for other models', async () => {
    const [tracker, head] = await Promise.all([stage.tracker(), stage.head()]);
    await tracker.api.register({ wallet: 'w', endpoint: tracker.url, model: 'strange' });
    await join(tracker.api, head, 'a');
    await tracker.api.chat(aChat({ model: 'strange' }));
    await tracker.api.ask('POST', '/v1/nodes/a:all/drain');
    expect(told(await tracker.api.chat(aChat()))).toEqual([503, 'no_route']);
  });

  it('is one like any other as soon as it leads elsewhere', async () => {
    const [tracker, head] = await Promise.all([stage.tracker(), stage.head()]);
    const node = { wallet: 'w', endpoint: tracker.url, model: MODEL };
    await tracker.api.register(node);
    expect(told(await tracker.api.chat(aChat()))).toEqual(LOOP);
    await tracker.api.register({ ...node, endpoint: head.url });
    expect(told(await tracker.api.chat(aChat()))).toEqual([200]);
  });

  it('costs nobody an answer that another node can give', async () => {
    const [tracker, head] = await Promise.all([stage.tracker(), stage.head()]);
    await join(tracker.api, head, 'good');
    await tracker.api.register({ wallet: 'w', endpoint: tracker.url, model: MODEL, throughput_tps: 5000 });
    for (let n = 0; n < 10; n += 1) expect(told(await tracker.api.chat(aChat()))).toEqual([200]);
    const looped = (await tracker.api.calls())
      .flatMap(({ attempts }) => attempts)
      .filter(({ status }) => status === 508);
    expect(looped.length).toBeLessThanOrEqual(1);
  });

  it('behind another tracker takes nothing from that tracker’s good ones, nor from its name', async () => {
    const [front, back, head] = await Promise.all([stage.tracker(), stage.tracker(), stage.head()]);
    await join(back.api, head, 'good');
    await back.api.register({ wallet: 'w', endpoint: back.url, model: MODEL, throughput_tps: 5000 });
    await front.api.register({ wallet: 'back', endpoint: back.url, model: MODEL });
    for (let n = 0; n < 10; n += 1) expect(told(await front.api.chat(aChat()))).toEqual([200]);
    expect((await front.api.node('back:all')).reputation).toBe(1);
  });
});

describe('a node that says 508 and is no tracker', () => {
  it('has failed', async () => {
    const [tracker, good, bad] = await Promise.all([
      stage.tracker(),
      stage.head(),
      stage.head((response) => sendJson(response, 508, { error: { message: 'loop' } })),
    ]);
    await join(tracker.api, bad, 'bad', { throughput_tps: 5000 });
    await join(tracker.api, good, 'good');
    expect(told(await tracker.api.chat(aChat()))).toEqual([200]);
    expect((await tracker.api.node('bad:all')).reputation).toBeLessThan(1);
  });
});

describe('trackers that are nodes of each other', () => {
  it.each([2, 3, 4, 5])('%i of them without a server make few attempts of one chat', async (count) => {
    const trackers = await Promise.all(Array.from({ length: count }, () => stage.tracker()));
    await introduce(trackers);
    const [first] = trackers as [StagedTracker];
    const attempts = async (): Promise<number> => {
      const calls = await Promise.all(trackers.map(({ api }) => api.calls('?limit=1000')));
      return calls.flat().flatMap((call) => call.attempts).length;
    };
    for (let n = 0; n < 3; n += 1) {
      const before = await attempts();
      expect(told(await first.api.chat(aChat()))).toEqual(LOOP);
      // All peers of the first, two of each behind it, one of each further on, and one back.
      expect((await attempts()) - before).toBeLessThanOrEqual(9 * (count - 1));
    }
  });

  it.each([2, 3, 4])('%i of them reach the one server that there is, whoever is asked', async (count) => {
    const trackers = await Promise.all(Array.from({ length: count }, () => stage.tracker()));
    await introduce(trackers);
    const head = await stage.head();
    const last = trackers.at(-1) as StagedTracker;
    await join(last.api, head, 'good', { throughput_tps: 5000 });
    for (const { api } of trackers) {
      for (let n = 0; n < 10; n += 1)
        expect(told(await api.chat(aChat({ stream: n % 2 === 0 })))).toEqual([200]);
    }
    for (const { api } of trackers) {
      for (const { reputation } of await api.nodes()) expect(reputation).toBe(1);
    }
  });

  it('and have no server take no chat from one that has, nor lose their name', async () => {
    const [front, ...peers] = (await Promise.all([0, 1, 2, 3].map(() => stage.tracker()))) as [
      StagedTracker,
      ...StagedTracker[],
    ];
    const head = await stage.head();
    await join(front.api, head, 'good', { throughput_tps: 10 });
    for (const [at, peer] of peers.entries()) {
      const wallet = `t${String(at)}`;
      await front.api.register({ wallet, endpoint: peer.url, model: MODEL, throughput_tps: 5000 });
      await peer.api.register({ wallet: 'front', endpoint: front.url, model: MODEL });
    }
    for (let n = 0; n < 20; n += 1) expect(told(await front.api.chat(aChat()))).toEqual([200]);
    const nodes = await front.api.nodes();
    expect(nodes.map(({ reputation }) => reputation)).toEqual([1, 1, 1, 1]);
    expect(nodes.filter(({ breaker }) => breaker === 'open')).toHaveLength(2);
  });

  it('hold nothing against a node for what a client says of its way', async () => {
    const [back, front, head] = await Promise.all([stage.tracker(), stage.tracker(), stage.head()]);
    await join(back.api, head, 'a');
    await front.api.register({ wallet: 'back', endpoint: back.url, model: MODEL });
    await front.api.chat(aChat());
    const said = String(head.last.headers.via);
    for (const via of [said, said.toUpperCase(), said.replace(/ /g, '  ')]) {
      expect(told(await front.api.chat(aChat(), { headers: { via } }))).toEqual(LOOP);
    }
    expect((await front.api.node('back:all')).reputation).toBe(1);
    expect(told(await front.api.chat(aChat()))).toEqual([200]);
  });
});

describe('a Via of the client', () => {
  it.each(['', 'x'.repeat(9000), '1.1 (', ', , '])('of %j costs no chat', async (via) => {
    const [tracker, head] = await Promise.all([stage.tracker(), stage.head()]);
    await join(tracker.api, head, 'a');
    expect((await tracker.api.chat(aChat(), { headers: { via } })).status).toBe(200);
    expect(String(head.last.headers.via).length).toBeLessThan(2200);
  });
});

describe('a chain of trackers', () => {
  it('that comes to an end works, and the head is told of all of them', async () => {
    const [front, back, head] = await Promise.all([stage.tracker(), stage.tracker(), stage.head()]);
    await front.api.register({ wallet: 'w', endpoint: back.url, model: MODEL });
    await join(back.api, head, 'a');
    const reply = await front.api.chat(aChat(), { headers: { via: '1.1 proxy' } });
    expect(reply.status).toBe(200);
    expect(head.last.headers.via).toMatch(/^1\.1 proxy, 1\.1 meshnet-[\w-]+, 1\.1 meshnet-[\w-]+$/);
  });
});
