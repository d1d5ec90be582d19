import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aNode, aView, MODEL, span } from '../../test/support/builders.js';
import type { LayerSpan } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';
import type { ModelView, ServingNode } from '../topology/index.js';
import { enumerateDiverse } from './diverse.js';
import { enumerateGreedy } from './greedy.js';
import { declaredLayerSeconds, routeSeconds } from './layer-map.js';
import { routeOf, type Hop, type Route } from './route.js';

const LAYERS = 12;
/** Sums are added up in another order here. */
const HAIR = 1 + 1e-9;

const shardIn: fc.Arbitrary<LayerSpan | null> = fc.option(
  fc.tuple(fc.nat(LAYERS - 1), fc.nat(LAYERS - 1)).map(([a, b]) => span(Math.min(a, b), Math.max(a, b))),
  { freq: 8 },
);

const mesh: fc.Arbitrary<MeshNode[]> = fc
  .array(
    fc.record({
      shard: fc.oneof(
        shardIn,
        fc.nat(LAYERS - 1).map((end) => span(0, end)),
        fc.nat(LAYERS - 1).map((start) => span(start, LAYERS - 1)),
      ),
      throughputTps: fc.option(fc.constantFrom(1, 5, 20, 21, 1e6)),
    }),
    { maxLength: 9 },
  )
  .map((rows) => rows.map((row, at) => aNode({ wallet: `w${String(at)}`, ...row })));
const most = fc.integer({ min: 1, max: 16 });

function secondsIn(view: ModelView): (route: Route) => number {
  const layerSeconds = declaredLayerSeconds(view);
  const servingOf = new Map(view.nodes.map((serving) => [serving.node, serving]));
  return (route) => routeSeconds(route, ({ node }) => layerSeconds(servingOf.get(node)!));
}

/** Every route there is. */
function allRoutes(view: ModelView, next = 0, before: readonly Hop[] = []): Route[] {
  if (next === view.numLayers) return [routeOf(view.model, before)];
  const takes = ({ span: { start, end } }: ServingNode): boolean =>
    next === 0 ? start === 0 : start <= next && next <= end;
  return view.nodes
    .filter(takes)
    .flatMap(({ node, span: { end } }) =>
      allRoutes(view, end + 1, [...before, { node, startLayer: next, endLayer: end }]),
    );
}

/** By head, what the best of its routes takes. */
function bestByHead(view: ModelView): Map<MeshNode, number> {
  const seconds = secondsIn(view);
  const best = new Map<MeshNode, number>();
  for (const route of allRoutes(view)) {
    const head = headOf(route);
    best.set(head, Math.min(best.get(head) ?? Infinity, seconds(route)));
  }
  return best;
}

const headOf = ({ hops }: Route): MeshNode => hops[0]!.node;
const words = (route: Route): string => route.signature.replace(`${MODEL}|`, '');
const signatures = (routes: readonly Route[]): string[] => routes.map(({ signature }) => signature);

/** Heads and tails of 20 layers, by wallet and tokens/s. */
function halves(heads: Record<string, number>, tails: Record<string, number>): ModelView {
  const nodes = (speeds: Record<string, number>, shard: LayerSpan): MeshNode[] =>
    Object.entries(speeds).map(([wallet, throughputTps]) => aNode({ wallet, shard, throughputTps }));
  return aView(20, [...nodes(heads, span(0, 9)), ...nodes(tails, span(10, 19))]);
}

