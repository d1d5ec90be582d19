import { describe, expect, it } from '@jest/globals';
import { aNode } from '../support/answers.js';
import { loadText, nodeText, speedText, troubleOf } from './node-words.js';

describe('the words about a node', () => {
  it('tell its speed and load, with its limit if it has one', () => {
    const node = aNode({ throughput_tps: 40, in_flight: 2, max_concurrent: 8 });
    expect([speedText(node), loadText(node)]).toEqual(['says 40.0 tps', '2 of 8']);
    expect([speedText(aNode()), loadText(aNode())]).toEqual(['speed unknown', '0']);
  });

  it('tell its trouble: that it leaves, before that it fails', () => {
    expect(troubleOf(aNode())).toBeNull();
    expect(troubleOf(aNode({ breaker: 'open' }))?.text).toBe('breaker open');
    expect(troubleOf(aNode({ breaker: 'half_open' }))?.text).toBe('half-open');
    expect(troubleOf(aNode({ resting_seconds: 9 }))?.text).toBe('resting');
    expect(troubleOf(aNode({ breaker: 'open', resting_seconds: 9 }))?.text).toBe('breaker open');
    expect(troubleOf(aNode({ breaker: 'open', status: 'draining' }))?.text).toBe('draining');
  });

  it('tell all of it, a fact a line', () => {
    const node = aNode({ node_id: 'a.b:0-3', throughput_tps: 7, queue_depth: 2, status: 'draining' });
    expect(nodeText(node, 0, 3).split('\n')).toEqual([
      'a.b:0-3',
      'layers 0–3',
      'says it makes 7.0 tps',
      '0 in flight, queue 2',
      'breaker closed, reputation 1.00',
      'draining: gets no new chats',
    ]);
  });
});
