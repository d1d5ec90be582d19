import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MODEL, span } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';

let rooms: Rooms;
beforeEach(() => {
  rooms = new Rooms();
});

function epochs(): unknown[] {
  return rooms.events.flatMap(({ type, fact }) =>
    type === 'epoch.bumped' ? [[fact.model, fact.epoch, fact.node_id, fact.cause]] : [],
  );
}

describe("a model's epoch", () => {
  it('is 0 while it is unknown and 1 with its first node', () => {
    expect(rooms.topology.epoch(MODEL)).toBe(0);
    expect(rooms.topology.view(MODEL)).toBeNull();
    expect(rooms.topology.gaps(MODEL)).toEqual([]);
    rooms.join({ wallet: 'w' });
    expect(rooms.topology.epoch(MODEL)).toBe(1);
    expect(rooms.topology.knownModels()).toEqual([MODEL]);
  });

  it('grows by one, at once and on the bus, with each join, leave and shard change', () => {
    rooms.join({ wallet: 'a', shard: span(0, 21), numLayers: 40 });
    rooms.join({ wallet: 'a', shard: span(0, 30) });
    const b = rooms.join({ wallet: 'b' });
    rooms.registry.drain('b:all', null);
    rooms.registry.resume('b:all', null);
    rooms.registry.deregister(b.leaseId);
    rooms.clock.advance(90_000);
    expect(epochs()).toEqual([
      [MODEL, 1, 'a:0-21', 'registered'],
      [MODEL, 2, 'a:0-30', 'resharded'],
      [MODEL, 3, 'b:all', 'registered'],
      [MODEL, 4, 'b:all', 'drained'],
      [MODEL, 5, 'b:all', 'resumed'],
      [MODEL, 6, 'b:all', 'deregistered'],
      [MODEL, 7, 'a:0-30', 'lease_expired'],
    ]);
  });

  it('is its own: what happens to another model leaves it alone', () => {
    rooms.join({ wallet: 'a', model: 'x' });
    rooms.join({ wallet: 'b', model: 'y' });
    rooms.registry.delete('b:all', null);
    expect([rooms.topology.epoch('x'), rooms.topology.epoch('y')]).toEqual([1, 2]);
  });

  it('is already the new one for whoever hears of the bump', () => {
    const heard: [number, number, number][] = [];
    rooms.bus.on('epoch.bumped', ({ epoch, model }) => {
      const view = rooms.topology.view(model);
      heard.push([epoch, rooms.topology.epoch(model), view?.nodes.length ?? -1]);
    });
    rooms.join({ wallet: 'a' });
    rooms.join({ wallet: 'b' });
    rooms.registry.delete('a:all', null);
    expect(heard).toEqual([
      [1, 1, 1],
      [2, 2, 2],
      [3, 3, 1],
    ]);
  });

  it('counts a leave and a join when an endpoint is taken over', () => {
    rooms.join({ wallet: 'a', endpoint: 'http://h' });
    rooms.join({ wallet: 'b', endpoint: 'http://h' });
    expect(rooms.topology.epoch(MODEL)).toBe(3);
  });

  it('never falls, and never moves by load, speed or reputation, in any history', () => {
    const step = fc.record({
      act: fc.constantFrom('join', 'reshard', 'beat', 'leave', 'drain', 'resume', 'fail', 'wait'),
      who: fc.constantFrom('a', 'b', 'c'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const mesh = new Rooms();
        const leases = new Map<string, string>();
        let wide = false;
        for (const { act, who } of steps) {
          const before = mesh.topology.epoch(MODEL);
          const servingBefore = signatureOf(mesh);
          const node = mesh.registry.nodes().find(({ wallet }) => wallet === who);
          if (act === 'join' || act === 'reshard') {
            if (act === 'reshard') wide = !wide;
            leases.set(
              who,
              mesh.join({ wallet: who, shard: span(0, wide ? 39 : 21), numLayers: 40 }).leaseId,
            );
          } else if (act === 'wait') {
            mesh.clock.advance(45_000);
          } else if (node !== undefined) {
            if (act === 'beat') {
              mesh.registry.heartbeat(leases.get(who) ?? '', { queueDepth: 7, throughputTps: 3 });
            }
            if (act === 'leave') mesh.registry.deregister(leases.get(who) ?? '');
            if (act === 'drain') mesh.registry.drain(node.nodeId, null);
            if (act === 'resume') mesh.registry.resume(node.nodeId, null);
            if (act === 'fail') {
              mesh.health.take({ signature: 's', hops: [{ node }] }).settle({ kind: 'failure', blame: node });
            }
          }
          const grown = mesh.topology.epoch(MODEL) - before;
          expect(grown).toBeGreaterThanOrEqual(0);
          expect(grown > 0).toBe(signatureOf(mesh) !== servingBefore);
          if (act !== 'wait') expect(grown).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

function signatureOf(mesh: Rooms): string {
  return mesh.registry
    .serving(MODEL)
    .map(({ nodeId }) => nodeId)
    .sort()
    .join();
}

describe('the gaps of a model', () => {
  it('name who served them last, also after a reshard and a drain', () => {
    rooms.join({ wallet: 'gpu', shard: span(0, 21), numLayers: 40 });
    expect(rooms.topology.gaps(MODEL)).toEqual([{ ...span(22, 39), lastServedBy: null }]);
    rooms.join({ wallet: 'tail', shard: span(22, 39) });
    expect(rooms.topology.gaps(MODEL)).toEqual([]);
    rooms.join({ wallet: 'tail', shard: span(30, 39) });
    rooms.registry.drain('gpu:0-21', null);
    expect(rooms.topology.gaps(MODEL)).toEqual([{ ...span(0, 29), lastServedBy: 'gpu:0-21' }]);
  });

  it('name only who served those very layers, be it a shard or the whole model', () => {
    const head = rooms.join({ wallet: 'head', shard: span(0, 9), numLayers: 40 });
    const tail = rooms.join({ wallet: 'tail', shard: span(20, 39) });
    rooms.join({ wallet: 'mid', shard: span(10, 19) });
    rooms.registry.deregister(head.leaseId);
    rooms.registry.deregister(tail.leaseId);
    expect(rooms.topology.gaps(MODEL)).toEqual([
      { ...span(0, 9), lastServedBy: 'head:0-9' },
      { ...span(20, 39), lastServedBy: 'tail:20-39' },
    ]);
    rooms.registry.deregister(rooms.join({ wallet: 'plain' }).leaseId);
    expect(rooms.topology.gaps(MODEL).map(({ lastServedBy }) => lastServedBy)).toEqual([
      'plain:all',
      'plain:all',
    ]);
  });

  it('are told from the memory of the last 64 departures', () => {
    const leave = (wallet: string, layer: number): void => {
      rooms.registry.deregister(rooms.join({ wallet, shard: span(layer, layer), numLayers: 3 }).leaseId);
    };
    const oldest = (): string | null | undefined => rooms.topology.gaps(MODEL)[0]?.lastServedBy;
    rooms.join({ wallet: 'mid', shard: span(1, 1), numLayers: 3 });
    leave('old', 0);
    for (let at = 0; at < 63; at += 1) leave(`w${String(at)}`, 2);
    expect(oldest()).toBe('old:0-0');
    leave('one-more', 2);
    expect(oldest()).toBeNull();
  });
});

describe('the view of a model', () => {
  it('is built once until something changes', () => {
    rooms.join({ wallet: 'a' });
    const view = rooms.topology.view(MODEL);
    expect(rooms.topology.view(MODEL)).toBe(view);
    rooms.join({ wallet: 'b' });
    expect(rooms.topology.view(MODEL)).not.toBe(view);
  });

  it('leaves out who is drained, at once', () => {
    rooms.join({ wallet: 'a' });
    const { node } = rooms.join({ wallet: 'b' });
    rooms.registry.drain('a:all', null);
    expect(rooms.topology.view(MODEL)?.nodes.map((serving) => serving.node)).toEqual([node]);
  });
});
