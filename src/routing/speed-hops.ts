import type { Hop, Route } from '../candidate-enumeration/index.js';
import type { SpeedHop } from '../node-speeds/index.js';
import type { MeshNode } from '../registry/index.js';

/** What of a hop's node may change at any time. */
export interface HopFacts {
  /** Calls of this tracker's that its server holds. */
  readonly inFlightAt: (node: MeshNode) => number;
  readonly assumedTps: () => number;
  /** What a claim counts for at most. */
  readonly mostTps: () => number;
}

/** A route's hops as node-speeds asks for them; they may be kept as long as the route. */
export function speedHops({ hops }: Route, facts: HopFacts): SpeedHop[] {
  return hops.map((hop) => new LiveHop(hop, facts));
}

/**
 * A node may say another speed, or hold another number of calls, at any time. Its queue as it said last is left out: that
 * report is old, most of it are calls of this tracker's, and the rest is learned as a passing slowdown.
 */
class LiveHop implements SpeedHop {
  readonly layers: number;
  readonly shardLayers: number;

  constructor(
    private readonly hop: Hop,
    private readonly facts: HopFacts,
  ) {
    const { node, startLayer, endLayer } = hop;
    this.layers = endLayer - startLayer + 1;
    // A hop ends where its node's shard does; a node without a shard serves all layers from 0 on.
    this.shardLayers = endLayer - (node.shard?.start ?? 0) + 1;
  }

  get nodeKey(): string {
    return this.hop.node.key;
  }

  get registeredTps(): number | null {
    const claimed = this.hop.node.throughputTps;
    return claimed === null ? null : Math.min(claimed, this.facts.mostTps());
  }

  get assumedTps(): number {
    return this.facts.assumedTps();
  }

  get inFlight(): number {
    return this.facts.inFlightAt(this.hop.node);
  }
}
