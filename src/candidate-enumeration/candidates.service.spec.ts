import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { aSpec, MODEL, span } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import type { MeshNode, NodeSpec, Registered } from '../registry/index.js';
import { ENUMERATIONS } from './enumerations.js';

let rooms: Rooms;
beforeEach(() => {
  rooms = new Rooms();
});

function signatures(of: Rooms = rooms): string[] {
  return of.candidates.candidates(MODEL).map(({ signature }) => signature.replace(`${MODEL}|`, ''));
}

function prior(at = 0): number | undefined {
  return rooms.candidates.priors(MODEL, rooms.candidates.candidates(MODEL))[at];
}

describe('candidates', () => {
  it('are none for a model that is not known or lacks layers', () => {
    expect(signatures()).toEqual([]);
    rooms.join({ wallet: 'w', shard: span(0, 21), numLayers: 40 });
    expect(signatures()).toEqual([]);
    expect(rooms.candidates.priors('unknown', [])).toEqual([]);
  });

  it('are the highest prior first', () => {
    rooms.join({ wallet: 'slow', throughputTps: 5 });
    rooms.join({ wallet: 'fast', throughputTps: 50 });
    rooms.join({ wallet: 'middling', throughputTps: 20 });
    expect(signatures()).toEqual(['fast:all[0-0]', 'middling:all[0-0]', 'slow:all[0-0]']);
  });

  it('are at most eight of more than one hop, and as many as the setting says', () => {
    const fill = (mesh: Rooms): void => {
      mesh.join({ wallet: 'tail', shard: span(1, 1), numLayers: 2, throughputTps: 99 });
      for (let at = 0; at < 30; at += 1)
        mesh.join({ wallet: `w${String(at)}`, shard: span(0, 0), throughputTps: 1 + at });
    };
    fill(rooms);
    expect(signatures()).toHaveLength(8);
    expect(signatures()[0]).toBe('w29:0-0[0-0]->tail:1-1[1-1]');
    expect(signatures()[7]).toBe('w22:0-0[0-0]->tail:1-1[1-1]');
    expect(rooms.candidates.leftOutCount(MODEL)).toBe(22);
    const narrow = new Rooms({ routing: { maxCandidates: 2 } });
    fill(narrow);
    expect(signatures(narrow)).toHaveLength(2);
  });

  it.each(['greedy', 'diverse'] as const)('are all servers of the whole model by %s enumeration', (how) => {
    rooms = new Rooms({ routing: { enumeration: how, maxCandidates: 2 } });
    for (let at = 0; at < 30; at += 1) rooms.join({ wallet: `w${String(at)}`, throughputTps: 1 + at });
    expect(signatures()).toHaveLength(30);
    expect([signatures()[0], signatures()[29]]).toEqual(['w29:all[0-0]', 'w0:all[0-0]']);
    expect([rooms.candidates.leftOutCount(MODEL), rooms.candidates.leftOutCount('unknown')]).toEqual([0, 0]);
  });

  it('stay few with thirty overlapping nodes, since paths are not multiplied', () => {
    for (let at = 0; at < 10; at += 1) {
      rooms.join({ wallet: `head${String(at)}`, shard: span(0, 9), numLayers: 30 });
      rooms.join({ wallet: `mid${String(at)}`, shard: span(8, 19) });
      rooms.join({ wallet: `tail${String(at)}`, shard: span(18, 29) });
    }
    expect(signatures()).toHaveLength(8);
  });

  it('are built once an epoch, and anew with every bump', () => {
    const { leaseId } = rooms.join({ wallet: 'a', throughputTps: 10 });
    const built = rooms.candidates.candidates(MODEL);
    rooms.registry.heartbeat(leaseId, { queueDepth: 9, throughputTps: 1 });
    expect(rooms.candidates.candidates(MODEL)).toBe(built);
    rooms.join({ wallet: 'b' });
    expect(signatures()).toHaveLength(2);
    rooms.registry.drain('a:all', null);
    expect(signatures()).toEqual(['b:all[0-0]']);
  });

  it('hold no node that has left, from the moment it left', () => {
    const { leaseId } = rooms.join({ wallet: 'a' });
    rooms.join({ wallet: 'b' });
    expect(signatures()).toHaveLength(2);
    rooms.registry.deregister(leaseId);
    expect(signatures()).toEqual(['b:all[0-0]']);
    rooms.clock.advance(90_000);
    expect(signatures()).toEqual([]);
  });

  it('are built anew for a model that was forgotten and came back to the same epoch', () => {
    rooms.join({ wallet: 'a' });
    expect(signatures()).toEqual(['a:all[0-0]']);
    rooms.clock.advance(90_000);
    rooms.clock.advance(24 * 3_600_000);
    expect(rooms.topology.isKnown(MODEL)).toBe(false);
    rooms.join({ wallet: 'b' });
    expect(rooms.topology.epoch(MODEL)).toBe(1);
    expect(signatures()).toEqual(['b:all[0-0]']);
  });

  it('do not depend on the order in which nodes registered, nor do the eight that are kept', () => {
    const spec = fc.record({
      shard: fc.constantFrom(null, span(0, 5), span(0, 11), span(4, 8), span(6, 11)),
      throughputTps: fc.option(fc.constantFrom(5, 10)),
    });
    const order = fc
      .array(spec, { minLength: 1, maxLength: 14 })
      .map((rows) => rows.map((row, at) => aSpec({ wallet: `w${String(at)}`, numLayers: 12, ...row })))
      .chain((specs) =>
        fc.tuple(
          fc.constant(specs),
          fc.shuffledSubarray(specs, { minLength: specs.length, maxLength: specs.length }),
        ),
      );
    const joined = (specs: readonly NodeSpec[]): Rooms => {
      const mesh = new Rooms();
      for (const each of specs) mesh.registry.register(each);
      return mesh;
    };
    fc.assert(
      fc.property(order, ([specs, others]) => {
        expect(signatures(joined(others))).toEqual(signatures(joined(specs)));
      }),
    );
  });
});

