import type { MeshNode } from '../registry/index.js';
import type { TicketedRoute } from './outcome.js';

/** How many attempts are under way on something. */
class Count {
  value = 0;
}

/** An attempt on one of its nodes, with what the node was when it was counted in. */
export class Stay {
  readonly incarnation: number;
  /** It is the probe of the node's half-open breaker. */
  isProbe = false;

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
  private readonly endpoints = new Tally();
  private readonly routes = new Tally();
  private live = 0;

  enter(route: TicketedRoute): Passing {
    const { hops, signature } = route;
    let first: Stay | null = null;
    for (let at = hops.length - 1; at >= 0; at -= 1) {
      const hop = hops[at];
      if (hop !== undefined) first = this.stayOn(hop.node, first);
    }
    this.live += 1;
    return new Passing(this, this.routes.enter(signature), first);
  }

  leave({ onRoute, first }: Passing): void {
    this.live -= 1;
    this.routes.leave(onRoute);
    for (let stay = first; stay !== null; stay = stay.next) {
      stay.onNode.value -= 1;
      this.endpoints.leave(stay.onEndpoint);
    }
  }

  get total(): number {
    return this.live;
  }

  onNode(node: MeshNode): number {
    return this.nodes.get(node)?.value ?? 0;
  }

  onEndpoint(endpoint: string): number {
    return this.endpoints.of(endpoint);
  }

  onRoute(signature: string): number {
    return this.routes.of(signature);
  }

  private stayOn(node: MeshNode, next: Stay | null): Stay {
    const onNode = this.countOf(node);
    onNode.value += 1;
    return new Stay(node, onNode, this.endpoints.enter(node.endpoint), next);
  }

  private countOf(node: MeshNode): Count {
    let count = this.nodes.get(node);
    if (count === undefined) this.nodes.set(node, (count = new Count()));
    return count;
  }
}

/** So many names may stand there with nothing under way. */
const MOST_IDLE = 256;

/**
 * Counts by name. One that is back at zero stays for a while: names come again with the next call, and a map that is
 * filled and emptied all the time makes a new table each time that it has run full.
 */
class Tally {
  private readonly counts = new Map<string, Count>();
  private idle = 0;

  enter(name: string): Count {
    let count = this.counts.get(name);
    if (count === undefined) this.counts.set(name, (count = new Count()));
    else if (count.value === 0) this.idle -= 1;
    count.value += 1;
    return count;
  }

  leave(count: Count): void {
    count.value -= 1;
    if (count.value > 0) return;
    this.idle += 1;
    if (this.idle > MOST_IDLE) this.dropIdle();
  }

  of(name: string): number {
    return this.counts.get(name)?.value ?? 0;
  }

  private dropIdle(): void {
    for (const [name, { value }] of this.counts) if (value === 0) this.counts.delete(name);
    this.idle = 0;
  }
}
