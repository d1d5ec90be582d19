import { describe, expect, it } from '@jest/globals';
import { aNode } from './example-nodes.js';
import { COLUMNS, inOrder, matching, nextOrder, nodeKey, type Column } from './node-order.js';

const FAST = aNode({ node_id: 'b:0-9', shard_start: 0, shard_end: 9, throughput_tps: 50, breaker: 'open' });
const SLOW = aNode({ node_id: 'a:10-19', shard_start: 10, shard_end: 19, throughput_tps: 5 });
const SILENT = aNode({ node_id: 'c:all', throughput_tps: null, model: 'other', status: 'draining' });
const NODES = [FAST, SLOW, SILENT];
const ids = (nodes: readonly { node_id: string }[]): string[] => nodes.map(({ node_id }) => node_id);
const sorted = (by: Column, isDescending = false): string[] => ids(inOrder(NODES, { by, isDescending }));

describe("the nodes' table", () => {
  it("has the tracker's order until one is chosen", () => {
    expect(inOrder(NODES, null)).toBe(NODES);
  });

  it('sorts by text, number and state', () => {
    expect(sorted('node')).toEqual(['a:10-19', 'b:0-9', 'c:all']);
    expect(sorted('speed')).toEqual(['a:10-19', 'b:0-9', 'c:all']);
    expect(sorted('shard')).toEqual(['c:all', 'b:0-9', 'a:10-19']);
    expect(sorted('breaker')[0]).toBe('b:0-9');
    // As the words stand there: breaker open, draining, ready.
    expect(sorted('status')).toEqual(['b:0-9', 'c:all', 'a:10-19']);
  });

  it('keeps what is unknown last, whichever way', () => {
    expect(sorted('speed', true)).toEqual(['b:0-9', 'a:10-19', 'c:all']);
  });

  it("keeps the tracker's order among equals", () => {
    for (const by of ['reputation', 'queue', 'in_flight', 'last_seen', 'source'] as const) {
      expect(sorted(by)).toEqual(ids(NODES));
      expect(sorted(by, true)).toEqual(ids(NODES));
    }
  });

  it('turns round at the second click and goes back at the third', () => {
    for (const by of COLUMNS) {
      const first = nextOrder(null, by);
      expect(first).toEqual({ by, isDescending: false });
      expect(nextOrder(first, by)).toEqual({ by, isDescending: true });
      expect(nextOrder(nextOrder(first, by), by)).toBeNull();
    }
    expect(nextOrder({ by: 'node', isDescending: true }, 'model')).toEqual({
      by: 'model',
      isDescending: false,
    });
  });

  it('finds nodes by id, model, status, breaker or endpoint', () => {
    expect(ids(matching(NODES, ' A:10 '))).toEqual(['a:10-19']);
    expect(ids(matching(NODES, 'other'))).toEqual(['c:all']);
    expect(ids(matching(NODES, 'draining'))).toEqual(['c:all']);
    expect(ids(matching(NODES, 'breaker open'))).toEqual(['b:0-9']);
    expect(matching(NODES, ' ')).toBe(NODES);
  });

  it('tells apart one node id in two models', () => {
    expect(nodeKey(aNode({ model: 'a' }))).not.toBe(nodeKey(aNode({ model: 'b' })));
  });
});
