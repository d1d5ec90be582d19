import type { ModelView } from '../topology/index.js';
import { declaredLayerSeconds, LayerMap, type Edges, type LayerSeconds } from './layer-map.js';
import type { Route } from './route.js';

/** How much dearer every route found makes the nodes it runs on. */
const REUSE_PENALTY = 0.5;
const TRIES_PER_ROUTE = 3;
/** A head whose best route costs at most so many times the best of all is not left out. */
const HEAD_REACH = 4;

/**
 * Few routes that are both fast and different, so that load on one leaves others free. The cheapest route by seconds
 * a token, hops included, is searched again and again while the nodes of those found get dearer by half each time:
 * what shares little comes up by itself. Where a route is found once more, one of its nodes alone is made dearer, each
 * in turn and by ever more: dearer together, equal heads and tails would stay the pairs they are, and a node that
 * calls itself a million times faster would hide all others. A head within four times of the best that has no route
 * yet is then given its best one, in the place of the last found whose head has another.
 *
 * One search takes nodes × ends of shards; there are at most three a route wanted. Rejected: the k cheapest routes,
 * which differ in one hop each and use a third as many nodes.
 *
 * @param most at least 1
 * @returns the best first; whatever order the nodes registered in
 */
export function enumerateDiverse(
  view: ModelView,
  most: number,
  layerSecondsOf: LayerSeconds = declaredLayerSeconds(view),
): Route[] {
  const map = new LayerMap(view, layerSecondsOf);
  const found = search(map, most);
  return withHeads(found, headsWithin(map), most).map((passed) => map.routeOver(passed));
}

/** The nodes of each route in the order in which it passes them. */
type Passed = readonly Edges[];

function search(map: LayerMap, most: number): Passed[] {
  const uses = new Map<Edges, number>();
  const dearness = (edges: Edges): number => 1 + REUSE_PENALTY * (uses.get(edges) ?? 0);
  const found: Passed[] = [];
  for (let tries = most * TRIES_PER_ROUTE; tries > 0 && found.length < most; tries -= 1) {
    const passed = cheapest(map, dearness);
    if (passed === null) break;
    if (found.some((other) => isSame(other, passed))) {
      const [one] = passed.slice(tries % passed.length);
      if (one !== undefined) uses.set(one, 2 * (uses.get(one) ?? 0) + 1);
    } else {
      found.push(passed);
      for (const edges of passed) uses.set(edges, (uses.get(edges) ?? 0) + 1);
    }
  }
  return found;
}

function cheapest(map: LayerMap, dearness: (edges: Edges) => number): Passed | null {
  const ways = map.waysOn(dearness);
  let [best, least]: [Edges | null, number] = [null, Infinity];
  for (const head of map.heads) {
    const seconds = map.secondsBy(head, ways, dearness);
    if (seconds < least) [best, least] = [head, seconds];
  }
  return best === null ? null : map.passedBy(best, ways);
}

/** The best routes of the heads within reach, the cheapest first. */
function headsWithin(map: LayerMap): Passed[] {
  const plain = (): number => 1;
  const ways = map.waysOn(plain);
  const priced = map.heads
    .map((head) => ({ head, seconds: map.secondsBy(head, ways, plain) }))
    .filter(({ seconds }) => seconds < Infinity)
    .sort((a, b) => a.seconds - b.seconds);
  const reach = HEAD_REACH * (priced[0]?.seconds ?? 0);
  return priced.filter(({ seconds }) => seconds <= reach).map(({ head }) => map.passedBy(head, ways));
}

/** Gives heads that have no route theirs, as long as there is room or another's second route to give way. */
function withHeads(found: readonly Passed[], ofHeads: readonly Passed[], most: number): Passed[] {
  const routes = [...found];
  for (const passed of ofHeads) {
    if (routes.some(([head]) => head === passed[0])) continue;
    if (routes.length >= most) {
      const spare = routes.findLastIndex(
        ([head], place) => routes.findIndex(([other]) => other === head) < place,
      );
      if (spare < 0) break;
      routes.splice(spare, 1);
    }
    routes.push(passed);
  }
  return routes;
}

function isSame(a: Passed, b: Passed): boolean {
  return a.length === b.length && a.every((edges, place) => edges === b[place]);
}
