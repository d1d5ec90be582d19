import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aNode } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import type { MeshNode } from '../registry/index.js';
import { InFlight, type Passing } from './in-flight.js';
import type { TicketedRoute } from './outcome.js';

const SERVER = 'http://server.test';
const A = aNode({ wallet: 'a', endpoint: SERVER });
const B = aNode({ wallet: 'b', model: 'other', endpoint: SERVER });
const C = aNode({ wallet: 'c' });

function routeOver(...nodes: MeshNode[]): TicketedRoute {
  const signature = nodes.map(({ nodeId }) => nodeId).join('->');
  return { signature, hops: nodes.map((node) => ({ node })) };
}

describe('attempts under way', () => {
  it('are counted per node, per endpoint and per route', () => {
    const counts = new InFlight();
    const leave = [routeOver(A), routeOver(A, C), routeOver(B)].map((route) => counts.enter(route));
    expect(counts.total).toBe(3);
    expect([A, B, C].map((node) => counts.onNode(node))).toEqual([2, 1, 1]);
    expect([SERVER, C.endpoint, 'http://unknown.test'].map((at) => counts.onEndpoint(at))).toEqual([3, 1, 0]);
    expect(['a:all', 'a:all->c:all', 'x'].map((at) => counts.onRoute(at))).toEqual([1, 1, 0]);
    for (const each of leave) each.leave();
    expect(counts.total).toBe(0);
    expect([A, B, C].map((node) => counts.onNode(node))).toEqual([0, 0, 0]);
    expect([counts.onEndpoint(SERVER), counts.onRoute('a:all')]).toEqual([0, 0]);
  });

  it('are counted out where they were counted in, though the node has moved', () => {
    const rooms = new Rooms();
    const { node } = rooms.join({ wallet: 'w', endpoint: 'http://old.test' });
    const counts = new InFlight();
    const passing = counts.enter(routeOver(node));
    rooms.join({ wallet: 'w', endpoint: 'http://new.test' });
    expect(node.endpoint).toBe('http://new.test');
    expect([counts.onEndpoint('http://old.test'), counts.onEndpoint('http://new.test')]).toEqual([1, 0]);
    passing.leave();
    expect([counts.onEndpoint('http://old.test'), counts.onEndpoint('http://new.test')]).toEqual([0, 0]);
  });

  it('are never fewer than none, and none in the end, however they come and go', () => {
    const step = fc.record({ route: fc.constantFrom([A], [B], [A, C], [C, B]), at: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const counts = new InFlight();
        const open: Passing[] = [];
        for (const { route, at } of steps) {
          if (at % 2 === 0) open.push(counts.enter(routeOver(...route)));
          else open.splice(at % (open.length + 1), 1)[0]?.leave();
          for (const node of [A, B, C]) expect(counts.onNode(node)).toBeGreaterThanOrEqual(0);
          expect(counts.onEndpoint(SERVER)).toBe(counts.onNode(A) + counts.onNode(B));
          expect(counts.total).toBe(open.length);
        }
        for (const passing of open) passing.leave();
        expect([counts.total, counts.onEndpoint(SERVER), counts.onEndpoint(C.endpoint)]).toEqual([0, 0, 0]);
      }),
    );
  });
});

describe('a node is full', () => {
  const take = (rooms: Rooms, node: MeshNode): (() => void) => {
    const ticket = rooms.health.take(routeOver(node));
    return () => ticket.settle({ kind: 'neutral' });
  };

  it('with its own max_concurrent under way', () => {
    const rooms = new Rooms();
    const { node } = rooms.join({ wallet: 'w', maxConcurrent: 2 });
    const leave = take(rooms, node);
    expect(rooms.health.isFull(node)).toBe(false);
    take(rooms, node);
    expect(rooms.health.isFull(node)).toBe(true);
    leave();
    expect(rooms.health.isFull(node)).toBe(false);
  });

  it('with as much under way as the tracker allows a node, whatever it says itself', () => {
    const rooms = new Rooms({ serving: { nodeMaxConnections: 1 } });
    const modest = rooms.join({ wallet: 'a' }).node;
    const bold = rooms.join({ wallet: 'b', maxConcurrent: 9 }).node;
    for (const node of [modest, bold]) {
      expect(rooms.health.isFull(node)).toBe(false);
      take(rooms, node);
      expect(rooms.health.isFull(node)).toBe(true);
    }
  });

  it('by what its server does for other models too', () => {
    const rooms = new Rooms();
    const one = rooms.join({ wallet: 'w', model: 'one', endpoint: SERVER, maxConcurrent: 1 }).node;
    const two = rooms.join({ wallet: 'w', model: 'two', endpoint: SERVER, maxConcurrent: 1 }).node;
    const leave = take(rooms, one);
    expect([one, two].map((node) => rooms.health.isFull(node))).toEqual([true, true]);
    leave();
    expect([one, two].map((node) => rooms.health.isFull(node))).toEqual([false, false]);
  });
});
