import type { RouteEnumeration } from '../kernel/index.js';
import type { ModelView } from '../topology/index.js';
import { enumerateDiverse } from './diverse.js';
import { enumerateGreedy } from './greedy.js';
import type { Route } from './route.js';

/**
 * Finds routes of a model: each runs every layer exactly once on nodes of the view.
 *
 * @param most how many are kept; one that looks for no more need not find more
 */
export type Enumeration = (view: ModelView, most: number) => Route[];

/** The one list of ways to enumerate. */
export const ENUMERATIONS: Readonly<Record<RouteEnumeration, Enumeration>> = {
  greedy: enumerateGreedy,
  diverse: enumerateDiverse,
};

/** The `most` routes with the highest prior; ties: fewer hops, then signature. */
export function capByPrior(
  routes: readonly Route[],
  priorOf: (route: Route) => number,
  most: number,
): Route[] {
  return routes
    .map((route) => ({ route, prior: priorOf(route) }))
    .sort(
      (a, b) =>
        b.prior - a.prior ||
        a.route.hops.length - b.route.hops.length ||
        (a.route.signature < b.route.signature ? -1 : 1),
    )
    .slice(0, most)
    .map(({ route }) => route);
}
