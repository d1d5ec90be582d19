import { describe, expect, it } from '@jest/globals';
import type { Decision } from '../../src/routing/index.js';
import { MODEL, span } from '../support/builders.js';
import { Rooms, type AnswerFacts } from '../support/rooms.js';

/** Runs chats one after the other; what each route does is the world's business. */
function chats(rooms: Rooms, count: number, world: (decision: Decision) => AnswerFacts): Decision[] {
  return Array.from({ length: count }, () => {
    const decision = rooms.decide(MODEL, null);
    rooms.answer(decision, world(decision));
    for (const node of rooms.registry.nodes()) rooms.registry.touch(node);
    return decision;
  });
}

/** A world in which each head answers 100 tokens at its speed. */
function atSpeeds(speeds: Readonly<Record<string, number>>): (decision: Decision) => AnswerFacts {
  return ({ route }) => ({
    tokens: 100,
    elapsedMs: 100_000 / (speeds[route.hops[0]?.node.wallet ?? ''] ?? 1),
  });
}

function shareOf(decisions: readonly Decision[], wallet: string): number {
  return decisions.filter(({ route }) => route.hops[0]?.node.wallet === wallet).length / decisions.length;
}

function rowsOf(rooms: Rooms): Record<string, { status: string; tps: number | null; traffic_share: number }> {
  const rows = rooms.table.tables(MODEL)[0]?.candidates ?? [];
  return Object.fromEntries(rows.map((row) => [row.hops[0]?.node_id.split(':')[0] ?? '', row]));
}

describe('traffic', () => {
  it('moves to the faster route although it was declared slower, and back when speeds swap', () => {
    const rooms = new Rooms({ seed: 5 });
    rooms.join({ wallet: 'boaster', throughputTps: 100 });
    rooms.join({ wallet: 'modest', throughputTps: 10 });
    chats(rooms, 40, atSpeeds({ boaster: 10, modest: 40 }));
    const settled = chats(rooms, 400, atSpeeds({ boaster: 10, modest: 40 }));
    expect(Math.abs(shareOf(settled, 'modest') - 0.8)).toBeLessThan(0.06);
    chats(rooms, 800, atSpeeds({ boaster: 40, modest: 10 }));
    const swapped = chats(rooms, 400, atSpeeds({ boaster: 40, modest: 10 }));
    expect(Math.abs(shareOf(swapped, 'boaster') - 0.8)).toBeLessThan(0.06);
  });

  it('finds a route in the mixed topology to be what it is, whatever its prior', () => {
    const rooms = new Rooms({ seed: 6 });
    rooms.join({ wallet: 'gpu', shard: span(0, 21), numLayers: 40, throughputTps: 60 });
    rooms.join({ wallet: 'cpu', shard: span(0, 39), throughputTps: 8 });
    chats(rooms, 60, atSpeeds({ gpu: 14, cpu: 7 }));
    const { gpu, cpu } = rowsOf(rooms);
    expect([gpu?.status, cpu?.status]).toEqual(['proven', 'proven']);
    expect(gpu?.tps).toBeCloseTo(14, 6);
    expect(cpu?.tps).toBeCloseTo(7, 6);
    expect(gpu?.traffic_share).toBeCloseTo(2 / 3, 6);
  });

  it('keeps no one out: a route that was slow once is measured again when it has decayed', () => {
    const rooms = new Rooms({ seed: 7 });
    rooms.join({ wallet: 'a' });
    rooms.join({ wallet: 'b' });
    rooms.prove(MODEL, { 'a:all': 1, 'b:all': 1000 });
    expect(rowsOf(rooms).a?.traffic_share).toBeLessThan(0.01);
    rooms.live(601_000);
    rooms.prove(MODEL, { 'b:all': 1000 });
    expect(rowsOf(rooms).a).toMatchObject({ status: 'decayed', traffic_share: 0.3 });
  });
});

describe('a head that fails', () => {
  it('instantly looks neither fast nor tempting: its traffic falls to what the bars let through', () => {
    const rooms = new Rooms({ seed: 8 });
    rooms.join({ wallet: 'broken', throughputTps: 100 });
    rooms.join({ wallet: 'sound', throughputTps: 10 });
    const world = ({ route }: Decision): AnswerFacts =>
      route.hops[0]?.node.wallet === 'broken'
        ? { ending: 'failed', tokens: 500, elapsedMs: 2 }
        : { tokens: 100, elapsedMs: 6667 };
    const decisions = chats(rooms, 100, world);
    expect(shareOf(decisions.slice(15), 'broken')).toBeLessThan(0.15);
    expect(rowsOf(rooms).broken).toMatchObject({ status: 'unsampled', tps: null });
    expect(rowsOf(rooms).sound?.tps).toBeCloseTo(15, 2);
    expect(rooms.health.inFlight).toBe(0);
  });

  it('gives way at a cold start to the next best as its reputation falls', () => {
    const rooms = new Rooms({ seed: 9 });
    rooms.join({ wallet: 'broken', throughputTps: 100 });
    rooms.join({ wallet: 'sound', throughputTps: 30 });
    const decisions = chats(rooms, 10, ({ route }) => ({
      ending: route.hops[0]?.node.wallet === 'broken' ? 'failed' : 'completed',
      elapsedMs: 10,
    }));
    expect(decisions.findIndex(({ route }) => route.hops[0]?.node.wallet === 'sound')).toBe(3);
  });
});

