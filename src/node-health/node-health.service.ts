import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import type { Outcome, Ticket, TicketedRoute } from './outcome.js';
import { CLEAN_TRACK, reputationOf, withFailure, withSuccess, type Track } from './reputation.js';

/**
 * What outcomes say of nodes. Everything is kept by the node itself, not by its name, so that it goes with
 * the node, and what an earlier incarnation did is not credited to the present one.
 */
@Injectable()
export class NodeHealthService {
  private readonly onNode = new WeakMap<MeshNode, number>();
  private readonly onRoute = new Map<string, number>();
  private readonly tracks = new WeakMap<MeshNode, Track>();
  private readonly halfLifeMs: number;
  private live = 0;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ROUTING_SETTINGS) settings: RoutingSettings,
  ) {
    this.halfLifeMs = settings.statsHalfLifeSeconds * 1000;
  }

  /** Counts an attempt in on the route and on each of its nodes, until its ticket settles. */
  take(route: TicketedRoute): Ticket {
    const incarnations = route.hops.map(({ node }) => node.incarnation);
    this.count(route, 1);
    let settled = false;
    return {
      settle: (outcome) => {
        if (settled) return;
        settled = true;
        this.count(route, -1);
        route.hops.forEach(({ node }, at) => {
          if (node.incarnation === incarnations[at]) this.credit(node, outcome);
        });
      },
    };
  }

  /** Attempts under way in all. */
  get inFlight(): number {
    return this.live;
  }

  inFlightOn(node: MeshNode): number {
    return this.onNode.get(node) ?? 0;
  }

  inFlightOf(signature: string): number {
    return this.onRoute.get(signature) ?? 0;
  }

  /** In (0, 1]; starts at 1. */
  reputation(node: MeshNode): number {
    return reputationOf(this.tracks.get(node) ?? CLEAN_TRACK, this.clock.now(), this.halfLifeMs);
  }

  private count(route: TicketedRoute, by: 1 | -1): void {
    this.live += by;
    for (const { node } of route.hops) this.onNode.set(node, this.inFlightOn(node) + by);
    const ofRoute = this.inFlightOf(route.signature) + by;
    if (ofRoute === 0) this.onRoute.delete(route.signature);
    else this.onRoute.set(route.signature, ofRoute);
  }

  private credit(node: MeshNode, outcome: Outcome): void {
    const isCredited = outcome.kind === 'success' || (outcome.kind === 'failure' && outcome.blame === node);
    if (!isCredited) return;
    const after = outcome.kind === 'success' ? withSuccess : withFailure;
    const track = this.tracks.get(node) ?? CLEAN_TRACK;
    this.tracks.set(node, after(track, this.clock.now(), this.halfLifeMs));
  }
}
