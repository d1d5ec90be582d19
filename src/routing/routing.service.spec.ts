import { beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL, span } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import { InvalidRequestError, ModelNotFoundError, NoRouteError } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';
import type { Decision } from './routing.service.js';

const HYBRID = `${MODEL}|gpu:0-21[0-21]->cpu:0-39[22-39]`;
const ALONE = `${MODEL}|cpu:0-39[0-39]`;

let rooms: Rooms;
beforeEach(() => {
  rooms = new Rooms();
});

function mixed(): { gpu: MeshNode; cpu: MeshNode } {
  return {
    gpu: rooms.join({ wallet: 'gpu', shard: span(0, 21), numLayers: 40, throughputTps: 60 }).node,
    cpu: rooms.join({ wallet: 'cpu', shard: span(0, 39), throughputTps: 8 }).node,
  };
}

function faultOf(act: () => unknown): unknown {
  try {
    act();
  } catch (fault) {
    return fault;
  }
  throw new Error('no fault');
}

describe('a decision', () => {
  it('carries what the call needs to record: route, mode, probability and the epoch it was taken in', () => {
    mixed();
    const decision = rooms.decide(MODEL, null);
    expect(decision).toMatchObject({ model: MODEL, mode: 'scout', probability: 1, epoch: 2 });
    expect(decision.signature).toBe(decision.route.signature);
    rooms.join({ wallet: 'late' });
    expect(decision.epoch).toBe(2);
    expect(rooms.decide(MODEL, null).epoch).toBe(3);
  });

  it('has the probability that the table showed just before', () => {
    mixed();
    rooms.prove(MODEL, { 'cpu:0-39': 10 });
    for (let call = 0; call < 200; call += 1) {
      const shown = rooms.table.tables(MODEL)[0]?.candidates;
      const { signature, probability } = rooms.decide(MODEL, null);
      expect(shown?.find((row) => row.signature === signature)?.traffic_share).toBe(probability);
    }
  });

  it('repeats itself for a seed', () => {
    const run = (seed: number): string[] => {
      rooms = new Rooms({ seed });
      mixed();
      rooms.prove(MODEL, { 'cpu:0-39': 10, 'gpu:0-21 -> cpu:0-39': 9 });
      return Array.from({ length: 50 }, () => rooms.decide(MODEL, null).signature);
    };
    expect(run(5)).toEqual(run(5));
    expect(run(5)).not.toEqual(run(6));
  });

  it('spreads simultaneous first calls over equal routes, since each lowers the prior of its own', () => {
    for (const wallet of ['a', 'b', 'c']) rooms.join({ wallet, throughputTps: 10 });
    const counts = new Map<string, number>();
    for (let call = 0; call < 21; call += 1) {
      const decision = rooms.decide(MODEL, null);
      rooms.begin(decision);
      counts.set(decision.signature, (counts.get(decision.signature) ?? 0) + 1);
    }
    expect([...counts.values()]).toEqual([7, 7, 7]);
  });
});

describe('no route', () => {
  it('for a model that nobody ever served is a model that does not exist', () => {
    expect(() => rooms.decide('nobody', null)).toThrow(ModelNotFoundError);
    expect(() => rooms.decide('nobody', ['w:all'])).toThrow(ModelNotFoundError);
  });

  it('names the layers nobody serves and who served them last, and when to try again', () => {
    rooms.join({ wallet: 'gpu', shard: span(0, 21), numLayers: 40 });
    rooms.join({ wallet: 'tail', shard: span(22, 30) });
    rooms.registry.delete('gpu:0-21', null);
    const fault = faultOf(() => rooms.decide(MODEL, null));
    expect(fault).toBeInstanceOf(NoRouteError);
    expect(fault).toMatchObject({
      message:
        `No route for the model "${MODEL}": nobody serves layers 0-21 (served last by gpu:0-21) ` +
        'and layers 31-39 (served by nobody so far).',
      gaps: [span(0, 21), span(31, 39)],
      retryAfterSeconds: 5,
    });
  });

  it('names the nodes that are still here and drain, and no layer of a model that declared none', () => {
    mixed();
    rooms.registry.drain('cpu:0-39', null);
    expect(faultOf(() => rooms.decide(MODEL, null))).toMatchObject({
      message: `No route for the model "${MODEL}": nobody serves layers 22-39 (cpu:0-39 would, but is draining).`,
    });
    rooms.join({ wallet: 'plain', model: 'other' });
    rooms.registry.drain('plain:all', null);
    expect(faultOf(() => rooms.decide('other', null))).toMatchObject({
      message:
        'No route for the model "other": no server of it takes chats (plain:all would, but is draining).',
    });
  });

  it('comes at once when the last node leaves or drains, and ends when one comes back', () => {
    rooms.join({ wallet: 'w' });
    expect(rooms.routing.isRoutable(MODEL)).toBe(true);
    rooms.registry.drain('w:all', null);
    expect(() => rooms.decide(MODEL, null)).toThrow(NoRouteError);
    expect(rooms.routing.isRoutable(MODEL)).toBe(false);
    rooms.registry.resume('w:all', null);
    expect(rooms.decide(MODEL, null).signature).toBe(`${MODEL}|w:all[0-0]`);
  });

  it('is what a model without a complete route has; the others are listed in the order of becoming known', () => {
    rooms.join({ wallet: 'b', model: 'second' });
    rooms.join({ wallet: 'a', model: 'first' });
    rooms.join({ wallet: 'c', model: 'half', shard: span(0, 1), numLayers: 4 });
    expect(rooms.routing.routableModels()).toEqual(['second', 'first']);
    expect(rooms.routing.isRoutable('unknown')).toBe(false);
  });
});

