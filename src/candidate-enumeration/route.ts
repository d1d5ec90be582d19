import type { MeshNode } from '../registry/index.js';

/** The layers that one node runs of a route; its own shard may start earlier. */
export interface Hop {
  readonly node: MeshNode;
  readonly startLayer: number;
  readonly endLayer: number;
}

/** Nodes in the order in which a chat passes them; together they run each layer once. */
export interface Route {
  readonly model: string;
  /** `model_key|node_id[start-end]->…`: the arm's name. */
  readonly signature: string;
  readonly hops: readonly Hop[];
}

/** A route of these hops, with its signature. */
export function routeOf(model: string, hops: readonly Hop[]): Route {
  return { model, signature: `${model}|${hops.map(hopText).join('->')}`, hops };
}

/** A hop as it stands in a signature. */
export function hopText({ node, startLayer, endLayer }: Hop): string {
  return `${node.nodeId}[${String(startLayer)}-${String(endLayer)}]`;
}
