import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aNode } from '../support/answers.js';
import { extentOf, lanesOf, leastWidthRem, packed, ticksOf } from './map-lanes.js';

function shard(name: string, start: number, end: number) {
  return aNode({ node_id: `${name}:${String(start)}-${String(end)}`, shard_start: start, shard_end: end });
}

describe('the lanes of the layer map', () => {
  it('put what follows on the line of what ends before it, heads first', () => {
    const bars = packed([shard('tail', 22, 39), shard('cpu', 0, 39), shard('gpu', 0, 21)], 40);
    expect(bars.map(({ node, lane }) => [node.node_id, lane])).toEqual([
      ['cpu:0-39', 0],
      ['gpu:0-21', 1],
      ['tail:22-39', 1],
    ]);
    expect([lanesOf(bars), lanesOf([])]).toEqual([2, 0]);
  });

  it('give a node without a shard all layers', () => {
    const [bar] = packed([aNode({ shard_start: null, shard_end: null })], 28);
    expect(bar).toMatchObject({ start: 0, end: 27 });
  });

  it('never overlap, show each node once, and do not depend on the order of nodes', () => {
    const spans = fc.array(fc.tuple(fc.nat(30), fc.nat(9)), { maxLength: 40 });
    fc.assert(
      fc.property(spans, (drawn) => {
        const nodes = drawn.map(([start, more], at) => shard(String(at), start, start + more));
        const bars = packed(nodes, 40);
        expect(new Set(bars.map(({ node }) => node)).size).toBe(nodes.length);
        for (const a of bars) {
          for (const b of bars) {
            if (a !== b && a.lane === b.lane) expect(a.start > b.end || b.start > a.end).toBe(true);
          }
        }
        expect(packed([...nodes].reverse(), 40)).toEqual(bars);
      }),
    );
  });
});

describe('the axis of layers', () => {
  it('places layers in per cent, of all layers or within a shard', () => {
    expect(extentOf(0, 21, 40)).toEqual({ left: '0%', width: '55%' });
    expect(extentOf(22, 39, 40)).toEqual({ left: '55%', width: '45%' });
    expect(extentOf(22, 39, 40, 0)).toEqual({ left: '55%', width: '45%' });
    expect(extentOf(24, 25, 8, 20)).toEqual({ left: '50%', width: '25%' });
  });

  it('names the first and the last layer, and some between', () => {
    expect(ticksOf(1)).toEqual([0]);
    expect(ticksOf(5)).toEqual([0, 1, 2, 3, 4]);
    expect(ticksOf(40)).toEqual([0, 5, 10, 15, 20, 25, 30, 35, 39]);
    expect(ticksOf(28)).toEqual([0, 4, 8, 12, 16, 20, 24, 27]);
    for (const layers of [2, 7, 61, 80, 126, 1000, 5000]) {
      const ticks = ticksOf(layers);
      expect([ticks[0], ticks.at(-1)]).toEqual([0, layers - 1]);
      expect(ticks.length).toBeLessThan(12);
      expect([...ticks].sort((a, b) => a - b)).toEqual(ticks);
    }
  });

  it('is as wide as the shortest shard needs, within reason', () => {
    expect(leastWidthRem(packed([shard('a', 0, 39)], 40), 40)).toBe(7);
    expect(leastWidthRem(packed([shard('a', 0, 9)], 40), 40)).toBe(26);
    expect(leastWidthRem(packed([shard('a', 0, 0)], 80), 80)).toBe(64);
  });
});
