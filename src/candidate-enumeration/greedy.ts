import type { ModelView, ServingNode } from '../topology/index.js';
import { routeOf, type Hop, type Route } from './route.js';

/**
 * One route per head: a node whose shard starts at layer 0 (it has to tokenise and embed). While layers remain,
 * the node that gets furthest takes over, entered at the first layer still missing, wherever its own shard
 * starts (ADR-0021). A head that nobody can complete gives no route. O(n log n + layers) for n nodes.
 *
 * @returns routes in the order of their heads' node ids, whatever order the nodes registered in
 */
export function enumerateGreedy(view: ModelView): Route[] {
  const furthest = furthestFrom(view);
  return view.nodes
    .filter(({ span }) => span.start === 0)
    .sort((a, b) => compareText(a.node.nodeId, b.node.nodeId))
    .map((head) => complete(view, head, furthest))
    .filter((route) => route !== null);
}

function complete(
  view: ModelView,
  head: ServingNode,
  furthest: readonly (ServingNode | undefined)[],
): Route | null {
  const hops: Hop[] = [{ node: head.node, startLayer: 0, endLayer: head.span.end }];
  let next = head.span.end + 1;
  while (next < view.numLayers) {
    const taker = furthest[next];
    if (taker === undefined) return null;
    hops.push({ node: taker.node, startLayer: next, endLayer: taker.span.end });
    next = taker.span.end + 1;
  }
  return routeOf(view.model, hops);
}

/** For each layer the node to hand over to there: the one that gets furthest, then the faster, then by id. */
function furthestFrom(view: ModelView): (ServingNode | undefined)[] {
  const best = new Array<ServingNode | undefined>(view.numLayers).fill(undefined);
  const ranked = [...view.nodes].sort(
    (a, b) =>
      b.span.end - a.span.end ||
      (b.node.throughputTps ?? 0) - (a.node.throughputTps ?? 0) ||
      compareText(a.node.nodeId, b.node.nodeId),
  );
  // Ranked by end, so the layers already taken are those from the lowest start so far up to the top.
  let taken = view.numLayers;
  for (const candidate of ranked) {
    for (let layer = Math.min(candidate.span.end, taken - 1); layer >= candidate.span.start; layer -= 1) {
      best[layer] = candidate;
    }
    taken = Math.min(taken, candidate.span.start);
  }
  return best;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
