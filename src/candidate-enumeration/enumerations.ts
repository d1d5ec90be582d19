import type { RouteEnumeration } from '../kernel/index.js';
import type { ModelView } from '../topology/index.js';
import { enumerateDiverse } from './diverse.js';
import { enumerateGreedy } from './greedy.js';
import { routeOf, type Route } from './route.js';

/**
 * Finds routes of a model: each runs every layer exactly once on nodes of the view. Each node that serves all layers has a
 * route of its own.
 *
 * @param most how many routes of more than one hop are kept; no more of them need be found
 */
export type Enumeration = (view: ModelView, most: number) => Route[];

/** The one list of ways to enumerate. */
export const ENUMERATIONS: Readonly<Record<RouteEnumeration, Enumeration>> = {
  greedy: enumerateGreedy,
  diverse: (view, most) => withOneHopRoutes(view, enumerateDiverse(view, most)),
};

/** A model has at most this many candidates of one hop. */
export const MOST_ONE_HOP_ROUTES = 1000;

/** Candidates, and how many routes were found beyond them. */
export interface Capped {
  readonly routes: readonly Route[];
  readonly leftOut: number;
}

/**
 * Returns the routes with the highest prior; ties: fewer hops, then signature. Servers of the whole model are kept up to
 * {@link MOST_ONE_HOP_ROUTES}: each has slots of its own, which no other candidate stands for.
 *
 * @param most how many routes of more than one hop are kept
 */
export function capByPrior(
  routes: readonly Route[],
  priorOf: (route: Route) => number,
  most: number,
): Capped {
  const room = { one: MOST_ONE_HOP_ROUTES, more: most };
  const kept = routes
    .map((route) => ({ route, prior: priorOf(route) }))
    .sort(
      (a, b) =>
        b.prior - a.prior ||
        a.route.hops.length - b.route.hops.length ||
        (a.route.signature < b.route.signature ? -1 : 1),
    )
    .filter(({ route }) => (route.hops.length === 1 ? (room.one -= 1) : (room.more -= 1)) >= 0)
    .map(({ route }) => route);
  return { routes: kept, leftOut: routes.length - kept.length };
}

/** Adds the routes of nodes that serve all layers, as far as they are missing. */
function withOneHopRoutes({ model, numLayers, nodes }: ModelView, routes: Route[]): Route[] {
  const found = new Set(routes.map(({ signature }) => signature));
  const whole = nodes
    .filter(({ span }) => span.start === 0 && span.end === numLayers - 1)
    .map(({ node }) => routeOf(model, [{ node, startLayer: 0, endLayer: numLayers - 1 }]));
  return [...routes, ...whole.filter(({ signature }) => !found.has(signature))];
}
