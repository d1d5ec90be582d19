import { describe, expect, it } from '@jest/globals';
import { aNode, aView, MODEL, span } from '../../test/support/builders.js';
import { routeOf } from './index.js';
import { assumedTpsOf, effectiveTps, mostTpsOf, priorTps } from './prior.js';

const IDLE = { inFlight: 0, reputation: 1 };

describe('effective throughput', () => {
  it('is throughput / (1 + queue depth) × reputation', () => {
    const node = aNode({ wallet: 'w', throughputTps: 30, queueDepth: 2 });
    expect(effectiveTps(node, IDLE, 0)).toBe(10);
    expect(effectiveTps(node, { inFlight: 0, reputation: 0.5 }, 0)).toBe(5);
  });

  it('counts the longer of the reported queue and what this tracker has under way', () => {
    const node = aNode({ wallet: 'w', throughputTps: 60, queueDepth: 2 });
    expect(effectiveTps(node, { inFlight: 1, reputation: 1 }, 0)).toBe(20);
    expect(effectiveTps(node, { inFlight: 5, reputation: 1 }, 0)).toBe(10);
  });

  it('assumes a throughput where none was declared', () => {
    expect(effectiveTps(aNode({ wallet: 'w' }), IDLE, 12)).toBe(12);
    expect(effectiveTps(aNode({ wallet: 'w', throughputTps: 3 }), IDLE, 12)).toBe(3);
  });
});

describe('the prior of a route', () => {
  it('is that of its slowest hop', () => {
    const gpu = aNode({ wallet: 'gpu', shard: span(0, 21), throughputTps: 60 });
    const cpu = aNode({ wallet: 'cpu', shard: span(0, 39), throughputTps: 8 });
    const hybrid = routeOf(MODEL, [
      { node: gpu, startLayer: 0, endLayer: 21 },
      { node: cpu, startLayer: 22, endLayer: 39 },
    ]);
    expect(priorTps(hybrid, () => IDLE, 0)).toBe(8);
    expect(priorTps(hybrid, (node) => (node === gpu ? { inFlight: 9, reputation: 0.5 } : IDLE), 0)).toBe(3);
  });
});

describe('an undeclared throughput', () => {
  const viewWith = (...declared: (number | null)[]): ReturnType<typeof aView> =>
    aView(
      40,
      declared.map((throughputTps, at) => aNode({ wallet: `w${String(at)}`, throughputTps })),
    );

  it.each([
    [[null, 7], 7],
    [[30, null, 10, 20], 20],
    [[10, 100, 20, 30], 25],
    [[1000, 1], 500.5],
    [[9, 80, 700], 80],
  ])('counts as the median of %j, %d', (declared, median) => {
    expect(assumedTpsOf(viewWith(...declared))).toBe(median);
  });

  it('counts as 10 where no node of the model declared any', () => {
    expect(assumedTpsOf(viewWith(null, null))).toBe(10);
    expect(assumedTpsOf(viewWith())).toBe(10);
  });
});

describe('a claim', () => {
  const mostOf = (...declared: (number | null)[]): number =>
    mostTpsOf(
      aView(
        40,
        declared.map((throughputTps, at) => aNode({ wallet: `w${String(at)}`, throughputTps })),
      ),
    );

  it('counts for 20 times the median of its model’s claims at most', () => {
    expect(mostOf(10, 20, 1e9, null)).toBe(400);
    expect(effectiveTps(aNode({ wallet: 'w', throughputTps: 1e9 }), IDLE, 0, 400)).toBe(400);
    expect(effectiveTps(aNode({ wallet: 'w', throughputTps: 30 }), IDLE, 0, 400)).toBe(30);
  });

  it('is cut by nobody where it is alone or one of two', () => {
    expect(mostOf(1e9)).toBeGreaterThanOrEqual(1e9);
    expect(mostOf(1, 1e9)).toBeGreaterThanOrEqual(1e9);
    expect(mostOf()).toBe(Infinity);
  });
});
