import { afterEach, describe, expect, it } from '@jest/globals';
import { MODEL, span } from '../../support/builders.js';
import { eventually } from '../../support/eventually.js';
import type { FakeHead } from '../../support/fake-head.js';
import { sendChat } from '../../support/openai-answers.js';
import { Rooms } from '../../support/rooms.js';
import { Stage, type StagedTracker } from '../../support/stage.js';

const HEADS = ['head-1', 'head-2', 'head-3'];
const stage = new Stage();
afterEach(() => stage.end());

interface Scene {
  readonly tracker: StagedTracker;
  readonly heads: readonly FakeHead[];
  /** Chats that wait for {@link answer}. */
  readonly held: (() => void)[];
}

/** Three heads, three tails, and in their midst one node that all share. All declare the same speed. */
async function sharedMiddle(middle: object = {}): Promise<Scene> {
  const tracker = await stage.tracker();
  const held: (() => void)[] = [];
  const heads: FakeHead[] = [];
  const join = (wallet: string, endpoint: string, start: number, more: object = {}): Promise<unknown> =>
    tracker.api.register({
      ...{ wallet, endpoint, model: MODEL, num_layers: 30, throughput_tps: 20 },
      ...{ shard_start: start, shard_end: start + 9 },
      ...more,
    });
  for (const wallet of HEADS) {
    const head = await stage.head((response, chat) => held.push(() => sendChat(response, chat)));
    heads.push(head);
    await join(wallet, head.url, 0);
  }
  await join('middle', 'http://middle.test', 10, middle);
  for (const wallet of ['tail-1', 'tail-2', 'tail-3']) await join(wallet, `http://${wallet}.test`, 20);
  return { tracker, heads, held };
}

describe('B53: a node that several routes share', () => {
  it('shows its load in all of them', async () => {
    const { tracker, heads, held } = await sharedMiddle();
    const { api } = tracker;
    const busy = Array.from({ length: 6 }, () => api.chat({ model: MODEL }));
    await eventually(() => expect(held).toHaveLength(6));
    expect(heads.map(({ chats }) => chats.length)).toEqual([2, 2, 2]);
    expect(await api.node('middle:10-19')).toMatchObject({ in_flight: 6 });
    const { candidates } = await api.routing(MODEL);
    expect(candidates.map(({ in_flight }) => in_flight)).toEqual([2, 2, 2]);
    for (const { prior_tps } of candidates) expect(prior_tps).toBeCloseTo(20 / 7);
    for (const answer of held) answer();
    expect((await Promise.all(busy)).every(({ status }) => status === 200)).toBe(true);
    expect(await api.node('middle:10-19')).toMatchObject({ in_flight: 0 });
    expect(await api.inFlight(MODEL)).toEqual({ nodes: 0, routes: 0 });
  });

  it('makes a call wait when it is full, however free the heads are', async () => {
    const { tracker, held } = await sharedMiddle({ max_concurrent: 2 });
    const { api } = tracker;
    const three = Array.from({ length: 3 }, () => api.chat({ model: MODEL }));
    await eventually(async () => {
      expect(held).toHaveLength(2);
      const open = await api.calls('?open=true');
      expect(open.map(({ phase }) => phase).sort()).toEqual(['prefill', 'prefill', 'queued']);
    });
    held.shift()?.();
    await eventually(() => expect(held).toHaveLength(2));
    for (const answer of held) answer();
    expect((await Promise.all(three)).every(({ status }) => status === 200)).toBe(true);
  });

  it('leaves equally fast heads equal parts of the traffic', () => {
    const rooms = new Rooms();
    for (const wallet of HEADS) rooms.join({ wallet, shard: span(0, 9), numLayers: 30, throughputTps: 20 });
    rooms.join({ wallet: 'middle', shard: span(10, 19), throughputTps: 20 });
    for (const wallet of ['tail-1', 'tail-2', 'tail-3']) {
      rooms.join({ wallet, shard: span(20, 29), throughputTps: 20 });
    }
    const counts = new Map<string, number>();
    for (let call = 0; call < 300; call += 1) {
      const decision = rooms.decide(MODEL, null);
      const head = decision.route.hops[0]?.node.wallet ?? '';
      counts.set(head, (counts.get(head) ?? 0) + 1);
      expect(rooms.answer(decision, { elapsedMs: 50 }).kind).toBe('sample');
    }
    expect([...counts.keys()].sort()).toEqual(HEADS);
    for (const count of counts.values()) expect(Math.abs(count - 100)).toBeLessThan(30);
  });

  it('multiplies nothing: thirty overlapping nodes give eight routes at most', async () => {
    const { api } = await stage.tracker();
    for (let n = 0; n < 30; n += 1) {
      await api.register({
        ...{ wallet: `n${String(n)}`, endpoint: `http://n${String(n)}.test`, model: MODEL, num_layers: 30 },
        ...{ shard_start: (n % 3) * 8, shard_end: Math.min(29, (n % 3) * 8 + 13) },
      });
    }
    const { candidates } = await api.routing(MODEL);
    expect(candidates).toHaveLength(8);
    for (const { hops } of candidates) {
      expect(
        hops.reduce((layers, { start_layer, end_layer }) => layers + end_layer - start_layer + 1, 0),
      ).toBe(30);
    }
  });
});
