import { beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL, span } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import { InvalidRequestError, ModelNotFoundError, NoRouteError } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';

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
        `No route for the model "${MODEL}": nobody serves layers 0-21 (served last by gpu:0-21), ` +
        'layers 31-39 (served by nobody so far).',
      gaps: [span(0, 21), span(31, 39)],
      retryAfterSeconds: 5,
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
