import { beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import type { MeshNode } from '../registry/index.js';
import type { Outcome, Ticket } from './index.js';

let rooms: Rooms;
beforeEach(() => {
  rooms = new Rooms({ nodes: { leaseSeconds: 1e6 } });
});

function join(...wallets: string[]): MeshNode[] {
  return wallets.map((wallet) => rooms.join({ wallet }).node);
}

/** A node with one other, so that it can be spared. */
function spared(): MeshNode {
  const [node] = join('a', 'b');
  if (node === undefined) throw new Error('no node');
  return node;
}

function take(node: MeshNode): Ticket {
  return rooms.health.take({ signature: node.nodeId, hops: [{ node }] });
}

function end(node: MeshNode, kind: Exclude<Outcome['kind'], 'nothing'>): void {
  take(node).settle(kind === 'failure' ? { kind, blame: node } : { kind });
}

function fail(node: MeshNode, times = 3): void {
  for (let n = 0; n < times; n += 1) end(node, 'failure');
}

const state = (node: MeshNode): string => rooms.health.breaker(node).state;

function changes(): unknown[] {
  return rooms.events.flatMap(({ type, fact }) =>
    type === 'breaker.changed' ? [[fact.node_id, fact.from, fact.to]] : [],
  );
}

describe("a node's breaker", () => {
  it('opens by three failures in a row, with no success between them', () => {
    const node = spared();
    fail(node, 2);
    end(node, 'success');
    fail(node, 2);
    expect(state(node)).toBe('closed');
    fail(node, 1);
    expect(state(node)).toBe('open');
    expect(rooms.health.isBlocked(node)).toBe(true);
  });

  it('does not care for what is nobody’s doing, nor for failures of other hops', () => {
    const [a, b] = join('a', 'b') as [MeshNode, MeshNode];
    fail(a, 2);
    end(a, 'neutral');
    const both = { signature: 'a->b', hops: [{ node: a }, { node: b }] };
    rooms.health.take(both).settle({ kind: 'failure', blame: b });
    expect(rooms.health.breaker(a).failuresInRow).toBe(2);
    fail(a, 1);
    expect([state(a), state(b)]).toEqual(['open', 'closed']);
  });

  it('is half-open after 15 s, and after 30 s, 60 s and 120 s when its probes fail', () => {
    const node = spared();
    fail(node);
    for (const seconds of [15, 30, 60, 120, 120]) {
      rooms.clock.advance(seconds * 1000 - 1);
      expect(state(node)).toBe('open');
      rooms.clock.advance(1);
      expect(state(node)).toBe('half_open');
      fail(node, 1);
      expect(state(node)).toBe('open');
    }
  });

  it('half-open lets one call through at a time, whose success closes it', () => {
    const node = spared();
    fail(node);
    rooms.clock.advance(15_000);
    expect(rooms.health.isBlocked(node)).toBe(false);
    const probe = take(node);
    expect(rooms.health.isBlocked(node)).toBe(true);
    const other = take(node);
    other.settle({ kind: 'neutral' });
    expect(rooms.health.isBlocked(node)).toBe(true);
    probe.settle({ kind: 'success' });
    expect([state(node), rooms.health.isBlocked(node)]).toEqual(['closed', false]);
    expect(rooms.health.breaker(node)).toMatchObject({ failuresInRow: 0, openMs: 0 });
  });

  it('lets another probe try where the first said nothing', () => {
    const node = spared();
    fail(node);
    rooms.clock.advance(15_000);
    for (let n = 0; n < 3; n += 1) {
      end(node, 'neutral');
      expect([state(node), rooms.health.isBlocked(node)]).toEqual(['half_open', false]);
    }
    end(node, 'success');
    expect(state(node)).toBe('closed');
  });

  it('lets another probe try where the first was on another registration of the node', () => {
    const node = spared();
    fail(node);
    rooms.clock.advance(15_000);
    const probe = take(node);
    rooms.join({ wallet: 'a' });
    probe.settle({ kind: 'failure', blame: node });
    expect([state(node), rooms.health.isBlocked(node)]).toEqual(['half_open', false]);
  });

  it('closed by a success while it is open, opens for its full time when it opens again', () => {
    const node = spared();
    fail(node);
    rooms.clock.advance(10_000);
    end(node, 'success');
    expect(state(node)).toBe('closed');
    fail(node);
    rooms.clock.advance(14_999);
    expect(state(node)).toBe('open');
    rooms.clock.advance(1);
    expect(state(node)).toBe('half_open');
  });

  it('is the same when the node registers again, and a new one after it left', () => {
    const node = spared();
    fail(node);
    rooms.join({ wallet: 'a' });
    expect(state(node)).toBe('open');
    rooms.registry.delete('a:all', null);
    const { node: back } = rooms.join({ wallet: 'a' });
    expect(state(back)).toBe('closed');
  });
});

describe('of a model’s nodes', () => {
  it('the only one is never shut out', () => {
    const [only] = join('a') as [MeshNode];
    fail(only, 20);
    expect([state(only), rooms.health.isBlocked(only)]).toEqual(['closed', false]);
    expect(changes()).toEqual([]);
  });

  it.each([
    [2, 1],
    [3, 1],
    [4, 2],
    [5, 2],
    [8, 4],
  ])('of %i, %i are shut out at most', (count, most) => {
    const nodes = join(...Array.from({ length: count }, (_, at) => `w${String(at)}`));
    for (const node of nodes) fail(node);
    expect(nodes.filter((node) => rooms.health.isBlocked(node))).toEqual(nodes.slice(0, most));
  });

  it('one more is shut out when another has come back', () => {
    const [a, b] = join('a', 'b') as [MeshNode, MeshNode];
    fail(a);
    fail(b, 5);
    expect([state(a), state(b)]).toEqual(['open', 'closed']);
    end(a, 'success');
    fail(b, 1);
    expect([state(a), state(b)]).toEqual(['closed', 'open']);
  });

  it('those that are drained count for nothing, and other models for nothing either', () => {
    const [a] = join('a', 'b') as [MeshNode];
    rooms.join({ wallet: 'c', model: 'other' });
    rooms.registry.drain('b:all', null);
    fail(a);
    expect(state(a)).toBe('closed');
  });

  it('a probe that fails while the others are out is tried again rather than never', () => {
    const [a, b] = join('a', 'b') as [MeshNode, MeshNode];
    fail(a);
    rooms.clock.advance(15_000);
    fail(b);
    expect([state(a), state(b)]).toEqual(['half_open', 'open']);
    fail(a, 1);
    expect([state(a), rooms.health.isBlocked(a)]).toEqual(['half_open', false]);
  });
});

describe('changes of breakers', () => {
  it('are told on the bus, and bump no epoch', () => {
    const node = spared();
    fail(node);
    fail(node, 1);
    rooms.clock.advance(15_000);
    end(node, 'neutral');
    fail(node, 1);
    rooms.clock.advance(30_000);
    end(node, 'success');
    end(node, 'success');
    expect(changes()).toEqual([
      ['a:all', 'closed', 'open'],
      ['a:all', 'open', 'half_open'],
      ['a:all', 'half_open', 'open'],
      ['a:all', 'open', 'half_open'],
      ['a:all', 'half_open', 'closed'],
    ]);
    expect(rooms.topology.epoch(MODEL)).toBe(2);
  });

  it('change the version whenever the node starts or stops being blocked', () => {
    const node = spared();
    const versions = [rooms.health.availabilityVersion(MODEL)];
    const look = (): number => versions.push(rooms.health.availabilityVersion(MODEL));
    fail(node, 2);
    look();
    fail(node, 1);
    look();
    rooms.clock.advance(15_000);
    look();
    const probe = take(node);
    look();
    probe.settle({ kind: 'success' });
    look();
    expect(versions).toEqual([0, 0, 1, 2, 3, 4]);
    expect(rooms.health.availabilityVersion('other')).toBe(0);
  });

  it('of a node that has left are told to nobody', () => {
    const [a] = join('a', 'b', 'c') as [MeshNode];
    const tickets = [take(a), take(a), take(a)];
    rooms.registry.delete('a:all', null);
    for (const ticket of tickets) ticket.settle({ kind: 'failure', blame: a });
    expect(changes()).toEqual([]);
    expect(rooms.health.availabilityVersion(MODEL)).toBe(0);
  });

  it('leave no timer behind: not of a node that left while it was shut out, nor when the service ends', () => {
    const node = spared();
    const timers = rooms.clock.liveTimers;
    fail(node);
    expect(rooms.clock.liveTimers).toBe(timers + 1);
    rooms.registry.delete('a:all', null);
    rooms.clock.advance(15_000);
    expect(rooms.clock.liveTimers).toBe(timers);
    expect(changes()).toEqual([['a:all', 'closed', 'open']]);

    const [back] = join('a') as [MeshNode];
    fail(back);
    const open = rooms.clock.liveTimers;
    rooms.health.onModuleDestroy();
    expect(rooms.clock.liveTimers).toBe(open - 1);
  });

  it('leave nothing of a model that was forgotten', () => {
    const short = new Rooms();
    rooms = short;
    const node = spared();
    fail(node);
    expect(short.health.availabilityVersion(MODEL)).toBe(1);
    short.clock.advance(90_000);
    short.clock.advance(24 * 3_600_000);
    expect(short.topology.isKnown(MODEL)).toBe(false);
    expect(short.health.availabilityVersion(MODEL)).toBe(0);
  });
});
