import { describe, expect, it } from '@jest/globals';
import { aNode } from './example-nodes.js';
import {
  actionRequest,
  agoText,
  factorText,
  deletingSentence,
  inFlightText,
  shardText,
  stateWord,
} from './node-words.js';

describe("a node's row", () => {
  it('says which layers it serves, and how much of its room is taken', () => {
    expect(shardText(aNode())).toBe('all');
    expect(shardText(aNode({ shard_start: 0, shard_end: 21 }))).toBe('0–21');
    expect(inFlightText(aNode({ in_flight: 2 }))).toBe('2');
    expect(inFlightText(aNode({ in_flight: 2, max_concurrent: 4 }))).toBe('2 / 4');
  });

  it('tells short times short', () => {
    expect([0, 1.4, 1.6, 99, 100, 5000, 7200].map(agoText)).toEqual([
      ...['now', 'now', '2 s', '99 s', '2 min', '83 min', '2 h'],
    ]);
  });

  it('calls no node ready whose breaker keeps chats away', () => {
    const words = [
      aNode(),
      aNode({ breaker: 'open' }),
      aNode({ breaker: 'half_open' }),
      aNode({ status: 'draining', breaker: 'open' }),
      aNode({ probe: 'failed' }),
      aNode({ probe: 'failed', resting_seconds: 42.3 }),
      aNode({ breaker: 'open', resting_seconds: 42.3 }),
    ].map((node) => stateWord(node));
    expect(words.map(({ word }) => word)).toEqual([
      'ready',
      'breaker open',
      'half-open',
      'draining',
      'last probe failed',
      'resting 42 s',
      'breaker open',
    ]);
    expect(words.map(({ tone }) => tone)).toEqual(['good', 'bad', 'warn', 'warn', 'warn', 'warn', 'bad']);
  });

  it('says whether deleting lasts', () => {
    expect(deletingSentence({ source: 'registered' })).toMatch(/comes back when it registers again/);
    expect(deletingSentence({ source: 'nodes_file' })).toMatch(
      /until the nodes file is read again, by a change of it or SIGHUP/,
    );
    expect(deletingSentence({ source: 'flag' })).toMatch(/until the tracker gets SIGHUP or is started anew/);
  });
});

describe("an operator's request", () => {
  it('names node and model, whatever characters they have', () => {
    const node = { node_id: 'w.gpu:0-21', model: 'Qwen/Qwen3 & more' };
    expect(actionRequest('drain', node)).toEqual({
      method: 'POST',
      path: '/v1/nodes/w.gpu%3A0-21/drain?model=Qwen%2FQwen3%20%26%20more',
    });
    expect(actionRequest('delete', node)).toEqual({
      method: 'DELETE',
      path: '/v1/nodes/w.gpu%3A0-21?model=Qwen%2FQwen3%20%26%20more',
    });
  });
});

describe('the learned factor', () => {
  it('says how fast a node is of what it registered, and how surely', () => {
    expect(factorText(aNode({ speed_factor: 0.5, speed_sigma: Math.log(1.25) }))).toBe('0.50 ×÷ 1.25');
    expect(factorText(aNode())).toBe('–');
  });
});