describe('what the client does', () => {
  it('never moves a route: leaving early, or asking for next to nothing, is no sample and no fault', () => {
    const rooms = new Rooms({ seed: 10 });
    const { node } = rooms.join({ wallet: 'a' });
    rooms.join({ wallet: 'b' });
    rooms.prove(MODEL, { 'a:all': 20, 'b:all': 20 });
    const before = rowsOf(rooms).a;
    for (let call = 0; call < 20; call += 1) {
      rooms.answer(rooms.decide(MODEL, ['a:all']), { ending: 'client_left', elapsedMs: 0 });
      rooms.answer(rooms.decide(MODEL, ['a:all']), { tokens: 0, elapsedMs: 0 });
    }
    expect(rowsOf(rooms).a).toEqual(before);
    expect(rooms.health.reputation(node)).toBe(1);
  });
});

describe('a change of the topology', () => {
  it('wipes nothing that was learned of untouched routes, however often nodes flap', () => {
    const rooms = new Rooms({ seed: 11 });
    rooms.join({ wallet: 'a', throughputTps: 10 });
    rooms.join({ wallet: 'b', throughputTps: 10 });
    rooms.prove(MODEL, { 'a:all': 25, 'b:all': 5 });
    for (let flap = 0; flap < 20; flap += 1) {
      rooms.registry.deregister(rooms.join({ wallet: 'c', throughputTps: 10 }).leaseId);
    }
    expect(rowsOf(rooms)).toMatchObject({ a: { status: 'stale', tps: 25 }, b: { status: 'stale', tps: 5 } });
    expect(rooms.topology.epoch(MODEL)).toBe(42);
    chats(rooms, 40, atSpeeds({ a: 25, b: 5 }));
    expect(rowsOf(rooms)).toMatchObject({ a: { status: 'proven' }, b: { status: 'proven' } });
  });

  it('does not send everybody to the newcomer: twenty calls at once spread over equals', () => {
    const rooms = new Rooms({ seed: 12 });
    rooms.join({ wallet: 'a', throughputTps: 10 });
    rooms.join({ wallet: 'b', throughputTps: 10 });
    rooms.prove(MODEL, { 'a:all': 10, 'b:all': 10 });
    rooms.join({ wallet: 'c', throughputTps: 10 });
    const decisions = Array.from({ length: 20 }, () => {
      const decision = rooms.decide(MODEL, null);
      rooms.begin(decision);
      return decision;
    });
    for (const wallet of ['a', 'b', 'c']) expect(shareOf(decisions, wallet)).toBeGreaterThanOrEqual(0.3);
  });

  it('that sends a scout does not send a second one there while others wait', () => {
    const rooms = new Rooms({ seed: 13, routing: { exploreShare: 1 } });
    for (const wallet of ['a', 'b', 'c', 'd']) rooms.join({ wallet, throughputTps: 10 });
    rooms.prove(MODEL, { 'a:all': 10 });
    const scouts = [1, 2, 3].map(() => {
      const decision = rooms.decide(MODEL, null);
      rooms.begin(decision);
      return decision.route.hops[0]?.node.wallet;
    });
    expect(scouts.sort()).toEqual(['b', 'c', 'd']);
  });
});

describe('a node shared by many routes', () => {
  it('shows its load in all of them, so that a route around it is preferred', () => {
    const rooms = new Rooms({ seed: 14 });
    for (const wallet of ['x', 'y']) {
      rooms.join({ wallet, shard: span(0, 9), numLayers: 20, throughputTps: 30 });
    }
    rooms.join({ wallet: 'shared', shard: span(10, 19), throughputTps: 40 });
    rooms.join({ wallet: 'whole', throughputTps: 15 });
    const heads = Array.from({ length: 3 }, () => {
      const decision = rooms.decide(MODEL, null);
      rooms.begin(decision);
      return decision.route.hops[0]?.node.wallet;
    });
    expect(heads).toEqual(['x', 'y', 'whole']);
  });
});
