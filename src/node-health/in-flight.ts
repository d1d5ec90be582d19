import type { MeshNode } from '../registry/index.js';
import type { TicketedRoute } from './outcome.js';

/** Attempts under way, per node, per endpoint (a server may serve several models) and per route. */
export class InFlight {
  private readonly nodes = new WeakMap<MeshNode, number>();
  private readonly endpoints = new Map<string, number>();
  private readonly routes = new Map<string, number>();
  private live = 0;

  /** Counts an attempt in. @returns what counts it out again, to be called once */
  enter(route: TicketedRoute): () => void {
    const nodes = route.hops.map(({ node }) => node);
    // As they are now: a node may move while the attempt is under way.
    const endpoints = nodes.map(({ endpoint }) => endpoint);
    const count = (by: 1 | -1): void => {
      this.live += by;
      add(this.routes, route.signature, by);
      for (const endpoint of endpoints) add(this.endpoints, endpoint, by);
      for (const node of nodes) this.nodes.set(node, this.onNode(node) + by);
    };
    count(1);
    return () => count(-1);
  }

  get total(): number {
    return this.live;
  }

  onNode(node: MeshNode): number {
    return this.nodes.get(node) ?? 0;
  }

  onEndpoint(endpoint: string): number {
    return this.endpoints.get(endpoint) ?? 0;
  }

  onRoute(signature: string): number {
    return this.routes.get(signature) ?? 0;
  }
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
