import type { MeshNode } from '../registry/index.js';
import type { TicketedRoute } from './outcome.js';
import type { Rest } from './rests.js';

/** How many attempts are under way on something, which stands under its name as long as there are any. */
class Count {
  value = 0;

  constructor(readonly name: string) {}
}

/** An attempt on one of its nodes, with what the node was when it was counted in. */
export class Stay {
  readonly incarnation: number;
  /** It is the probe of the node's half-open breaker. */
  isProbe = false;
  /** The rest of the node that it began in. */
  rest: Rest | null = null;

  constructor(
    readonly node: MeshNode,
    readonly onNode: Count,
    /** The node may move while the attempt is under way. */
    readonly onEndpoint: Count,
    /** On the next hop; a list without an array, since most routes have one hop. */
    readonly next: Stay | null,
  ) {
    this.incarnation = node.incarnation;
  }
}

/** An attempt that is counted in. */
export class Passing {
  constructor(
    private readonly counts: InFlight,
    readonly onRoute: Count,
    readonly first: Stay | null,
  ) {}

  /** Counts it out again; to be called once. */
  leave(): void {
    this.counts.leave(this);
  }
}

/** Attempts under way, per node, per endpoint (a server may serve several models) and per route. */
export class InFlight {
  private readonly nodes = new WeakMap<MeshNode, Count>();
  private readonly endpoints = new Map<string, Count>();
  private readonly routes = new Map<string, Count>();
  private live = 0;

  enter(route: TicketedRoute): Passing {
    const { hops, signature } = route;
    let first: Stay | null = null;
    for (let at = hops.length - 1; at >= 0; at -= 1) {
      const hop = hops[at];
      if (hop !== undefined) first = this.stayOn(hop.node, first);
    }
    this.live += 1;
    return new Passing(this, entered(this.routes, signature), first);
  }

  leave({ onRoute, first }: Passing): void {
    this.live -= 1;
    left(this.routes, onRoute);
    for (let stay = first; stay !== null; stay = stay.next) {
      stay.onNode.value -= 1;
      left(this.endpoints, stay.onEndpoint);
    }
  }

  get total(): number {
    return this.live;
  }

  onNode(node: MeshNode): number {
    return this.nodes.get(node)?.value ?? 0;
  }

  onEndpoint(endpoint: string): number {
    return this.endpoints.get(endpoint)?.value ?? 0;
  }

  onRoute(signature: string): number {
    return this.routes.get(signature)?.value ?? 0;
  }

  private stayOn(node: MeshNode, next: Stay | null): Stay {
    const onNode = this.countOf(node);
    onNode.value += 1;
    return new Stay(node, onNode, entered(this.endpoints, node.endpoint), next);
  }

  private countOf(node: MeshNode): Count {
    let count = this.nodes.get(node);
    if (count === undefined) this.nodes.set(node, (count = new Count(node.nodeId)));
    return count;
  }
}

function entered(counts: Map<string, Count>, name: string): Count {
  let count = counts.get(name);
  if (count === undefined) counts.set(name, (count = new Count(name)));
  count.value += 1;
  return count;
}

function left(counts: Map<string, Count>, count: Count): void {
  count.value -= 1;
  if (count.value === 0) counts.delete(count.name);
}
