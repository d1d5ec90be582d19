import { afterEach, describe, expect, it } from '@jest/globals';
import { span } from '../../support/builders.js';
import type { HeadAnswering } from '../../support/fake-head.js';
import { sendChat, sendJson } from '../../support/openai-answers.js';
import { Rooms } from '../../support/rooms.js';
import { Stage, type StagedTracker } from '../../support/stage.js';

const MODEL = 'm';
const stage = new Stage();
afterEach(() => stage.end());

async function oneRoute(answering: HeadAnswering): Promise<StagedTracker> {
  const tracker = await stage.tracker();
  const head = await stage.head(answering);
  await tracker.api.register({ wallet: 'a', endpoint: head.url, model: MODEL });
  return tracker;
}

describe('B59: the only node of a model', () => {
  it('stays through a missed heartbeat, and through two', () => {
    const rooms = new Rooms();
    const { leaseId } = rooms.join({ wallet: 'a', model: MODEL });
    for (const silence of [30_000, 59_000, 89_000]) {
      rooms.clock.advance(silence);
      expect(rooms.routing.isRoutable(MODEL)).toBe(true);
      rooms.registry.heartbeat(leaseId, {});
    }
    expect(rooms.bumps(MODEL)).toBe(1);
  });

  it.each<[string, HeadAnswering]>([
    [
      'Retry-After',
      (response) => sendJson(response.setHeader('retry-after', '0'), 503, { error: { message: 'busy' } }),
    ],
    ['loading', (response) => sendJson(response, 503, { error: { message: 'Loading model' } })],
    ['429', (response) => sendJson(response, 429, { error: { message: 'slow down' } })],
  ])('is not blamed for being busy (%s)', async (_how, busy) => {
    let isBusy = true;
    const { api } = await oneRoute((response, chat) =>
      isBusy ? busy(response, chat) : sendChat(response, chat),
    );
    for (let n = 0; n < 5; n += 1) {
      const reply = await api.chat({ model: MODEL, stream: n % 2 === 0 });
      expect([429, 503]).toContain(reply.status);
      expect(await api.callOf(reply)).toMatchObject({ outcome: 'busy' });
    }
    expect(await api.node('a:all')).toMatchObject({ reputation: 1, breaker: 'closed', in_flight: 0 });
    isBusy = false;
    expect((await api.chat({ model: MODEL })).status).toBe(200);
  });

  it('is tried again however often it failed', async () => {
    let failures = 8;
    const { api } = await oneRoute((response, chat) => {
      failures -= 1;
      if (failures >= 0) sendJson(response, 503, { error: { message: 'out of order' } });
      else sendChat(response, chat);
    });
    for (let n = 0; n < 8; n += 1) expect((await api.chat({ model: MODEL })).status).toBe(503);
    expect(await api.node('a:all')).toMatchObject({
      breaker: 'closed',
      reputation: expect.closeTo(1 / 9, 2),
    });
    expect((await api.chat({ model: MODEL })).status).toBe(200);
  });
});

describe('B59: when every route leads through a node in the penalty box', () => {
  it('the best of them is tried, and its success lets the node out', async () => {
    const { api } = await stage.tracker();
    let isTailDown = true;
    const answering: HeadAnswering = (response, chat) => {
      const lost = { message: 'the next hop is gone', code: 'hop_failed', node_id: 'tail:10-19' };
      if (isTailDown) sendJson(response, 502, { error: lost });
      else sendChat(response, chat);
    };
    const layers = { model: MODEL, num_layers: 20 };
    for (const [wallet, throughput_tps] of [
      ['fast', 50],
      ['slow', 20],
    ] as const) {
      const { url } = await stage.head(answering);
      await api.register({ ...layers, wallet, endpoint: url, throughput_tps, shard_start: 0, shard_end: 9 });
    }
    const tail = { wallet: 'tail', endpoint: 'http://tail.test', throughput_tps: 90 };
    await api.register({ ...layers, ...tail, shard_start: 10, shard_end: 19 });
    for (let n = 0; n < 3; n += 1) {
      const reply = await api.chat({ model: MODEL });
      expect([reply.status, reply.headers['x-meshnet-route-mode']]).toEqual([502, 'scout']);
    }
    expect(await api.node('tail:10-19')).toMatchObject({ breaker: 'open' });
    for (const id of ['fast:0-9', 'slow:0-9']) {
      expect(await api.node(id)).toMatchObject({ breaker: 'closed', reputation: 1 });
    }
    const { candidates } = await api.routing(MODEL);
    expect(candidates.map(({ traffic_share }) => traffic_share).sort()).toEqual([0, 1]);

    const vain = await api.chat({ model: MODEL });
    expect([vain.status, vain.headers['x-meshnet-route-mode']]).toEqual([502, 'greedy-fallback']);
    isTailDown = false;
    const served = await api.chat({ model: MODEL });
    expect([served.status, served.headers['x-meshnet-route-mode']]).toEqual([200, 'greedy-fallback']);
    expect(await api.node('tail:10-19')).toMatchObject({ breaker: 'closed' });
    expect((await api.chat({ model: MODEL })).headers['x-meshnet-route-mode']).not.toBe('greedy-fallback');
  });

  it('no epoch has changed by all that', () => {
    const rooms = new Rooms();
    const { node } = rooms.join({ wallet: 'tail', model: MODEL, shard: span(10, 19), numLayers: 20 });
    rooms.join({ wallet: 'head', model: MODEL, shard: span(0, 9) });
    for (let n = 0; n < 3; n += 1) {
      rooms.health.take(rooms.decide(MODEL, null).route).settle({ kind: 'failure', blame: node });
    }
    expect(rooms.health.breaker(node).state).toBe('open');
    expect(rooms.decide(MODEL, null).mode).toBe('greedy-fallback');
    expect(rooms.topology.epoch(MODEL)).toBe(2);
    expect(rooms.events.filter(({ type }) => type === 'breaker.changed')).toHaveLength(1);
  });
});