describe('a pinned call', () => {
  it('takes its route for certain, past the bandit and its dice', () => {
    mixed();
    const decision = rooms.decide(MODEL, ['gpu:0-21', 'cpu:0-39']);
    expect(decision).toMatchObject({ mode: 'pinned', signature: HYBRID, probability: 1, epoch: 2 });
  });

  it('to a drained or departed node is refused', () => {
    mixed();
    rooms.registry.drain('cpu:0-39', null);
    expect(() => rooms.decide(MODEL, ['cpu:0-39'])).toThrow(InvalidRequestError);
  });

  it('of a model without a complete route is told of the hop, not of the gap', () => {
    rooms.join({ wallet: 'gpu', shard: span(0, 21), numLayers: 40 });
    expect(faultOf(() => rooms.decide(MODEL, ['gpu:0-21']))).toMatchObject({
      message: 'route must go on to layer 39; it ends before layer 22.',
    });
  });
});

describe('another attempt', () => {
  it('goes over a route without the nodes that were tried, and has none when none is left', () => {
    const { gpu, cpu } = mixed();
    const { node: tail } = rooms.join({ wallet: 'tail', shard: span(22, 39), throughputTps: 90 });
    const again = rooms.decideAgain(MODEL, new Set([cpu]));
    expect(again?.signature).toBe(`${MODEL}|gpu:0-21[0-21]->tail:22-39[22-39]`);
    expect(rooms.decideAgain(MODEL, new Set([gpu]))?.signature).toBe(ALONE);
    expect(rooms.decideAgain(MODEL, new Set([cpu, tail]))).toBeNull();
    expect(rooms.decideAgain('unknown', new Set())).toBeNull();
  });

  it('is decided by the policy like the first, with the arms that are left', () => {
    rooms = new Rooms({ routing: { exploreShare: 0 } });
    const { node } = rooms.join({ wallet: 'a' });
    rooms.join({ wallet: 'b' });
    rooms.join({ wallet: 'c' });
    rooms.prove(MODEL, { 'a:all': 50, 'b:all': 10 });
    const again = rooms.decideAgain(MODEL, new Set([node]));
    expect(again).toMatchObject({ mode: 'exploit', signature: `${MODEL}|b:all[0-0]`, probability: 1 });
  });
});

/** Three failures in a row. */
function block(node: MeshNode): void {
  for (let n = 0; n < 3; n += 1) {
    rooms.health.take({ signature: node.nodeId, hops: [{ node }] }).settle({ kind: 'failure', blame: node });
  }
  expect(rooms.health.isBlocked(node)).toBe(true);
}

function fill(node: MeshNode): () => void {
  const ticket = rooms.health.take({ signature: node.nodeId, hops: [{ node }] });
  return () => ticket.settle({ kind: 'neutral' });
}

/** Node ids of the first hop, and the share of the traffic that goes there. */
function shares(): Record<string, number> {
  const { candidates = [] } = rooms.table.tables(MODEL)[0] ?? {};
  return Object.fromEntries(
    candidates.map(({ hops, traffic_share }) => [
      hops.map(({ node_id }) => node_id).join(' -> '),
      traffic_share,
    ]),
  );
}

