import { describe, expect, it } from '@jest/globals';
import { aNode, aView, span } from '../../test/support/builders.js';
import { describeGap } from './index.js';
import { gapsOf } from './model-view.js';

describe('viewOf', () => {
  it('spreads a whole-model node over all layers, and over one where nobody declared any', () => {
    const node = aNode({ wallet: 'w' });
    expect(aView(40, [node])).toMatchObject({ numLayers: 40, nodes: [{ node, span: span(0, 39) }] });
    expect(aView(null, [node])).toMatchObject({ numLayers: 1, nodes: [{ node, span: span(0, 0) }] });
  });

  it('gives a sharded node its shard', () => {
    expect(aView(40, [aNode({ wallet: 'w', shard: span(5, 9) })]).nodes[0]?.span).toEqual(span(5, 9));
  });
});

describe('gapsOf', () => {
  const view = aView(40, [aNode({ wallet: 'mid', shard: span(10, 19) })]);

  it('names of each gap the node that served any of it last', () => {
    expect(
      gapsOf(view, [
        { nodeId: 'old:0-9', shard: span(0, 9) },
        { nodeId: 'tail:39-39', shard: span(39, 39) },
        { nodeId: 'head:0-4', shard: span(0, 4) },
      ]),
    ).toEqual([
      { ...span(0, 9), lastServedBy: 'head:0-4' },
      { ...span(20, 39), lastServedBy: 'tail:39-39' },
    ]);
  });

  it('counts a node of the whole model as one that served every gap', () => {
    expect(gapsOf(view, [{ nodeId: 'w:all', shard: null }])).toEqual([
      { ...span(0, 9), lastServedBy: 'w:all' },
      { ...span(20, 39), lastServedBy: 'w:all' },
    ]);
  });

  it('names nobody where nobody ever served a layer of it', () => {
    expect(gapsOf(view, [{ nodeId: 'x:10-19', shard: span(10, 19) }])).toEqual([
      { ...span(0, 9), lastServedBy: null },
      { ...span(20, 39), lastServedBy: null },
    ]);
  });

  it('finds none where every layer is served', () => {
    expect(gapsOf(aView(40, [aNode({ wallet: 'w' })]), [])).toEqual([]);
  });
});

describe('describeGap', () => {
  it('reads well for one layer and for many, served before or never', () => {
    expect(describeGap({ ...span(0, 21), lastServedBy: 'w.gpu:0-21' })).toBe(
      'layers 0-21 (served last by w.gpu:0-21)',
    );
    expect(describeGap({ ...span(3, 3), lastServedBy: null })).toBe('layer 3 (served by nobody so far)');
  });
});
