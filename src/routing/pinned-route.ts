import { routeOf, type Hop, type Route } from '../candidate-enumeration/index.js';
import { InvalidRequestError } from '../kernel/index.js';
import type { ModelView } from '../topology/index.js';

/**
 * The route that a client named node by node. Each hop starts where the one before ended, as on any route.
 *
 * @throws InvalidRequestError (param `route`) naming the first hop that doesn't fit
 */
export function pinnedRoute(view: ModelView, nodeIds: readonly string[]): Route {
  const hops: Hop[] = [];
  let next = 0;
  for (const [at, nodeId] of nodeIds.entries()) {
    const refuse = (why: string): InvalidRequestError =>
      new InvalidRequestError(`route[${String(at)}] ${why}.`, 'route');
    const serving = view.nodes.find(({ node }) => node.nodeId === nodeId);
    if (serving === undefined) throw refuse('is not a node of this model that takes chats');
    if (next >= view.numLayers) throw refuse('comes after the last layer');
    const { start, end } = serving.span;
    if (at === 0 && start !== 0) throw refuse('cannot be the head: its shard does not start at layer 0');
    if (start > next || end < next) throw refuse(`does not serve layer ${String(next)}, the next one`);
    hops.push({ node: serving.node, startLayer: next, endLayer: end });
    next = end + 1;
  }
  if (next < view.numLayers) {
    const last = `layer ${String(view.numLayers - 1)}`;
    throw new InvalidRequestError(
      `route must go on to ${last}; it ends before layer ${String(next)}.`,
      'route',
    );
  }
  return routeOf(view.model, hops);
}