describe('a full node', () => {
  let quick: MeshNode;
  let slow: MeshNode;
  beforeEach(() => {
    rooms = new Rooms({ routing: { exploreShare: 0 } });
    quick = rooms.join({ wallet: 'quick', throughputTps: 90, maxConcurrent: 1 }).node;
    slow = rooms.join({ wallet: 'slow', throughputTps: 10, maxConcurrent: 1 }).node;
  });

  it('is passed over while another has room', () => {
    expect(rooms.decide(MODEL, null).signature).toBe(`${MODEL}|quick:all[0-0]`);
    const leave = fill(quick);
    for (let call = 0; call < 20; call += 1) {
      expect(rooms.decide(MODEL, null).signature).toBe(`${MODEL}|slow:all[0-0]`);
    }
    leave();
    expect(rooms.decide(MODEL, null).signature).toBe(`${MODEL}|quick:all[0-0]`);
  });

  it('is waited for when all are full, for a first attempt and for another', () => {
    fill(quick);
    const leave = fill(slow);
    expect(rooms.routing.decide(MODEL, null)).toBe('full');
    expect(rooms.routing.decideAgain(MODEL, new Set([quick]))).toBe('full');
    leave();
    expect(rooms.decideAgain(MODEL, new Set([quick]))?.signature).toBe(`${MODEL}|slow:all[0-0]`);
    expect(rooms.routing.decideAgain(MODEL, new Set([slow]))).toBe('full');
  });

  it('is waited for by a call that is pinned to it, however much room there is elsewhere', () => {
    fill(quick);
    expect(rooms.routing.decide(MODEL, ['quick:all'])).toBe('full');
    expect(rooms.decide(MODEL, ['slow:all']).mode).toBe('pinned');
  });

  it('in the midst of a route fills the route', () => {
    rooms.join({ wallet: 'head', model: 'two', shard: span(0, 1), numLayers: 4 });
    const { node } = rooms.join({ wallet: 'tail', model: 'two', shard: span(2, 3), maxConcurrent: 1 });
    fill(node);
    expect(rooms.routing.decide('two', null)).toBe('full');
  });

  it('has no share of the traffic, unless all are full', () => {
    rooms.prove(MODEL, { 'quick:all': 30, 'slow:all': 10 });
    expect(shares()).toEqual({ 'quick:all': 0.75, 'slow:all': 0.25 });
    const leave = fill(quick);
    expect(shares()).toEqual({ 'quick:all': 0, 'slow:all': 1 });
    fill(slow);
    expect(shares()).toEqual({ 'quick:all': 0.75, 'slow:all': 0.25 });
    leave();
    expect(shares()).toEqual({ 'quick:all': 1, 'slow:all': 0 });
  });
});

describe('when the breaker of every candidate is open', () => {
  beforeEach(() => {
    rooms = new Rooms({ routing: { exploreShare: 0 } });
    for (const [wallet, throughputTps] of [
      ['fast', 50],
      ['slow', 20],
    ] as const) {
      rooms.join({ wallet, shard: span(0, 1), numLayers: 4, throughputTps, maxConcurrent: 1 });
    }
    const { node } = rooms.join({ wallet: 'tail', shard: span(2, 3), throughputTps: 90 });
    block(node);
  });

  it('the best prior is tried rather than nobody, and for certain', () => {
    expect(rooms.decide(MODEL, null)).toMatchObject({
      mode: 'greedy-fallback',
      signature: `${MODEL}|fast:0-1[0-1]->tail:2-3[2-3]`,
      probability: 1,
    });
    expect(shares()).toEqual({ 'fast:0-1 -> tail:2-3': 1, 'slow:0-1 -> tail:2-3': 0 });
  });

  it('the best with room is tried, and waited for when none has any', () => {
    const [fast, slow] = rooms.registry.nodes(MODEL);
    const leave = fill(fast!);
    expect(rooms.decide(MODEL, null)).toMatchObject({
      mode: 'greedy-fallback',
      signature: `${MODEL}|slow:0-1[0-1]->tail:2-3[2-3]`,
    });
    fill(slow!);
    expect(rooms.routing.decide(MODEL, null)).toBe('full');
    leave();
    expect(rooms.decideAgain(MODEL, new Set([slow!]))?.mode).toBe('greedy-fallback');
  });

  it('the policy decides again as soon as one lets a call through', () => {
    rooms.clock.advance(15_000);
    const decision = rooms.decide(MODEL, null);
    expect(decision.mode).toBe('scout');
    const probe = rooms.health.take(decision.route);
    expect(rooms.decide(MODEL, null).mode).toBe('greedy-fallback');
    probe.settle({ kind: 'success' });
    expect(rooms.decide(MODEL, null).mode).toBe('scout');
  });
});