describe('candidates for a retry', () => {
  it('are enumerated without the nodes that were tried, so that others take their place', () => {
    const { node: fast } = rooms.join({
      wallet: 'fast',
      shard: span(20, 39),
      numLayers: 40,
      throughputTps: 9,
    });
    rooms.join({ wallet: 'slow', shard: span(20, 39), throughputTps: 1 });
    const { node: head } = rooms.join({ wallet: 'head', shard: span(0, 19) });
    expect(signatures()).toEqual(['head:0-19[0-19]->fast:20-39[20-39]']);
    const again = rooms.candidates.candidatesWithout(MODEL, new Set([fast]));
    expect(again.map(({ hops }) => hops.map(({ node }) => node.wallet))).toEqual([['head', 'slow']]);
    expect(rooms.candidates.candidatesWithout(MODEL, new Set([head]))).toEqual([]);
    expect(rooms.candidates.candidatesWithout('unknown', new Set())).toEqual([]);
    expect(signatures()).toEqual(['head:0-19[0-19]->fast:20-39[20-39]']);
  });
});

/** Three failures in a row. */
function block(node: MeshNode): void {
  for (let n = 0; n < 3; n += 1) {
    rooms.health.take({ signature: node.nodeId, hops: [{ node }] }).settle({ kind: 'failure', blame: node });
  }
  expect(rooms.health.isBlocked(node)).toBe(true);
}

describe('nodes whose breaker is open', () => {
  const join = (wallet: string, start: number, throughputTps: number): MeshNode =>
    rooms.join({ wallet, shard: span(start, start + 9), numLayers: 20, throughputTps }).node;

  it('are left out while the layers stay covered without them, so that others take their place', () => {
    join('head', 0, 10);
    const fast = join('fast', 10, 90);
    join('slow', 10, 5);
    expect(signatures()).toEqual(['head:0-9[0-9]->fast:10-19[10-19]']);
    block(fast);
    expect(signatures()).toEqual(['head:0-9[0-9]->slow:10-19[10-19]']);
    rooms.clock.advance(15_000);
    expect(signatures()).toEqual(['head:0-9[0-9]->fast:10-19[10-19]']);
    const probe = rooms.health.take(rooms.candidates.candidates(MODEL)[0]!);
    expect(signatures()).toEqual(['head:0-9[0-9]->slow:10-19[10-19]']);
    probe.settle({ kind: 'success' });
    expect(signatures()).toEqual(['head:0-9[0-9]->fast:10-19[10-19]']);
  });

  it('stay in where nobody else serves their layers', () => {
    join('head', 0, 10);
    const tail = join('tail', 10, 10);
    block(tail);
    expect(signatures()).toEqual(['head:0-9[0-9]->tail:10-19[10-19]']);
  });

  it('are left out one by one: that one is needed does not bring back another', () => {
    const head = join('head', 0, 10);
    const fast = join('fast', 10, 90);
    join('slow', 10, 5);
    join('slower', 10, 4);
    block(head);
    block(fast);
    expect(signatures()).toEqual(['head:0-9[0-9]->slow:10-19[10-19]']);
  });

  it('stay in by trust where only some of them are needed', () => {
    const [one, other] = [join('one', 0, 90), join('other', 0, 10)];
    join('tail', 10, 5);
    join('tail2', 10, 4);
    block(one);
    for (let n = 0; n < 9; n += 1) {
      rooms.health.take({ signature: 'other', hops: [{ node: other }] }).settle({ kind: 'success' });
    }
    block(other);
    expect(rooms.health.reputation(other)).toBeGreaterThan(rooms.health.reputation(one));
    expect(signatures()).toEqual(['other:0-9[0-9]->tail:10-19[10-19]']);
  });

  it('are left out of the candidates for a retry as well', () => {
    join('head', 0, 10);
    const [fast, slow] = [join('fast', 10, 90), join('slow', 10, 5)];
    join('slower', 10, 4);
    block(fast);
    const routes = rooms.candidates.candidatesWithout(MODEL, new Set([slow]));
    expect(routes.map(({ hops }) => hops.map(({ node }) => node.wallet))).toEqual([['head', 'slower']]);
  });
});

