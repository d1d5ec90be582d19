import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aNode, aView, MODEL, span } from '../../test/support/builders.js';
import type { LayerSpan } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';
import type { ModelView } from '../topology/index.js';
import { enumerateGreedy } from './greedy.js';
import type { Route } from './route.js';

const LAYERS = 12;

const shardIn: fc.Arbitrary<LayerSpan | null> = fc.option(
  fc.tuple(fc.nat(LAYERS - 1), fc.nat(LAYERS - 1)).map(([a, b]) => span(Math.min(a, b), Math.max(a, b))),
  { freq: 8 },
);

/** Any mesh of up to ten nodes, a third of them heads. */
const nodesOf: fc.Arbitrary<MeshNode[]> = fc
  .array(
    fc.record({
      shard: fc.oneof(
        shardIn,
        fc.nat(LAYERS - 1).map((end) => span(0, end)),
      ),
      throughputTps: fc.option(fc.constantFrom(1, 5, 20)),
    }),
    { maxLength: 10 },
  )
  .map((rows) => rows.map((row, at) => aNode({ wallet: `w${String(at)}`, ...row })));

function signatures(view: ModelView): string[] {
  return enumerateGreedy(view).map(({ signature }) => signature);
}

function spansOf(route: Route): [string, number, number][] {
  return route.hops.map(({ node, startLayer, endLayer }) => [node.wallet, startLayer, endLayer]);
}

