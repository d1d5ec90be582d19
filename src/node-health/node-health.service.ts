import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CLOCK, EventBus, type Clock } from '../kernel/index.js';
import { RegistryService, type MeshNode } from '../registry/index.js';
import {
  ROUTING_SETTINGS,
  SERVING_SETTINGS,
  type RoutingSettings,
  type ServingSettings,
} from '../settings/index.js';
import type { Breaker } from './breaker.js';
import { Breakers } from './breakers.js';
import { InFlight } from './in-flight.js';
import type { Outcome, Ticket, TicketedRoute } from './outcome.js';
import { CLEAN_TRACK, reputationOf, withFailure, withSuccess, type Track } from './reputation.js';

/**
 * What outcomes say of nodes. Everything is kept by the node itself, not by its name, so that it goes with
 * the node, and what an earlier incarnation did is not credited to the present one.
 */
@Injectable()
export class NodeHealthService implements OnModuleDestroy {
  private readonly counts = new InFlight();
  private readonly tracks = new WeakMap<MeshNode, Track>();
  private readonly breakers: Breakers;
  private readonly halfLifeMs: number;
  private readonly mostPerNode: number;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ROUTING_SETTINGS) routing: RoutingSettings,
    @Inject(SERVING_SETTINGS) serving: ServingSettings,
    registry: RegistryService,
    bus: EventBus,
  ) {
    this.halfLifeMs = routing.statsHalfLifeSeconds * 1000;
    this.mostPerNode = serving.nodeMaxConnections;
    this.breakers = new Breakers(clock, bus, registry);
    bus.on('model.forgotten', ({ model }) => this.breakers.forget(model));
  }

  onModuleDestroy(): void {
    this.breakers.stop();
  }

  /** Counts an attempt in on the route and on each of its nodes, until its ticket settles. */
  take(route: TicketedRoute): Ticket {
    const leave = this.counts.enter(route);
    const taken = route.hops.map(({ node }) => ({
      node,
      incarnation: node.incarnation,
      isProbe: this.breakers.enter(node),
    }));
    let settled = false;
    return {
      settle: (outcome) => {
        if (settled) return;
        settled = true;
        leave();
        for (const { node, isProbe } of taken) if (isProbe) this.breakers.probeEnded(node);
        for (const { node, incarnation } of taken) {
          // Of one that has left, or registered anew meanwhile, there is nothing to say any more.
          if (node.present && node.incarnation === incarnation) this.credit(node, outcome);
        }
      },
    };
  }

  /** Attempts under way in all. */
  get inFlight(): number {
    return this.counts.total;
  }

  inFlightOn(node: MeshNode): number {
    return this.counts.onNode(node);
  }

  /** The same of whatever model: one server may serve several. */
  inFlightAt({ endpoint }: MeshNode): number {
    return this.counts.onEndpoint(endpoint);
  }

  inFlightOf(signature: string): number {
    return this.counts.onRoute(signature);
  }

  /** Whether the node has all it may have at once: its own `max_concurrent`, or the tracker's limit per node. */
  isFull(node: MeshNode): boolean {
    const most = Math.min(node.maxConcurrent ?? Infinity, this.mostPerNode);
    return this.counts.onEndpoint(node.endpoint) >= most;
  }

  /** In (0, 1]; starts at 1. */
  reputation(node: MeshNode): number {
    return reputationOf(this.tracks.get(node) ?? CLEAN_TRACK, this.clock.now(), this.halfLifeMs);
  }

  breaker(node: MeshNode): Breaker {
    return this.breakers.of(node);
  }

  /** It led a chat back here, which is no fault that its reputation should tell of: its breaker opens, where it can be spared. */
  ledBack(node: MeshNode): void {
    if (node.present) this.breakers.detoured(node);
  }

  /** Whether calls should go elsewhere: its breaker is open, or half-open with its probe under way. */
  isBlocked(node: MeshNode): boolean {
    return this.breakers.isBlocking(node);
  }

  /** Changes whenever a node of the model starts or stops being blocked. */
  breakerVersion(model: string): number {
    return this.breakers.version(model);
  }

  private credit(node: MeshNode, outcome: Outcome): void {
    const isFailure = outcome.kind === 'failure' && outcome.blame === node;
    if (outcome.kind !== 'success' && !isFailure) return;
    const after = isFailure ? withFailure : withSuccess;
    const track = this.tracks.get(node) ?? CLEAN_TRACK;
    this.tracks.set(node, after(track, this.clock.now(), this.halfLifeMs));
    if (isFailure) this.breakers.failed(node);
    else this.breakers.succeeded(node);
  }
}
