import type { LayerSpan } from '../kernel/span.js';
import { NodeFault } from './node-faults.js';

/** One hop of a route as the tracker names it; layers `start_layer..end_layer` are inclusive. */
export interface Hop {
  readonly node_id: string;
  readonly endpoint: string;
  readonly start_layer: number;
  readonly end_layer: number;
}

export const ROUTE_HEADER = 'x-meshnet-route';

/** A route from this node on: it runs `own` and sends the state to the first of `rest`, if there is one. */
export interface Route {
  readonly own: LayerSpan;
  readonly rest: readonly Hop[];
}

/** @throws NodeFault (400) where the header isn't one line of JSON `{"hops":[…]}` with at least one hop */
export function readRouteHeader(header: string): Route {
  let route: unknown;
  try {
    route = JSON.parse(header);
  } catch {
    throw new NodeFault(400, 'invalid_route', `The ${ROUTE_HEADER} header is not JSON.`);
  }
  return readRoute(isRecord(route) ? route.hops : undefined);
}

/** @throws NodeFault (400) where `hops` isn't a list of at least one hop */
export function readRoute(hops: unknown): Route {
  if (!Array.isArray(hops) || !hops.every(isHop)) {
    throw new NodeFault(400, 'invalid_route', 'Each hop needs node_id, endpoint, start_layer and end_layer.');
  }
  const [first, ...rest] = hops;
  if (first === undefined) throw new NodeFault(400, 'invalid_route', 'A route has at least one hop.');
  return { own: { start: first.start_layer, end: first.end_layer }, rest };
}

function isHop(value: unknown): value is Hop {
  if (!isRecord(value)) return false;
  const { node_id: nodeId, endpoint, start_layer: start, end_layer: end } = value;
  return (
    typeof nodeId === 'string' &&
    typeof endpoint === 'string' &&
    URL.canParse(endpoint) &&
    isLayer(start) &&
    isLayer(end) &&
    start <= end
  );
}

function isLayer(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
