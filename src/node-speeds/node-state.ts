import type { ChunkScale } from './chunk-scale.js';
import type { Company, Headcount } from './company.js';
import type { NodeBelief } from './node-belief.js';
import type { HopLoad } from './route-delay.js';

/** One hop of a route, by what the registry says of its node. */
export interface SpeedHop {
  /** The node's identity, the same over re-registrations. */
  readonly nodeKey: string;
  /** Tokens/s for its whole shard as registered, or null. */
  readonly registeredTps: number | null;
  /** What to start from where it registered none. */
  readonly assumedTps: number;
  /** Layers that this hop runs, of those in its shard. */
  readonly layers: number;
  readonly shardLayers: number;
  /** Calls that others counted on the node, where they may know of more. */
  readonly inFlight?: number;
}

/** All that is kept of one node. */
export interface NodeState {
  readonly belief: NodeBelief;
  readonly headcount: Headcount;
  readonly chunkScale: ChunkScale;
  /** Tokens/s that the belief's factors are over. */
  baseTps: number;
}

/** A hop with the seconds a token that its layers take as registered. */
export function loadOf({ belief, baseTps }: NodeState, hop: SpeedHop, company: Company): HopLoad {
  return { belief, secondsPerToken: hop.layers / (hop.shardLayers * baseTps), company };
}
