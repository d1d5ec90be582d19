import type { Route } from '../candidate-enumeration/index.js';
import { spanLength } from '../kernel/index.js';
import type { SpeedHop } from '../node-speeds/index.js';
import type { MeshNode } from '../registry/index.js';
import type { ModelView } from '../topology/index.js';

/** A route's hops as node-speeds asks for them. */
export function speedHops(
  { hops }: Route,
  view: ModelView,
  inFlightOn: (node: MeshNode) => number,
  assumedTps: number,
): SpeedHop[] {
  return hops.map(({ node, startLayer, endLayer }) => ({
    nodeKey: node.key,
    registeredTps: node.throughputTps,
    assumedTps,
    layers: endLayer - startLayer + 1,
    shardLayers: node.shard === null ? view.numLayers : spanLength(node.shard),
    inFlight: inFlightOn(node),
  }));
}
