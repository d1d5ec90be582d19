import { spanLength } from '../kernel/index.js';
import type { ModelView, ServingNode } from '../topology/index.js';
import { assumedTpsOf } from './prior.js';
import { routeOf, type Hop, type Route } from './route.js';

/** Seconds that a node takes for one token on one layer. */
export type LayerSeconds = (serving: ServingNode) => number;

/** Seconds to hand a token to a node, where nobody has measured it. */
const HOP_SECONDS = 0.005;

/** By declared tokens/s, which are for the whole shard; undeclared: the median of the model's. */
export function declaredLayerSeconds(view: ModelView): LayerSeconds {
  const assumedTps = assumedTpsOf(view);
  return ({ node, span }) => 1 / ((node.throughputTps ?? assumedTps) * spanLength(span));
}

/** Seconds that a route takes for one token while nothing else runs on it. */
export function routeSeconds({ hops }: Route, layerSecondsOf: (hop: Hop) => number): number {
  return hops.reduce((sum, hop) => {
    const layers = hop.endLayer - hop.startLayer + 1;
    return sum + hopSeconds(layerSecondsOf(hop), layers);
  }, 0);
}

function hopSeconds(layerSeconds: number, layers: number): number {
  return HOP_SECONDS + layerSeconds * layers;
}

/** A node as the search sees it: an edge from each boundary at which it can be entered to the one where it ends. */
export interface Edges {
  readonly serving: ServingNode;
  readonly layerSeconds: number;
  /** Places in the list of boundaries; the first that is not before the shard, and the shard's end. */
  readonly firstEntry: number;
  readonly exit: number;
}

/** How the cheapest route goes on from each boundary; Infinity where none does. */
export interface WaysOn {
  readonly secondsFrom: Float64Array;
  readonly edgesFrom: readonly (Edges | undefined)[];
}

/**
 * A model's layers as a graph without cycles: where some shard ends is a vertex, since nobody hands over anywhere
 * else, and running the layers from one vertex to the end of one's own shard is an edge. A route is a head and a way
 * on from there to the last layer.
 */
export class LayerMap {
  /** Those whose shard starts at layer 0, by node id. */
  readonly heads: readonly Edges[];
  /** By descending end: how a route goes on behind a node is known when its turn comes. */
  private readonly edges: readonly Edges[];
  /** Ascending layers; the last is the number of layers. */
  private readonly boundaries: readonly number[];

  constructor(
    private readonly view: ModelView,
    layerSecondsOf: LayerSeconds,
  ) {
    const ends = new Set([view.numLayers, ...view.nodes.map(({ span }) => span.end + 1)]);
    this.boundaries = [...ends].sort((a, b) => a - b);
    const placeOf = new Map(this.boundaries.map((boundary, place) => [boundary, place]));
    this.edges = view.nodes
      .map((serving) => ({
        serving,
        layerSeconds: layerSecondsOf(serving),
        firstEntry: firstFrom(this.boundaries, serving.span.start),
        exit: placeOf.get(serving.span.end + 1) ?? 0,
      }))
      .sort((a, b) => b.exit - a.exit || (a.serving.node.nodeId < b.serving.node.nodeId ? -1 : 1));
    this.heads = this.edges.filter(({ serving }) => serving.span.start === 0);
  }

  /** @param dearness what the cost of a node is multiplied by */
  waysOn(dearness: (edges: Edges) => number): WaysOn {
    const secondsFrom = new Float64Array(this.boundaries.length).fill(Infinity);
    const edgesFrom = new Array<Edges | undefined>(this.boundaries.length).fill(undefined);
    secondsFrom[this.boundaries.length - 1] = 0;
    for (const edges of this.edges) {
      const factor = dearness(edges);
      const rest = at(secondsFrom, edges.exit);
      const end = this.boundaries[edges.exit] ?? 0;
      for (let place = edges.firstEntry; place < edges.exit; place += 1) {
        const layers = end - (this.boundaries[place] ?? 0);
        const seconds = rest + factor * hopSeconds(edges.layerSeconds, layers);
        if (seconds >= at(secondsFrom, place)) continue;
        secondsFrom[place] = seconds;
        edgesFrom[place] = edges;
      }
    }
    return { secondsFrom, edgesFrom };
  }

  /** Seconds a token of the cheapest route of a head; Infinity where nobody completes it. */
  secondsBy(head: Edges, ways: WaysOn, dearness: (edges: Edges) => number): number {
    const own = dearness(head) * hopSeconds(head.layerSeconds, this.boundaries[head.exit] ?? 0);
    return own + at(ways.secondsFrom, head.exit);
  }

  /** The nodes of the cheapest route of a head that somebody completes. */
  passedBy(head: Edges, ways: WaysOn): Edges[] {
    const passed = [head];
    for (let next = ways.edgesFrom[head.exit]; next !== undefined; next = ways.edgesFrom[next.exit]) {
      passed.push(next);
    }
    return passed;
  }

  /** The route that runs each layer on the first of these nodes that has not run those before. */
  routeOver(passed: readonly Edges[]): Route {
    let startLayer = 0;
    const hops = passed.map(({ serving: { node, span } }) => {
      const hop = { node, startLayer, endLayer: span.end };
      startLayer = span.end + 1;
      return hop;
    });
    return routeOf(this.view.model, hops);
  }
}

/** Place of the first boundary that is not before a layer. */
function firstFrom(boundaries: readonly number[], layer: number): number {
  let [low, high] = [0, boundaries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((boundaries[middle] ?? Infinity) < layer) low = middle + 1;
    else high = middle;
  }
  return low;
}

function at(seconds: Float64Array, place: number): number {
  return seconds[place] ?? Infinity;
}
