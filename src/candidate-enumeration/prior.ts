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
/** A claim counts for so many times the median of its model's claims at most. */
const MOST_MEDIANS = 20;

/**
 * `throughput / (1 + queue depth) × reputation`, in tokens/s. The queue is the longer of what the node said
 * last and what this tracker has under way on it: a report is old by up to a heartbeat.
 */
export function effectiveTps(node: MeshNode, load: NodeLoad, assumedTps: number, mostTps = Infinity): number {
  const queueDepth = Math.max(node.queueDepth, load.inFlight);
  return (Math.min(node.throughputTps ?? assumedTps, mostTps) / (1 + queueDepth)) * load.reputation;
}

/** A route is as fast as its slowest hop. */
export function priorTps(
  route: Route,
  loadOf: (node: MeshNode) => NodeLoad,
  assumedTps: number,
  mostTps = Infinity,
): number {
  let slowest = Infinity;
  for (const { node } of route.hops) {
    slowest = Math.min(slowest, effectiveTps(node, loadOf(node), assumedTps, mostTps));
  }
  return slowest;
}

/** What an undeclared throughput counts as: the median of the model's declared ones. */
export function assumedTpsOf(view: ModelView): number {
  return medianClaimTps(view) ?? ASSUMED_TPS;
}

/** The median of what nodes declared; null where none did. */
function medianClaimTps({ nodes }: ModelView): number | null {
  let declared: number[] | null = null;
  for (const { node } of nodes) {
    if (node.throughputTps !== null) (declared ??= []).push(node.throughputTps);
  }
  // Asked with each call until somebody declares something: nothing is made for it.
  if (declared === null) return null;
  declared.sort((a, b) => a - b);
  const middle = declared.slice((declared.length - 1) >> 1, (declared.length >> 1) + 1);
  return middle.reduce((sum, tps) => sum + tps, 0) / middle.length;
}

/**
 * What a claim counts for at most: 20 times the median of the model's claims. A single claim is its own median, and
 * of two the median is at least half of the higher, so neither is ever cut: only from three on do others have a say, and
 * whoever registers most of a model's nodes says what its median is. A claim that is believed too much costs no more
 * than a few chats: what is measured takes its place.
 */
export function mostTpsOf(view: ModelView): number {
  const known = ceilings.get(view);
  if (known !== undefined) return known;
  const median = medianClaimTps(view);
  if (median === null) return Infinity;
  ceilings.set(view, MOST_MEDIANS * median);
  return MOST_MEDIANS * median;
}

/** A view is of the nodes as they came and went last; what they claim later by heartbeat raises nobody's ceiling. */
const ceilings = new WeakMap<ModelView, number>();