describe('a node whose breaker is open', () => {
  it('has no share of the traffic while others have, and no part in a choice', () => {
    const [a] = ['a', 'b', 'c'].map((wallet) => rooms.join({ wallet, throughputTps: 10 }).node);
    rooms.prove(MODEL, { 'a:all': 90, 'b:all': 10, 'c:all': 10 });
    block(a!);
    expect(shares()).toEqual({ 'b:all': 0.5, 'c:all': 0.5 });
    for (let call = 0; call < 50; call += 1) {
      expect(rooms.decide(MODEL, null).signature).not.toContain('|a:all');
    }
    // Whoever wants it all the same may have it.
    expect(rooms.decide(MODEL, ['a:all']).mode).toBe('pinned');
  });

  it('that came to be blocked after the routes were built is left out all the same', () => {
    for (let n = 0; n < 12; n += 1) rooms.join({ wallet: `w${String(n)}`, throughputTps: 10 });
    rooms.prove(MODEL, { 'w0:all': 90, 'w1:all': 10 });
    rooms.routing.shares(MODEL, rooms.candidates.candidates(MODEL));
    const stale = rooms.candidates.candidates(MODEL);
    const blocked = stale[0]!.hops[0]!.node;
    block(blocked);
    const [first, ...others] = rooms.routing.shares(MODEL, stale);
    expect(first).toBe(0);
    expect(others.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
  });
});

describe('what a choice was made from', () => {
  /** Head of each candidate, and why it was left out. */
  const considered = ({ considered: { eligible, leftOut } }: Decision): Record<string, string | null> => {
    const head = ({ signature }: { signature: string }): string => signature.replace(/^.*\|(\w+):.*$/, '$1');
    return Object.fromEntries([
      ...eligible.map((state) => [head(state), null] as const),
      ...leftOut.map(({ state, reason }) => [head(state), reason] as const),
    ]);
  };
  let nodes: MeshNode[];
  beforeEach(() => {
    rooms = new Rooms({ routing: { exploreShare: 0, maxCandidates: 12 } });
    nodes = ['a', 'b', 'c'].map((wallet) => rooms.join({ wallet, throughputTps: 10, maxConcurrent: 2 }).node);
    rooms.prove(MODEL, { 'a:all': 90, 'b:all': 10 });
  });

  it('is every candidate, as it stood before the choice', () => {
    const decision = rooms.decide(MODEL, null);
    expect(considered(decision)).toEqual({ a: null, b: null, c: null });
    rooms.record(decision, 1);
    const a = decision.considered.eligible.find(({ signature }) => signature.includes('|a:'));
    expect(a).toMatchObject({ status: 'proven', tps: 90, mass: 1, priorTps: 10 });
  });

  it('tells who was left out for being full, and how it stood', () => {
    const [a] = nodes;
    fill(a!);
    fill(a!);
    const decision = rooms.decide(MODEL, null);
    expect(considered(decision)).toEqual({ a: 'full', b: null, c: null });
    expect(decision.considered.leftOut[0]?.state).toMatchObject({ status: 'proven', tps: 90 });
  });

  it('tells who was left out for a breaker that opened while the mesh changes too fast to enumerate anew', () => {
    for (let n = 0; n < 9; n += 1) rooms.join({ wallet: `w${String(n)}`, throughputTps: 5 });
    const before = rooms.decide(MODEL, null);
    const [a, b] = nodes;
    block(a!);
    fill(b!);
    fill(b!);
    const { a: why, b: whyB, ...others } = considered(rooms.decide(MODEL, null));
    expect([why, whyB]).toEqual(['breaker_open', 'full']);
    expect(new Set(Object.values(others))).toEqual(new Set([null]));
    expect(Object.keys(considered(before)).sort()).toEqual(['a', 'b', ...Object.keys(others)].sort());
  });

  it('is no node that the call has tried already', () => {
    const again = rooms.decideAgain(MODEL, new Set([nodes[0]!]));
    expect(considered(again!)).toEqual({ b: null, c: null });
  });

  it('is those with room where the breaker of each is open', () => {
    rooms = new Rooms();
    const heads = ['fast', 'slow'].map(
      (wallet) => rooms.join({ wallet, shard: span(0, 1), numLayers: 4, maxConcurrent: 1 }).node,
    );
    block(rooms.join({ wallet: 'tail', shard: span(2, 3) }).node);
    fill(heads[0]!);
    const decision = rooms.decide(MODEL, null);
    expect(decision.mode).toBe('greedy-fallback');
    expect(considered(decision)).toEqual({ fast: 'full', slow: null });
  });

  it('is nothing for a pin', () => {
    expect(rooms.decide(MODEL, ['a:all']).considered).toEqual({ eligible: [], leftOut: [] });
  });
});

describe('a node that rests', () => {
  it('gets no chat while another route can serve, whatever it was measured at', () => {
    const a = rooms.join({ wallet: 'a' }).node;
    rooms.join({ wallet: 'b' });
    rooms.prove(MODEL, { 'a:all': 90, 'b:all': 1 });
    rooms.health.rest(a, 60_000);
    for (let n = 0; n < 40; n += 1) expect(rooms.decide(MODEL, null).signature).toContain('|b:all');
    expect(rooms.routing.shares(MODEL, rooms.candidates.candidates(MODEL))).toEqual([1]);
    rooms.clock.advance(60_000);
    const chosen = Array.from({ length: 40 }, () => rooms.decide(MODEL, null).signature);
    expect(chosen.filter((signature) => signature.includes('|a:all')).length).toBeGreaterThan(10);
  });

  it('is left out with its reason while the mesh changes too fast to enumerate anew', () => {
    const a = rooms.join({ wallet: 'a', throughputTps: 90 }).node;
    for (let n = 0; n < 9; n += 1) rooms.join({ wallet: `w${String(n)}`, throughputTps: 5 });
    rooms.decide(MODEL, null);
    rooms.health.rest(a, 60_000);
    const { leftOut, eligible } = rooms.decide(MODEL, null).considered;
    expect(leftOut.map(({ state, reason }) => [state.signature, reason])).toEqual([
      [`${MODEL}|a:all[0-0]`, 'resting'],
    ]);
    expect(eligible.length).toBeGreaterThan(0);
    expect(rooms.routing.shares(MODEL, rooms.candidates.candidates(MODEL))[0]).toBe(0);
  });

  it('gives its place in a route to an equal node', () => {
    rooms.join({ wallet: 'head', shard: span(0, 9), numLayers: 20 });
    const first = rooms.join({ wallet: 'tail-a', shard: span(10, 19) }).node;
    rooms.join({ wallet: 'tail-b', shard: span(10, 19) });
    expect(rooms.decide(MODEL, null).signature).toContain('tail-a');
    rooms.health.rest(first, 60_000);
    expect(rooms.decide(MODEL, null).signature).toContain('tail-b');
  });

  it('is asked all the same by a pin', () => {
    const a = rooms.join({ wallet: 'a' }).node;
    rooms.health.rest(a, 60_000);
    expect(rooms.decide(MODEL, ['a:all']).mode).toBe('pinned');
  });

  it('keeps its model routable', () => {
    const a = rooms.join({ wallet: 'a' }).node;
    rooms.health.rest(a, 60_000);
    expect(rooms.routing.routableModels()).toEqual([MODEL]);
  });

  it('leaves the chat to a node behind an open breaker rather than being asked', () => {
    const [a, b] = ['a', 'b'].map((wallet) => rooms.join({ wallet }).node);
    block(a!);
    rooms.health.rest(b!, 60_000);
    const { mode, signature } = rooms.decide(MODEL, null);
    expect([mode, signature]).toEqual(['greedy-fallback', `${MODEL}|a:all[0-0]`]);
  });
});

describe('where every route rests', () => {
  it('the decision is the least rest of a route, which is the longest rest of its nodes', () => {
    const head = rooms.join({ wallet: 'head', shard: span(0, 9), numLayers: 20 }).node;
    const tails = ['ta', 'tb'].map((wallet) => rooms.join({ wallet, shard: span(10, 19) }).node);
    rooms.health.rest(tails[0]!, 50_000);
    rooms.health.rest(tails[1]!, 20_000);
    expect(rooms.routing.decide(MODEL, null)).toEqual({ leastMs: 20_000 });
    rooms.health.rest(head, 30_000);
    expect(rooms.routing.decide(MODEL, null)).toEqual({ leastMs: 30_000 });
    rooms.clock.advance(30_000);
    expect(rooms.decide(MODEL, null).signature).toContain('tb');
  });

  it('a retry has no route left', () => {
    const nodes = ['a', 'b'].map((wallet) => rooms.join({ wallet }).node);
    rooms.health.rest(nodes[1]!, 20_000);
    expect(rooms.decideAgain(MODEL, new Set([nodes[0]!]))).toBeNull();
    expect(rooms.routing.decideSurely(MODEL, new Set([nodes[0]!]), new Set())).toBeNull();
  });

  it.each(['proportional', 'least-expected-delay'] as const)('the policy %s is not asked', (policy) => {
    rooms = new Rooms({ routing: { policy } });
    const [a, b] = ['a', 'b'].map((wallet) => rooms.join({ wallet }).node);
    rooms.health.rest(a!, 20_000);
    for (let n = 0; n < 40; n += 1) expect(rooms.decide(MODEL, null).signature).toContain('|b:all');
    rooms.health.rest(b!, 10_000);
    expect(rooms.routing.decide(MODEL, null)).toEqual({ leastMs: 10_000 });
  });
});

describe('of more than eight candidates', () => {
  beforeEach(() => {
    rooms = new Rooms({ routing: { exploreShare: 0.3 } });
    for (let at = 0; at < 30; at += 1) {
      rooms.join({ wallet: `w${String(at)}`, throughputTps: 1 + at, maxConcurrent: 1 });
    }
  });
  const prove = (count: number): void =>
    rooms.prove(
      MODEL,
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`w${String(at)}:all`, 10 + at])),
    );

  it('a decision keeps the eight best and the chosen one, whose share is its probability', () => {
    prove(20);
    for (let call = 0; call < 100; call += 1) {
      const { considered, signature, probability } = rooms.decide(MODEL, null);
      expect([considered.eligible.length, considered.moreEligible]).toEqual([8, 22]);
      const at = considered.eligible.findIndex((state) => state.signature === signature);
      expect(considered.shares?.[at]).toBeCloseTo(probability, 12);
    }
  });

  it('a decision keeps no more of those left out', () => {
    prove(30);
    for (const node of rooms.registry.nodes(MODEL).slice(0, 20)) fill(node);
    const { eligible, moreEligible, leftOut, moreLeftOut } = rooms.decide(MODEL, null).considered;
    expect([eligible.length, moreEligible, leftOut.length, moreLeftOut]).toEqual([8, 2, 8, 12]);
  });

  it('a decision keeps as many as the setting lets multi-hop routes be', () => {
    const wide = new Rooms({ routing: { maxCandidates: 12 } });
    for (let at = 0; at < 12; at += 1) wide.join({ wallet: `w${String(at)}` });
    const { considered } = wide.decide(MODEL, null);
    expect([considered.eligible.length, considered.moreEligible]).toEqual([12, undefined]);
  });

  it('the shares of all sum to 1', () => {
    prove(20);
    const shares = rooms.routing.shares(MODEL, rooms.candidates.candidates(MODEL));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(rooms.table.tables(MODEL)[0]).toMatchObject({ candidates_left_out: 0 });
  });
});

