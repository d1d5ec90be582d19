import { describe, expect, it } from '@jest/globals';
import { aCandidate, aModel, aNode } from '../support/answers.js';
import { verdictOf } from './verdict.js';

const GPU = aNode({ node_id: 'alice.gpu:0-21', shard_start: 0, shard_end: 21 });
const TAIL = aNode({ node_id: 'carol.tail:22-39', shard_start: 22, shard_end: 39 });
const HOPS = [
  { node_id: 'alice.gpu:0-21', start_layer: 0, end_layer: 21 },
  { node_id: 'carol.tail:22-39', start_layer: 22, end_layer: 39 },
];

describe('why there is no route', () => {
  it('is a gap, named by its layers', () => {
    const model = aModel({ num_layers: 40, gaps: [{ start_layer: 22, end_layer: 39 }] });
    expect(verdictOf(model, [GPU])).toEqual({
      tone: 'bad',
      short: 'no route',
      text: 'No route: nobody serves layers 22–39.',
    });
  });

  it('is a node that would fill the gap but drains', () => {
    const model = aModel({ num_layers: 40, gaps: [{ start_layer: 22, end_layer: 39 }] });
    const nodes = [
      { ...GPU, status: 'draining' as const },
      { ...TAIL, status: 'draining' as const },
    ];
    expect(verdictOf(model, nodes).text).toBe(
      'No route: nobody serves layers 22–39. carol.tail (22–39) would, but is draining.',
    );
    const whole = aNode({ node_id: 'x:all', shard_start: null, shard_end: null, status: 'draining' });
    expect(verdictOf(aModel({ gaps: [{ start_layer: 0, end_layer: 0 }] }), [whole]).text).toBe(
      'No route: nobody serves layer 0. x would, but is draining.',
    );
  });

  it('is for whole servers that none takes chats, without a word of layers', () => {
    const model = aModel({ num_layers: 1, gaps: [{ start_layer: 0, end_layer: 0 }] });
    const whole = aNode({ node_id: 'x:all', shard_start: null, shard_end: null, status: 'draining' });
    const nodes = [whole, { ...whole, node_id: 'y:all' }];
    expect(verdictOf(model, nodes, true).text).toBe(
      'No server of this model takes chats: x and y are draining.',
    );
    expect(verdictOf(model, [], true).text).toBe('No server of this model is here.');
    expect(verdictOf(model, [{ ...whole, status: 'ready' }], true).text).toMatch(/being found anew/);
  });

  it('is that nobody is here, or that the nodes just changed', () => {
    const gap = [{ start_layer: 0, end_layer: 39 }];
    expect(verdictOf(aModel({ gaps: gap }), []).text).toBe('No route: no node of this model is here.');
    expect(verdictOf(aModel(), [GPU]).text).toMatch(/being found anew/);
  });

  it('names a few of many', () => {
    const gaps = [0, 2, 4, 6, 8, 10].map((at) => ({ start_layer: at, end_layer: at }));
    expect(verdictOf(aModel({ gaps }), [GPU]).text).toBe(
      'No route: nobody serves layer 0, layer 2, layer 4 and 3 more.',
    );
  });
});

describe('a model with routes', () => {
  it('is well as long as one of them is sound', () => {
    const cpu = aCandidate({
      signature: 'b',
      hops: [{ node_id: 'bob.cpu:0-39', start_layer: 0, end_layer: 39 }],
    });
    const model = aModel({ candidates: [aCandidate({ hops: HOPS }), cpu] });
    expect(verdictOf(model, [GPU, { ...TAIL, breaker: 'open' }])).toEqual({
      tone: 'good',
      short: '2 routes',
      text: null,
    });
  });

  it('is in danger when each leads over an open breaker', () => {
    const model = aModel({ candidates: [aCandidate({ hops: HOPS })] });
    const verdict = verdictOf(model, [GPU, { ...TAIL, breaker: 'open' }]);
    expect(verdict).toMatchObject({ tone: 'warn', short: '1 route, none sound' });
    expect(verdict.text).toContain('the breaker of carol.tail is open');
  });
});