describe('diverse candidates', () => {
  beforeEach(() => {
    rooms = new Rooms({ routing: { enumeration: 'diverse', maxCandidates: 4 } });
    for (const wallet of ['a', 'b']) join(wallet, 0);
    for (const wallet of ['x', 'y']) join(wallet, 10);
  });

  const join = (wallet: string, start: number): MeshNode =>
    rooms.join({ wallet, shard: span(start, start + 9), numLayers: 20, throughputTps: 10 }).node;
  const pairs = (routes = rooms.candidates.candidates(MODEL)): string[] =>
    routes.map(({ hops }) => hops.map(({ node }) => node.wallet).join('')).sort();

  it('lead through every node, at most as many as the setting says, built once an epoch', () => {
    expect(pairs()).toEqual(['ax', 'ay', 'bx', 'by']);
    expect(rooms.candidates.candidates(MODEL)).toBe(rooms.candidates.candidates(MODEL));
    for (const wallet of ['c', 'd', 'e']) join(wallet, 0);
    expect(pairs()).toHaveLength(4);
  });

  it('drop with the node that leaves, at once even in a storm', () => {
    for (let n = 0; n < 10; n += 1) {
      join('flap', 0);
      rooms.registry.delete('flap:0-9', null);
    }
    pairs();
    rooms.registry.delete('x:10-19', null);
    expect(pairs()).toEqual(['ay', 'by']);
  });

  it('lead through nodes with an open breaker only where nobody else has their layers', () => {
    const [x, y] = rooms.registry.serving(MODEL).slice(2);
    if (x === undefined || y === undefined) throw new Error('no tails');
    block(x);
    expect(pairs()).toEqual(['ay', 'by']);
    block(y);
    expect(pairs().length).toBeGreaterThan(0);
  });

  it('are found anew for a retry, without the nodes that were tried', () => {
    const [a] = rooms.registry.serving(MODEL);
    if (a === undefined) throw new Error('no head');
    expect(pairs([...rooms.candidates.candidatesWithout(MODEL, new Set([a]))])).toEqual(['bx', 'by']);
  });
});

