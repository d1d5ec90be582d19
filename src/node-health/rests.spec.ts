import { beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL, span } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import type { MeshNode } from '../registry/index.js';
import type { Outcome, Ticket } from './index.js';

let rooms: Rooms;
let node: MeshNode;
beforeEach(() => {
  rooms = new Rooms({ nodes: { leaseSeconds: 1e6 } });
  node = rooms.join({ wallet: 'a' }).node;
});

const restMs = (): number => rooms.health.restMs(node);

function take(): Ticket {
  return rooms.health.take({ signature: node.nodeId, hops: [{ node }] });
}

function told(): unknown[] {
  return rooms.events.flatMap(({ type, fact }) =>
    type === 'node.resting' ? [[fact.model, fact.node_id, fact.seconds]] : [],
  );
}

describe("a node's rest", () => {
  it('lasts as long as the node asked for, on the clock of the tracker', () => {
    const timers = rooms.clock.liveTimers;
    rooms.health.rest(node, 60_000);
    expect([restMs(), rooms.health.isResting(node)]).toEqual([60_000, true]);
    rooms.clock.advance(59_999);
    expect([restMs(), rooms.health.isResting(node)]).toEqual([1, true]);
    rooms.clock.advance(1);
    expect([restMs(), rooms.health.isResting(node)]).toEqual([0, false]);
    expect(rooms.clock.liveTimers).toBe(timers);
    expect(told()).toEqual([
      [MODEL, 'a:all', 60],
      [MODEL, 'a:all', 0],
    ]);
  });

  it('gets longer by a later end, never shorter, with one timer', () => {
    const timers = rooms.clock.liveTimers;
    rooms.health.rest(node, 10_000);
    rooms.health.rest(node, 5000);
    expect(restMs()).toBe(10_000);
    rooms.clock.advance(5000);
    rooms.health.rest(node, 10_000);
    expect([restMs(), rooms.clock.liveTimers]).toEqual([10_000, timers + 1]);
    rooms.clock.advance(9999);
    expect(rooms.health.isResting(node)).toBe(true);
    rooms.clock.advance(1);
    expect(rooms.health.isResting(node)).toBe(false);
    expect(told().map((fact) => (fact as unknown[])[2])).toEqual([10, 10, 0]);
  });

  it('tells once of what many responses asked for at nearly the same time', () => {
    for (let answers = 0; answers < 20; answers += 1) {
      rooms.health.rest(node, 60_000);
      rooms.clock.advance(40);
    }
    rooms.clock.advance(59_959);
    expect([rooms.health.isResting(node), told().length]).toEqual([true, 1]);
    rooms.clock.advance(1);
    expect([rooms.health.isResting(node), told().length]).toEqual([false, 2]);
    expect(rooms.health.isResting(node)).toBe(false);
  });

  it('costs neither breaker nor reputation', () => {
    rooms.health.rest(node, 10_000);
    expect([rooms.health.breaker(node).state, rooms.health.reputation(node)]).toEqual(['closed', 1]);
    expect(rooms.health.isBlocked(node)).toBe(false);
  });

  it('ends by a completed chat that began in it, and by no other', () => {
    const before = take();
    rooms.health.rest(node, 60_000);
    before.settle({ kind: 'success' });
    expect(restMs()).toBe(60_000);
    for (const outcome of [{ kind: 'neutral' }, { kind: 'failure', blame: node }] as Outcome[]) {
      take().settle(outcome);
      expect(restMs()).toBe(60_000);
    }
    const during = take();
    rooms.health.rest(node, 70_000);
    during.settle({ kind: 'success' });
    expect(restMs()).toBe(70_000);
    take().settle({ kind: 'success' });
    expect(restMs()).toBe(0);
    expect(told().at(-1)).toEqual([MODEL, 'a:all', 0]);
  });

  it('goes with the registration that asked for it', () => {
    rooms.health.rest(node, 60_000);
    const timers = rooms.clock.liveTimers;
    rooms.join({ wallet: 'a' });
    expect([restMs(), rooms.clock.liveTimers]).toEqual([0, timers - 1]);
    expect(told().at(-1)).toEqual([MODEL, 'a:all', 0]);
    rooms.health.rest(node, 60_000);
    const { node: resharded } = rooms.join({ wallet: 'a', shard: span(0, 9), numLayers: 10 });
    expect([restMs(), rooms.health.restMs(resharded)]).toEqual([0, 0]);
  });

  it('ends when the node leaves, without another event', () => {
    rooms.health.rest(node, 60_000);
    const timers = rooms.clock.liveTimers;
    rooms.registry.delete('a:all', null);
    expect([restMs(), rooms.clock.liveTimers]).toEqual([0, timers - 1]);
    rooms.health.rest(node, 60_000);
    expect(restMs()).toBe(0);
    expect(told()).toEqual([[MODEL, 'a:all', 60]]);
  });

  it('outlasts a drain', () => {
    rooms.health.rest(node, 60_000);
    rooms.registry.drain('a:all', null);
    rooms.registry.resume('a:all', null);
    expect(restMs()).toBe(60_000);
  });

  it('leaves no timer behind when the tracker stops', () => {
    const timers = rooms.clock.liveTimers;
    rooms.health.rest(node, 60_000);
    rooms.health.onModuleDestroy();
    expect(rooms.clock.liveTimers).toBe(timers);
  });

  it('changes the version of its model when it begins and when it ends', () => {
    const before = rooms.health.availabilityVersion(MODEL);
    rooms.health.rest(node, 1000);
    const during = rooms.health.availabilityVersion(MODEL);
    rooms.clock.advance(1000);
    const after = rooms.health.availabilityVersion(MODEL);
    expect(new Set([before, during, after]).size).toBe(3);
    expect(rooms.health.availabilityVersion('other')).toBe(0);
  });
});
