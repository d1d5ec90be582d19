import type { ModelView, ServingNode } from '../topology/index.js';
import { hopText, type Hop, type Route } from './route.js';

/** How a route goes on: a hop, and what follows it (null: nothing, the layers are complete). */
interface Tail {
  readonly hop: Hop;
  readonly rest: Tail | null;
  /** Its part of the signature. */
  readonly text: string;
}

/**
 * One route per head: a node whose shard starts at layer 0 (it has to tokenise and embed). While layers remain,
 * the node that gets furthest takes over, entered at the first layer still missing, wherever its own shard
 * starts (ADR-0021). A head that nobody can complete gives no route. Whoever hands over at one layer goes on the
 * same way, so that way is worked out once: O(n + layers) for n nodes, and then what the routes are long.
 *
 * @returns routes in the order of their heads' node ids, whatever order the nodes registered in
 */
export function enumerateGreedy(view: ModelView): Route[] {
  const tails = tailsOf(view);
  return view.nodes
    .filter(({ span }) => span.start === 0)
    .sort((a, b) => compareText(a.node.nodeId, b.node.nodeId))
    .flatMap((head) => {
      const tail = tails.get(head.span.end + 1);
      return tail === undefined ? [] : [completed(view.model, head, tail)];
    });
}

function completed(model: string, head: ServingNode, tail: Tail | null): Route {
  const first = hopFrom(head, 0);
  const hops = [first];
  for (let next = tail; next !== null; next = next.rest) hops.push(next.hop);
  return { model, signature: `${model}|${hopText(first)}${tail?.text ?? ''}`, hops };
}

/** By each layer at which some node ends: how every route goes on from there. Left out: where none can. */
function tailsOf(view: ModelView): Map<number, Tail | null> {
  const furthest = furthestFrom(view);
  const tails = new Map<number, Tail | null>([[view.numLayers, null]]);
  const handovers = new Set(view.nodes.map(({ span }) => span.end + 1));
  // From the back: what follows a hop is known by then.
  for (const layer of [...handovers].sort((a, b) => b - a)) {
    const taker = furthest[layer];
    const rest = taker === undefined ? undefined : tails.get(taker.span.end + 1);
    if (taker === undefined || rest === undefined) continue;
    const hop = hopFrom(taker, layer);
    // Joined, not added up: many signatures end in this text, which must not be put together anew for each.
    const text = ['->', hopText(hop), rest?.text].join('');
    tails.set(layer, { hop, rest, text });
  }
  return tails;
}

function hopFrom({ node, span }: ServingNode, startLayer: number): Hop {
  return { node, startLayer, endLayer: span.end };
}

/** For each layer the node to hand over to there. */
function furthestFrom(view: ModelView): (ServingNode | undefined)[] {
  const layers = new Array<ServingNode | undefined>(view.numLayers).fill(undefined);
  for (const serving of view.nodes) {
    const { start } = serving.span;
    layers[start] = better(layers[start], serving);
  }
  let best: ServingNode | undefined;
  for (const [layer, starting] of layers.entries()) {
    best = better(best, starting);
    // Of all that start by here it gets furthest: where it has ended already, so have the others.
    layers[layer] = best !== undefined && best.span.end >= layer ? best : undefined;
  }
  return layers;
}

/** The one that gets further, then the faster, then by id. */
function better(a: ServingNode | undefined, b: ServingNode | undefined): ServingNode | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const order =
    b.span.end - a.span.end ||
    (b.node.throughputTps ?? 0) - (a.node.throughputTps ?? 0) ||
    compareText(a.node.nodeId, b.node.nodeId);
  return order <= 0 ? a : b;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