describe('where all candidates are full', () => {
  beforeEach(() => {
    rooms.join({ wallet: 'head', shard: span(0, 9), numLayers: 20 });
  });

  it('a route past the full nodes is taken, though it was no candidate', () => {
    const [ta, tb] = ['ta', 'tb'].map(
      (wallet) => rooms.join({ wallet, shard: span(10, 19), maxConcurrent: 1 }).node,
    );
    fill(ta!);
    expect(rooms.decide(MODEL, null).signature).toContain('tb:10-19');
    expect(rooms.decideAgain(MODEL, new Set())?.signature).toContain('tb:10-19');
    fill(tb!);
    expect(rooms.routing.decide(MODEL, null)).toBe('full');
    expect(rooms.routing.decideAgain(MODEL, new Set())).toBe('full');
  });

  it('a chat waits rather than going to a node that fails or rests', () => {
    const [ta, tb] = ['ta', 'tb'].map(
      (wallet) => rooms.join({ wallet, shard: span(10, 19), maxConcurrent: 1 }).node,
    );
    fill(ta!);
    rooms.health.rest(tb!, 60_000);
    expect(rooms.routing.decide(MODEL, null)).toBe('full');
    rooms.clock.advance(60_000);
    block(tb!);
    expect(rooms.routing.decide(MODEL, null)).toBe('full');
  });
});
