import { describe, expect, it } from '@jest/globals';
import { aNode, aView, span } from '../../test/support/builders.js';
import { gapsOf, without, withoutSpared, type ModelView } from './model-view.js';

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

describe('a view without some of its nodes', () => {
  const view = aView(20, [
    ...['head1', 'head2'].map((wallet) => aNode({ wallet, shard: span(0, 9) })),
    ...['tail1', 'tail2'].map((wallet) => aNode({ wallet, shard: span(10, 19) })),
  ]);
  const wallets = ({ nodes }: ModelView): string[] => nodes.map(({ node }) => node.wallet);
  const serving = (...named: string[]): ModelView['nodes'] =>
    named.flatMap((wallet) => view.nodes.filter(({ node }) => node.wallet === wallet));

  it('lacks those that are named', () => {
    expect(wallets(without(view, ({ wallet }) => wallet === 'head1'))).toEqual(['head2', 'tail1', 'tail2']);
    expect(without(view, () => false)).toEqual(view);
  });

  it('lacks those that can be spared', () => {
    expect(wallets(withoutSpared(view, []))).toEqual(wallets(view));
    expect(wallets(withoutSpared(view, serving('head1', 'tail2')))).toEqual(['head2', 'tail1']);
  });

  it('keeps the first of those without whom layers would be missing, and no other', () => {
    expect(wallets(withoutSpared(view, serving('tail1', 'head2', 'head1')))).toEqual(['tail2', 'head2']);
    const all = serving('tail2', 'tail1', 'head1', 'head2');
    expect(wallets(withoutSpared(view, all))).toEqual(['tail2', 'head1']);
  });

  it('keeps none in vain where layers are missing anyhow', () => {
    const broken = { ...view, numLayers: 30 };
    expect(wallets(withoutSpared(broken, serving('head1', 'tail1')))).toEqual(['head2', 'tail2']);
  });
});