describe('a storm of bumps', () => {
  let build: jest.SpiedFunction<typeof ENUMERATIONS.greedy>;
  beforeEach(() => {
    build = jest.spyOn(ENUMERATIONS as { greedy: typeof ENUMERATIONS.greedy }, 'greedy');
    rooms.join({ wallet: 'steady', throughputTps: 1 });
  });
  afterEach(() => build.mockRestore());

  const flap = (): Registered => rooms.join({ wallet: 'flap', throughputTps: 99 });

  /** Bumps the epoch so often, at once. */
  function storm(bumps: number): void {
    for (let n = 0; n < bumps; n += 2) {
      flap();
      rooms.registry.delete('flap:all', null);
    }
  }

  it('is no storm up to eight in a second: each is built anew', () => {
    rooms.clock.advance(1_000);
    for (let n = 0; n < 4; n += 1) {
      flap();
      expect(signatures()).toEqual(['flap:all[0-0]', 'steady:all[0-0]']);
      rooms.registry.delete('flap:all', null);
      expect(signatures()).toEqual(['steady:all[0-0]']);
    }
    expect(build).toHaveBeenCalledTimes(8);
  });

  it('is built at most once a window, and once more when it is over', () => {
    storm(10);
    signatures();
    build.mockClear();
    for (let ms = 0; ms < 2_000; ms += 50) {
      storm(2);
      signatures();
      rooms.clock.advance(50);
    }
    expect(build.mock.calls.length).toBeLessThanOrEqual(2_000 / rooms.settings.nodes.coalesceMs);
    expect(build.mock.calls.length).toBeGreaterThanOrEqual(4);
    flap();
    rooms.clock.advance(rooms.settings.nodes.coalesceMs);
    expect(signatures()).toEqual(['flap:all[0-0]', 'steady:all[0-0]']);
  });

  it('lets routes through nodes that are gone or drained drop at once', () => {
    storm(10);
    flap();
    rooms.join({ wallet: 'drained', throughputTps: 98 });
    rooms.clock.advance(rooms.settings.nodes.coalesceMs);
    expect(signatures()).toEqual(['flap:all[0-0]', 'drained:all[0-0]', 'steady:all[0-0]']);
    build.mockClear();
    rooms.registry.drain('drained:all', null);
    expect(signatures()).toEqual(['flap:all[0-0]', 'steady:all[0-0]']);
    rooms.registry.delete('flap:all', null);
    expect(signatures()).toEqual(['steady:all[0-0]']);
    expect(build).not.toHaveBeenCalled();
  });

  it('does not keep a model waiting that would have no route without rebuilding', () => {
    storm(10);
    expect(signatures()).toEqual(['steady:all[0-0]']);
    rooms.registry.delete('steady:all', null);
    rooms.join({ wallet: 'new' });
    expect(signatures()).toEqual(['new:all[0-0]']);
  });

  it('is nothing to other models', () => {
    storm(20);
    rooms.join({ wallet: 'a', model: 'other' });
    expect(rooms.candidates.candidates('other')).toHaveLength(1);
    rooms.join({ wallet: 'b', model: 'other' });
    expect(rooms.candidates.candidates('other')).toHaveLength(2);
  });

  it('is not coalesced where the setting says 0', () => {
    rooms = new Rooms({ nodes: { coalesceMs: 0 } });
    rooms.join({ wallet: 'steady', throughputTps: 1 });
    storm(20);
    build.mockClear();
    for (let n = 0; n < 5; n += 1) {
      flap();
      expect(signatures()).toHaveLength(2);
      rooms.registry.delete('flap:all', null);
      expect(signatures()).toHaveLength(1);
    }
    expect(build).toHaveBeenCalledTimes(10);
  });
});

describe('the prior', () => {
  it('is live: load, speed and reputation count at once, without a new epoch', () => {
    const { node, leaseId } = rooms.join({ wallet: 'w', throughputTps: 60 });
    expect(prior()).toBe(60);
    rooms.registry.heartbeat(leaseId, { queueDepth: 2 });
    expect(prior()).toBe(20);
    const route = rooms.candidates.candidates(MODEL)[0];
    if (route === undefined) throw new Error('no route');
    const tickets = [1, 2, 3].map(() => rooms.health.take(route));
    expect(prior()).toBe(15);
    for (const ticket of tickets) ticket.settle({ kind: 'failure', blame: node });
    expect(prior()).toBe(5);
    rooms.registry.heartbeat(leaseId, { queueDepth: 0, throughputTps: 40 });
    expect(prior()).toBe(10);
    expect(rooms.topology.epoch(MODEL)).toBe(1);
  });

  it('takes the median of the known throughputs for one that is not declared', () => {
    rooms.join({ wallet: 'open' });
    expect(prior()).toBe(10);
    const { leaseId } = rooms.join({ wallet: 'a', throughputTps: 30 });
    rooms.join({ wallet: 'b', throughputTps: 50 });
    expect(signatures()).toEqual(['b:all[0-0]', 'open:all[0-0]', 'a:all[0-0]']);
    expect(prior(1)).toBe(40);
    rooms.registry.heartbeat(leaseId, { throughputTps: 70 });
    expect(prior(1)).toBe(60);
  });

  it('shows the load of a shared node in every route through it', () => {
    for (const wallet of ['x', 'y', 'z'])
      rooms.join({ wallet, shard: span(0, 9), numLayers: 20, throughputTps: 50 });
    rooms.join({ wallet: 'shared', shard: span(10, 19), throughputTps: 40 });
    const [first] = rooms.candidates.candidates(MODEL);
    if (first === undefined) throw new Error('no route');
    rooms.health.take(first);
    expect([0, 1, 2].map((at) => prior(at))).toEqual([20, 20, 20]);
  });
});
