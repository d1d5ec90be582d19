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
import { InFlight, type Passing, type Stay } from './in-flight.js';
import {
  afterCompletion,
  afterMiss,
  GAVE_NOTHING,
  isFailing,
  isUnproven,
  withoutMiss,
  type Giving,
} from './giving.js';
import type { Charge, Outcome, Ticket, TicketedRoute } from './outcome.js';
import {
  CLEAN_TRACK,
  reputationOf,
  steadinessOf,
  withFailure,
  withoutFailure,
  withSuccess,
  type Track,
} from './reputation.js';
import { Rests } from './rests.js';

/**
 * What outcomes say of nodes. Everything is kept by the node itself, not by its name, so that it goes with
 * the node, and what an earlier incarnation did is not credited to the present one.
 */
@Injectable()
export class NodeHealthService implements OnModuleDestroy {
  private readonly counts = new InFlight();
  private readonly tracks = new WeakMap<MeshNode, Track>();
  private readonly givings = new WeakMap<MeshNode, Giving>();
  private readonly breakers: Breakers;
  private readonly rests: Rests;
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
    registry.countAttemptsBy({ onEndpoint: (endpoint) => this.counts.onEndpoint(endpoint) });
    this.rests = new Rests(clock, bus);
    bus.on('model.forgotten', ({ model }) => {
      this.breakers.forget(model);
      this.rests.forget(model);
    });
    bus.on('node.left', () => this.rests.endOutdated());
    bus.on('node.registered_again', () => this.rests.endOutdated());
  }

  onModuleDestroy(): void {
    this.breakers.stop();
    this.rests.stop();
  }

  /** Counts an attempt in on the route and on each of its nodes, until its ticket settles. */
  take(route: TicketedRoute): Ticket {
    const passing = this.counts.enter(route);
    for (let stay = passing.first; stay !== null; stay = stay.next) {
      stay.isProbe = this.breakers.enter(stay.node);
      stay.rest = this.rests.of(stay.node);
    }
    return new RouteTicket(this, passing);
  }

  /** An attempt is over, its ticket settled. */
  settle(passing: Passing, outcome: Outcome): void {
    passing.leave();
    for (let stay = passing.first; stay !== null; stay = stay.next) {
      if (stay.isProbe) this.breakers.probeEnded(stay.node);
    }
    if (outcome.kind === 'neutral') return;
    const now = this.clock.now();
    for (let stay = passing.first; stay !== null; stay = stay.next) {
      const { node } = stay;
      // Of one that has left, or registered anew meanwhile, there is nothing to say any more.
      if (!node.present || node.incarnation !== stay.incarnation) continue;
      this.credit(node, outcome, now);
      if (outcome.kind === 'success') this.servedIn(stay);
    }
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
    const track = this.tracks.get(node);
    // What never failed has all the trust there is, however long ago.
    if (track === undefined || track.failed === 0) return 1;
    return reputationOf(track, this.clock.now(), this.halfLifeMs);
  }

  /** What the routes of a node weigh among others, in (0, 1]: a steep function of its recent success share. */
  steadiness(node: MeshNode): number {
    const track = this.tracks.get(node);
    return track === undefined || track.recent === 1 ? 1 : steadinessOf(track);
  }

  /** Whether a node has no recent completion, so that what it refuses or leaves empty needs a second opinion. */
  isUnproven(node: MeshNode): boolean {
    return isUnproven(this.givings.get(node) ?? GAVE_NOTHING, this.clock.now());
  }

  /** Whether a node's last attempts in a row gave no completion. */
  isFailing(node: MeshNode): boolean {
    return isFailing(this.givings.get(node) ?? GAVE_NOTHING);
  }

  /** Whether a node cut answers lately, so that its next one is held until it is whole. */
  isHeld(node: MeshNode): boolean {
    return (this.givings.get(node) ?? GAVE_NOTHING).toHold > 0;
  }

  /** Counts a failure whose attempt was settled as neutral. */
  charge({ node, incarnation }: Charge): void {
    if (node.present && node.incarnation === incarnation) {
      this.credit(node, { kind: 'failure', blame: node }, this.clock.now());
    }
  }

  /** Takes back a failure that was counted. */
  forgive({ node, incarnation }: Charge): void {
    const track = this.tracks.get(node);
    if (track === undefined || !node.present || node.incarnation !== incarnation) return;
    this.tracks.set(node, withoutFailure(track, this.clock.now(), this.halfLifeMs));
    this.givings.set(node, withoutMiss(this.givings.get(node) ?? GAVE_NOTHING));
    this.breakers.forgiven(node);
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

  /**
   * Leaves a node without chats for a while, as it asked, or for longer where it rests already. Breaker and reputation
   * stay as they are. A completed chat that began during the rest ends it.
   */
  rest(node: MeshNode, ms: number): void {
    if (node.present) this.rests.begin(node, ms);
  }

  /** Whether any node of any model rests. */
  get doesAnyRest(): boolean {
    return this.rests.isAny;
  }

  isResting(node: MeshNode): boolean {
    return this.rests.of(node) !== null;
  }

  /** Milliseconds that are left of the node's rest; 0 while it does not rest. */
  restMs(node: MeshNode): number {
    return this.rests.leftMs(node);
  }

  /** Changes whenever a node of the model starts or stops being blocked, or resting. */
  availabilityVersion(model: string): number {
    return this.breakers.version(model) + this.rests.version(model);
  }

  /** A chat from before the rest says nothing of it; one that passed in it shows that it is over. */
  private servedIn({ node, rest }: Stay): void {
    if (rest !== null && rest === this.rests.of(node)) this.rests.end(node);
  }

  private credit(node: MeshNode, outcome: Outcome, now: number): void {
    const isFailure = outcome.kind === 'failure' && outcome.blame === node;
    const isCut = outcome.kind === 'failure' && outcome.isCut === true;
    this.give(node, outcome, isFailure, isCut, now);
    if (outcome.kind !== 'success' && !isFailure) return;
    const track = this.tracks.get(node) ?? CLEAN_TRACK;
    const after = isFailure
      ? withFailure(track, now, this.halfLifeMs)
      : withSuccess(track, now, this.halfLifeMs);
    this.tracks.set(node, after);
    if (isFailure) this.breakers.failed(node);
    else this.breakers.succeeded(node);
  }

  private give(node: MeshNode, outcome: Outcome, isFailure: boolean, isCut: boolean, now: number): void {
    const giving = this.givings.get(node) ?? GAVE_NOTHING;
    if (outcome.kind === 'success') this.givings.set(node, afterCompletion(giving, now));
    else if (isFailure || (outcome.kind === 'nothing' && outcome.by === node)) {
      this.givings.set(node, afterMiss(giving, isCut));
    }
  }
}

class RouteTicket implements Ticket {
  private isSettled = false;

  constructor(
    private readonly health: NodeHealthService,
    private readonly passing: Passing,
  ) {}

  settle(outcome: Outcome): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.health.settle(this.passing, outcome);
  }

  chargeOf(node: MeshNode): Charge {
    for (let stay = this.passing.first; stay !== null; stay = stay.next) {
      if (stay.node === node) return stay;
    }
    return { node, incarnation: node.incarnation };
  }
}