describe('diverse enumeration', () => {
  it('spreads equal routes over all nodes, where greedy sends every head through one tail', () => {
    const view = halves({ a: 20, b: 20, c: 20 }, { x: 20, y: 20, z: 20 });
    const pairs = enumerateDiverse(view, 3).map(({ hops }) => hops.map(({ node }) => node.wallet));
    expect(pairs.map(([head]) => head).sort()).toEqual(['a', 'b', 'c']);
    expect(pairs.map(([, tail]) => tail).sort()).toEqual(['x', 'y', 'z']);
    expect(new Set(enumerateGreedy(view).map(({ hops }) => hops[1]?.node.wallet)).size).toBe(1);
  });

  it('goes on to other pairs of the same nodes when all of them are used', () => {
    const view = halves({ a: 20, b: 20, c: 20 }, { x: 20, y: 20, z: 20 });
    expect(enumerateDiverse(view, 8)).toHaveLength(8);
  });

  it('puts the best first, then what shares little with it', () => {
    const view = halves({ a: 20, b: 19 }, { x: 20, y: 19 });
    expect(enumerateDiverse(view, 2).map(words)).toEqual([
      'a:0-9[0-9]->x:10-19[10-19]',
      'b:0-9[0-9]->y:10-19[10-19]',
    ]);
  });

  it('counts the hops, so that one node is better than two that are hardly faster', () => {
    const whole = aNode({ wallet: 'whole', throughputTps: 10 });
    const shards = [span(0, 9), span(10, 19)].map((shard, at) =>
      aNode({ wallet: `half${String(at)}`, shard, throughputTps: 20.5 }),
    );
    expect(enumerateDiverse(aView(20, [whole, ...shards]), 1).map(words)).toEqual(['whole:all[0-19]']);
  });

  it('enters a node in the middle of its shard, a head too, and starts at layer 0 with heads alone', () => {
    const view = aView(40, [
      aNode({ wallet: 'gpu', shard: span(0, 21), throughputTps: 50 }),
      aNode({ wallet: 'cpu', shard: span(0, 39), throughputTps: 5 }),
      aNode({ wallet: 'late', shard: span(1, 39), throughputTps: 5 }),
    ]);
    expect(enumerateDiverse(view, 12).map(words).sort()).toEqual([
      'cpu:0-39[0-39]',
      'gpu:0-21[0-21]->cpu:0-39[22-39]',
      'gpu:0-21[0-21]->late:1-39[22-39]',
    ]);
  });

  it('takes what it is told of speeds for more than what nodes declare', () => {
    const view = halves({ a: 20, b: 10 }, { x: 20 });
    const learned = ({ node }: ServingNode): number => (node.wallet === 'a' ? 1 : 0.01);
    expect(enumerateDiverse(view, 1, learned).map(words)).toEqual(['b:0-9[0-9]->x:10-19[10-19]']);
  });

  it('is not hidden from other nodes by one that calls itself a million times faster', () => {
    const view = halves({ braggart: 1e9, a: 20, b: 5 }, { boaster: 1e9, y: 20, z: 5 });
    expect(enumerateDiverse(view, 12)).toHaveLength(9);
  });

  it('gives a slow head a route in the place of a fast one’s second, and never in that of the best', () => {
    const tails = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`t${String(at)}`, 400]));
    const view = halves({ fast: 400, slow: 25 }, tails);
    const heads = enumerateDiverse(view, 2).map((route) => headOf(route).wallet);
    expect(heads).toEqual(['fast', 'slow']);
    const alone = enumerateDiverse(view, 1).map((route) => headOf(route).wallet);
    expect(alone).toEqual(['fast']);
  });

  it('has no route without a head or behind a hole', () => {
    const [head, tail] = [
      aNode({ wallet: 'a', shard: span(0, 3) }),
      aNode({ wallet: 'b', shard: span(5, 11) }),
    ];
    for (const nodes of [[head, tail], [tail], [head], []]) {
      expect(enumerateDiverse(aView(LAYERS, nodes), 12)).toEqual([]);
    }
  });

  it('runs every layer exactly once, in order, inside the shards and on no node twice', () => {
    fc.assert(
      fc.property(mesh, most, (nodes, count) => {
        const view = aView(LAYERS, nodes);
        for (const { hops } of enumerateDiverse(view, count)) {
          let next = 0;
          for (const { node, startLayer, endLayer } of hops) {
            const serving = view.nodes.find((candidate) => candidate.node === node);
            expect(startLayer).toBe(next);
            expect(serving?.span.start).toBeLessThanOrEqual(startLayer);
            expect(serving?.span.end).toBe(endLayer);
            next = endLayer + 1;
          }
          expect(next).toBe(LAYERS);
          expect(hops[0]?.node.shard?.start ?? 0).toBe(0);
          expect(new Set(hops.map(({ node }) => node)).size).toBe(hops.length);
        }
      }),
    );
  });

  it('gives different routes, at most as many as wanted, and some wherever there are any', () => {
    fc.assert(
      fc.property(mesh, most, (nodes, count) => {
        const view = aView(LAYERS, nodes);
        const routes = enumerateDiverse(view, count);
        expect(new Set(signatures(routes)).size).toBe(routes.length);
        expect(routes.length).toBeLessThanOrEqual(count);
        expect(routes.length > 0).toBe(allRoutes(view).length > 0);
      }),
    );
  });

  it('has the best of all routes first', () => {
    fc.assert(
      fc.property(mesh, most, (nodes, count) => {
        const view = aView(LAYERS, nodes);
        const [first] = enumerateDiverse(view, count);
        const seconds = secondsIn(view);
        const least = Math.min(...allRoutes(view).map(seconds));
        if (first !== undefined) expect(seconds(first)).toBeLessThanOrEqual(least * HAIR);
      }),
    );
  });

  it('leaves out no head within four times of the best, unless each route has a head of its own', () => {
    fc.assert(
      fc.property(mesh, most, (nodes, count) => {
        const view = aView(LAYERS, nodes);
        const heads = enumerateDiverse(view, count).map(headOf);
        const best = bestByHead(view);
        const least = Math.min(...best.values());
        const reach = [...best].filter(([, seconds]) => seconds * HAIR <= 4 * least);
        const missing = reach.filter(([head]) => !heads.includes(head));
        if (missing.length > 0) expect(new Set(heads).size).toBe(count);
      }),
    );
  });

  it('does not depend on the order in which nodes registered', () => {
    const shuffled = mesh.chain((nodes) =>
      fc.tuple(
        fc.constant(nodes),
        fc.shuffledSubarray(nodes, { minLength: nodes.length, maxLength: nodes.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, most, ([nodes, others], count) => {
        const found = signatures(enumerateDiverse(aView(LAYERS, nodes), count));
        expect(signatures(enumerateDiverse(aView(LAYERS, others), count))).toEqual(found);
      }),
    );
  });
});