describe('greedy enumeration', () => {
  it('completes a fast head with the slow node that holds everything, entered where the head ends', () => {
    const gpu = aNode({ wallet: 'gpu', shard: span(0, 21) });
    const cpu = aNode({ wallet: 'cpu', shard: span(0, 39) });
    expect(signatures(aView(40, [gpu, cpu]))).toEqual([
      `${MODEL}|cpu:0-39[0-39]`,
      `${MODEL}|gpu:0-21[0-21]->cpu:0-39[22-39]`,
    ]);
  });

  it('hands over to the node that gets furthest, then the faster, then the first by id', () => {
    const head = aNode({ wallet: 'head', shard: span(0, 3) });
    const near = aNode({ wallet: 'a-near', shard: span(4, 8), throughputTps: 99 });
    const slow = aNode({ wallet: 'a-slow', shard: span(2, 11), throughputTps: 1 });
    const fast = aNode({ wallet: 'c-fast', shard: span(4, 11), throughputTps: 9 });
    const twin = aNode({ wallet: 'b-twin', shard: span(1, 11), throughputTps: 9 });
    const open = aNode({ wallet: 'a-open', shard: span(1, 11) });
    const second = (...nodes: MeshNode[]): string | undefined =>
      enumerateGreedy(aView(LAYERS, [head, ...nodes]))[0]?.hops[1]?.node.wallet;
    expect(second(near, slow)).toBe('a-slow');
    expect(second(slow, fast)).toBe('c-fast');
    expect(second(fast, twin)).toBe('b-twin');
    expect(second(open, slow)).toBe('a-slow');
  });

  it('enters a node in the middle of its shard, never before the layer that is next', () => {
    const view = aView(LAYERS, [
      aNode({ wallet: 'a', shard: span(0, 3) }),
      aNode({ wallet: 'b', shard: span(2, 7) }),
      aNode({ wallet: 'c', shard: span(7, 11) }),
    ]);
    expect(enumerateGreedy(view).map(spansOf)).toEqual([
      [
        ['a', 0, 3],
        ['b', 4, 7],
        ['c', 8, 11],
      ],
    ]);
  });

  it('gives no route to a head that nobody can complete, and none without a head', () => {
    const head = aNode({ wallet: 'a', shard: span(0, 3) });
    const tail = aNode({ wallet: 'b', shard: span(5, 11) });
    expect(signatures(aView(LAYERS, [head, tail]))).toEqual([]);
    expect(signatures(aView(LAYERS, [tail]))).toEqual([]);
    expect(signatures(aView(LAYERS, []))).toEqual([]);
  });

  it('sees a hole in the middle although nodes overlap on both sides of it', () => {
    const view = aView(LAYERS, [
      aNode({ wallet: 'a', shard: span(0, 3) }),
      aNode({ wallet: 'b', shard: span(2, 4) }),
      aNode({ wallet: 'c', shard: span(6, 11) }),
      aNode({ wallet: 'd', shard: span(8, 11) }),
    ]);
    expect(signatures(view)).toEqual([]);
  });

  it('has one route for each head, even where heads share every other node', () => {
    const heads = ['a', 'b', 'c'].map((wallet) => aNode({ wallet, shard: span(0, 3) }));
    const rest = [aNode({ wallet: 'm', shard: span(4, 7) })].concat(
      ['x', 'y', 'z'].map((wallet) => aNode({ wallet, shard: span(8, 11) })),
    );
    const routes = enumerateGreedy(aView(LAYERS, [...rest, ...heads]));
    expect(routes.map(spansOf).map(([head]) => head?.[0])).toEqual(['a', 'b', 'c']);
  });

  it('runs every layer exactly once, in order, on nodes of the view and inside their shards', () => {
    fc.assert(
      fc.property(nodesOf, (nodes) => {
        const view = aView(LAYERS, nodes);
        for (const { hops } of enumerateGreedy(view)) {
          const layers = hops.flatMap(({ startLayer, endLayer }) =>
            Array.from({ length: endLayer - startLayer + 1 }, (_, at) => startLayer + at),
          );
          expect(layers).toEqual(Array.from({ length: LAYERS }, (_, at) => at));
          for (const { node, startLayer, endLayer } of hops) {
            const serving = view.nodes.find((candidate) => candidate.node === node);
            expect(serving?.span.start).toBeLessThanOrEqual(startLayer);
            expect(serving?.span.end).toBe(endLayer);
            expect(startLayer).toBeLessThanOrEqual(endLayer);
          }
        }
      }),
    );
  });

  it('finds a route for a head exactly where the layers behind it are covered', () => {
    fc.assert(
      fc.property(nodesOf, (nodes) => {
        const view = aView(LAYERS, nodes);
        const covered = Array.from({ length: LAYERS }, (_, layer) =>
          view.nodes.some(({ span: { start, end } }) => start <= layer && layer <= end),
        );
        const heads = view.nodes.filter(({ span: { start } }) => start === 0);
        const completable = heads.filter(({ span: { end } }) => covered.slice(end + 1).every(Boolean));
        const routed = enumerateGreedy(view).map(({ hops }) => hops[0]?.node);
        expect(new Set(routed)).toEqual(new Set(completable.map(({ node }) => node)));
        expect(routed).toHaveLength(completable.length);
      }),
    );
  });

  it('takes at each step the furthest, fastest, first node that holds the next layer', () => {
    fc.assert(
      fc.property(nodesOf, (nodes) => {
        const view = aView(LAYERS, nodes);
        for (const { hops } of enumerateGreedy(view)) {
          for (const { node, startLayer } of hops.slice(1)) {
            const [best] = view.nodes
              .filter(({ span: { start, end } }) => start <= startLayer && startLayer <= end)
              .sort(
                (a, b) =>
                  b.span.end - a.span.end ||
                  (b.node.throughputTps ?? 0) - (a.node.throughputTps ?? 0) ||
                  (a.node.nodeId < b.node.nodeId ? -1 : 1),
              );
            expect(node).toBe(best?.node);
          }
        }
      }),
    );
  });

  it('does not depend on the order in which nodes registered', () => {
    const shuffled = nodesOf.chain((nodes) =>
      fc.tuple(
        fc.constant(nodes),
        fc.shuffledSubarray(nodes, { minLength: nodes.length, maxLength: nodes.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([nodes, others]) => {
        expect(signatures(aView(LAYERS, others))).toEqual(signatures(aView(LAYERS, nodes)));
      }),
    );
  });
});
