import { describe, expect, it } from '@jest/globals';
import { aNode, aView, MODEL, span } from '../../test/support/builders.js';
import { InvalidRequestError } from '../kernel/index.js';
import { pinnedRoute } from './index.js';

const VIEW = aView(40, [
  aNode({ wallet: 'gpu', shard: span(0, 21) }),
  aNode({ wallet: 'cpu', shard: span(0, 39) }),
  aNode({ wallet: 'tail', shard: span(22, 39) }),
  aNode({ wallet: 'mid', shard: span(10, 29) }),
  aNode({ wallet: 'plain' }),
]);

function faultOf(...nodeIds: string[]): unknown {
  try {
    return pinnedRoute(VIEW, nodeIds).signature;
  } catch (fault) {
    if (!(fault instanceof InvalidRequestError)) throw fault;
    expect(fault.param).toBe('route');
    return fault.message;
  }
}

describe('a pinned route', () => {
  it('enters each node where the one before ended', () => {
    const { hops, signature } = pinnedRoute(VIEW, ['gpu:0-21', 'mid:10-29', 'cpu:0-39']);
    expect(hops.map(({ startLayer, endLayer }) => [startLayer, endLayer])).toEqual([
      [0, 21],
      [22, 29],
      [30, 39],
    ]);
    expect(signature).toBe(`${MODEL}|gpu:0-21[0-21]->mid:10-29[22-29]->cpu:0-39[30-39]`);
  });

  it('may be one node, sharded or plain', () => {
    expect(faultOf('cpu:0-39')).toBe(`${MODEL}|cpu:0-39[0-39]`);
    expect(faultOf('plain:all')).toBe(`${MODEL}|plain:all[0-39]`);
  });

  it.each([
    [['gone:0-21', 'tail:22-39'], 'route[0] is not a node of this model that takes chats.'],
    [['gpu:0-21', 'gone:1-2'], 'route[1] is not a node of this model that takes chats.'],
    [['__proto__'], 'route[0] is not a node of this model that takes chats.'],
    [['tail:22-39'], 'route[0] cannot be the head: its shard does not start at layer 0.'],
    [['mid:10-29', 'gpu:0-21'], 'route[0] cannot be the head: its shard does not start at layer 0.'],
    [['gpu:0-21', 'gpu:0-21'], 'route[1] does not serve layer 22, the next one.'],
    [['gpu:0-21', 'mid:10-29', 'gpu:0-21'], 'route[2] does not serve layer 30, the next one.'],
    [['cpu:0-39', 'tail:22-39'], 'route[1] comes after the last layer.'],
    [['gpu:0-21'], 'route must go on to layer 39; it ends before layer 22.'],
    [[], 'route must go on to layer 39; it ends before layer 0.'],
  ])('%j is refused, naming the first hop that does not fit', (nodeIds, message) => {
    expect(faultOf(...nodeIds)).toBe(message);
  });

  it('names the gap in front of a hop that starts too late', () => {
    const view = aView(40, [
      aNode({ wallet: 'a', shard: span(0, 9) }),
      aNode({ wallet: 'b', shard: span(11, 39) }),
    ]);
    expect(() => pinnedRoute(view, ['a:0-9', 'b:11-39'])).toThrow(
      'route[1] does not serve layer 10, the next one.',
    );
  });
});
