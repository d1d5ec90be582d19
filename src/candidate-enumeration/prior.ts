import type { MeshNode } from '../registry/index.js';
import type { ModelView } from '../topology/index.js';
import type { Route } from './route.js';

/** What a node holds and how far it is trusted, at the moment of asking. */
export interface NodeLoad {
  /** Attempts of this tracker under way on it. */
  readonly inFlight: number;
  /** In (0, 1]. */
  readonly reputation: number;
}

/** Tokens/s of a node that declared none, in a model where no node did. */
const ASSUMED_TPS = 10;

/**
 * `throughput / (1 + queue depth) × reputation`, in tokens/s. The queue is the longer of what the node said
 * last and what this tracker has under way on it: a report is old by up to a heartbeat.
 */
export function effectiveTps(node: MeshNode, load: NodeLoad, assumedTps: number): number {
  const queueDepth = Math.max(node.queueDepth, load.inFlight);
  return ((node.throughputTps ?? assumedTps) / (1 + queueDepth)) * load.reputation;
}

/** A route is as fast as its slowest hop. */
export function priorTps(route: Route, loadOf: (node: MeshNode) => NodeLoad, assumedTps: number): number {
  let slowest = Infinity;
  for (const { node } of route.hops) {
    slowest = Math.min(slowest, effectiveTps(node, loadOf(node), assumedTps));
  }
  return slowest;
}

/** What an undeclared throughput counts as: the median of the model's declared ones. */
export function assumedTpsOf(view: ModelView): number {
  const declared = view.nodes
    .map(({ node }) => node.throughputTps)
    .filter((tps) => tps !== null)
    .sort((a, b) => a - b);
  if (declared.length === 0) return ASSUMED_TPS;
  const middle = declared.slice((declared.length - 1) >> 1, (declared.length >> 1) + 1);
  return middle.reduce((sum, tps) => sum + tps, 0) / middle.length;
}
