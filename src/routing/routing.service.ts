import { Inject, Injectable } from '@nestjs/common';
import { CandidatesService, type Route } from '../candidate-enumeration/index.js';
import { ModelNotFoundError, NoRouteError, RNG, type Rng } from '../kernel/index.js';
import { NodeHealthService } from '../node-health/index.js';
import type { CallAsk, CallStart } from '../node-speeds/index.js';
import type { MeshNode } from '../registry/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import { TopologyService, type ModelView } from '../topology/index.js';
import { CandidateStatesService } from './candidate-states.service.js';
import { pinnedRoute } from './pinned-route.js';
import { POLICIES } from './policies.js';
import type { CandidateState, ChoiceMode, Policy, PolicySettings } from './policy.js';
import { allOnBestPrior, byPrior, firstBy } from './ranking.js';

export type RouteMode = ChoiceMode | 'pinned' | 'greedy-fallback';

/** The route of one attempt, and why it was this one. */
export interface Decision {
  readonly model: string;
  readonly route: Route;
  readonly signature: string;
  readonly mode: RouteMode;
  /** With which this route was chosen among its candidates. */
  readonly probability: number;
  /** The model's epoch at the decision; a sample carries it. */
  readonly epoch: number;
  /** The candidates as they stood, by which the choice can be understood later. */
  readonly considered: Considered;
  /** What was asked for, where that was told. */
  readonly ask?: CallStart | null;
}

/** What a choice was made from. A pin leaves nothing to choose. */
export interface Considered {
  /** Those that the policy chose from. */
  readonly eligible: readonly CandidateState[];
  readonly leftOut: readonly LeftOut[];
}

export interface LeftOut {
  readonly state: CandidateState;
  readonly reason: 'breaker_open' | 'full' | 'resting';
}

/** Each route that could serve the call goes through a node that has all it may have. */
export type Full = 'full';

/** Each route that could serve the call goes through a node that asked for rest. */
export class Resting {
  /** @param leastMs until the first of these routes has rested, in ms */
  constructor(readonly leastMs: number) {}
}

/** When trying again makes sense after nobody served some layers: nodes come back by registering. */
const NO_ROUTE_RETRY_SECONDS = 5;

/** No scouting and no comparing: a call that has waited for a slow scout gets the best there is, or nearly. */
const SURELY: PolicySettings = { exploreShare: 0, controlShare: 0, weightAlpha: 16 };

const NOBODY: readonly LeftOut[] = [];
export const NOTHING_CONSIDERED: Considered = { eligible: [], leftOut: NOBODY };

/** Chooses the route of each call. */
@Injectable()
export class RoutingService {
  private readonly policy: Policy;

  constructor(
    @Inject(ROUTING_SETTINGS) private readonly settings: RoutingSettings,
    @Inject(RNG) private readonly rng: Rng,
    private readonly topology: TopologyService,
    private readonly candidates: CandidatesService,
    private readonly states: CandidateStatesService,
    private readonly health: NodeHealthService,
  ) {
    this.policy = POLICIES[settings.policy];
  }

  /**
   * The route for a call's first attempt; 'full', or the rest of the routes, when there is none at the moment.
   *
   * @param pin node ids that the client named, or null to let the policy choose
   * @param ask what is asked for; null: a call as the model's usually are
   * @throws ModelNotFoundError | NoRouteError
   * @throws InvalidRequestError a pin that is no route
   */
  decide(
    model: string,
    pin: readonly string[] | null,
    ask: CallStart | null = null,
  ): Decision | Full | Resting {
    const view = this.topology.view(model);
    if (view === null) throw new ModelNotFoundError(model);
    if (pin !== null) {
      const route = pinnedRoute(view, pin);
      return this.isFull(route) ? 'full' : decisionOf(view, 'pinned', route, 1, NOTHING_CONSIDERED, ask);
    }
    const decision = this.choose(view, this.candidates.candidates(model, view), ask);
    if (decision === null) throw this.noRoute(model);
    return decision;
  }

  /** The route for another attempt, without the nodes that failed this call; null when none is left, or all others rest. */
  decideAgain(
    model: string,
    tried: ReadonlySet<MeshNode>,
    ask: CallStart | null = null,
  ): Decision | Full | null {
    const view = this.topology.view(model);
    if (view === null) return null;
    const choice = this.choose(view, this.candidates.candidatesWithout(model, tried), ask);
    return choice instanceof Resting ? null : choice;
  }

  /**
   * The route that takes over from a scout too slow: one that is proven or well predicted, no scout; null where none has room.
   *
   * @param abandoned signatures of the routes that were too slow for this call
   */
  decideSurely(
    model: string,
    tried: ReadonlySet<MeshNode>,
    abandoned: ReadonlySet<string>,
    ask: CallStart | null = null,
  ): Decision | null {
    const view = this.topology.view(model);
    if (view === null) return null;
    const known =
      tried.size === 0 ? this.candidates.candidates(model) : this.candidates.candidatesWithout(model, tried);
    const routes = known.filter(({ signature }) => !abandoned.has(signature));
    const choice = this.choose(view, routes, ask, { ...SURELY, loadHarm: this.settings.loadHarm });
    if (choice === null || choice === 'full' || choice instanceof Resting) return null;
    return choice.mode === 'exploit' ? choice : null;
  }

  /** Models that a chat can be routed to right now, in the order in which they became known. */
  routableModels(): string[] {
    return this.topology.knownModels().filter((model) => this.isRoutable(model));
  }

  /** Whether the mesh has, or had within a day, a node of this model. */
  knows(model: string): boolean {
    return this.topology.view(model) !== null;
  }

  /** The nodes of a model to which chats may go. */
  nodesOf(model: string): MeshNode[] {
    return this.topology.view(model)?.nodes.map(({ node }) => node) ?? [];
  }

  isRoutable(model: string): boolean {
    return this.candidates.candidates(model).length > 0;
  }

  /** The probability of each of a model's candidates to be the next one chosen; they sum to 1 unless there is none. */
  shares(model: string, routes: readonly Route[]): number[] {
    const open = this.openOf(this.awakeOf(routes));
    const free = open.filter((route) => !this.isFull(route));
    // With all of them full, the next call waits for whichever is free first.
    const eligible = free.length > 0 ? free : open;
    const view = this.topology.view(model);
    const states = this.states.of(model, eligible.length > 0 ? eligible : routes, null, view);
    const shares = eligible.length > 0 ? this.policy.shares(states, this.settings) : allOnBestPrior(states);
    const bySignature = new Map(states.map(({ signature }, at) => [signature, shares[at] ?? 0]));
    return routes.map(({ signature }) => bySignature.get(signature) ?? 0);
  }

  private choose(
    view: ModelView,
    routes: readonly Route[],
    ask: CallStart | null,
    settings: PolicySettings = this.settings,
  ): Decision | Full | Resting | null {
    if (routes.length === 0) return null;
    const awake = this.awakeOf(routes);
    if (awake.length === 0) return new Resting(Math.min(...routes.map((route) => this.restMs(route))));
    const open = this.openOf(awake);
    if (open.length === 0) return this.leastBad(view, routes, awake, ask);
    const free = this.freeOf(open);
    if (free.length === 0) return 'full';
    const eligible = this.states.of(view.model, free, ask, view);
    const { index, mode, probability } = this.policy.choose(eligible, settings, this.rng);
    const route = free[index];
    if (route === undefined) return null;
    const leftOut = this.leftOut(view, routes, free, ask);
    return decisionOf(view, mode, route, probability, { eligible, leftOut }, ask);
  }

  /** Those with no resting node: mostly all, and then the list itself. */
  private awakeOf(routes: readonly Route[]): readonly Route[] {
    for (const route of routes)
      if (this.isResting(route)) return routes.filter((one) => !this.isResting(one));
    return routes;
  }

  /** Those with no blocked node: mostly all, and then the list itself. */
  private openOf(routes: readonly Route[]): readonly Route[] {
    for (const route of routes)
      if (this.isBlocked(route)) return routes.filter((one) => !this.isBlocked(one));
    return routes;
  }

  /** Those with room on each node: mostly all, and then the list itself. */
  private freeOf(routes: readonly Route[]): readonly Route[] {
    for (const route of routes) if (this.isFull(route)) return routes.filter((one) => !this.isFull(one));
    return routes;
  }

  /** Every candidate was removed: better to try than to refuse. */
  private leastBad(
    view: ModelView,
    routes: readonly Route[],
    awake: readonly Route[],
    ask: CallStart | null,
  ): Decision | Full {
    const free = this.freeOf(awake);
    const eligible = this.states.of(view.model, free, ask, view);
    const route = free[firstBy(eligible, byPrior)];
    if (route === undefined) return 'full';
    const leftOut = this.leftOut(view, routes, free, ask);
    return decisionOf(view, 'greedy-fallback', route, 1, { eligible, leftOut }, ask);
  }

  /** How the routes stand that could not be chosen, and why. */
  private leftOut(
    view: ModelView,
    routes: readonly Route[],
    free: readonly Route[],
    ask: CallAsk | null,
  ): readonly LeftOut[] {
    if (routes.length === free.length) return NOBODY;
    const chosenFrom = new Set(free);
    const leftOut = routes.filter((route) => !chosenFrom.has(route));
    const reasons = leftOut.map((route) => this.whyLeftOut(route));
    return this.states
      .of(view.model, leftOut, ask, view)
      .map((state, at) => ({ state, reason: reasons[at] ?? 'full' }));
  }

  private whyLeftOut(route: Route): LeftOut['reason'] {
    if (this.isResting(route)) return 'resting';
    return this.isFull(route) ? 'full' : 'breaker_open';
  }

  private isResting({ hops }: Route): boolean {
    for (const { node } of hops) if (this.health.isResting(node)) return true;
    return false;
  }

  /** Until each of its nodes has rested. */
  private restMs({ hops }: Route): number {
    return hops.reduce((longest, { node }) => Math.max(longest, this.health.restMs(node)), 0);
  }

  private isBlocked({ hops }: Route): boolean {
    for (const { node } of hops) if (this.health.isBlocked(node)) return true;
    return false;
  }

  private isFull({ hops }: Route): boolean {
    for (const { node } of hops) if (this.health.isFull(node)) return true;
    return false;
  }

  private noRoute(model: string): NoRouteError {
    const message = `No route for the model ${JSON.stringify(model)}: ${this.topology.whyNoRoute(model)}.`;
    return new NoRouteError(message, this.topology.gaps(model), NO_ROUTE_RETRY_SECONDS);
  }
}

/** A view is of the model's present epoch. */
function decisionOf(
  { model, epoch }: ModelView,
  mode: RouteMode,
  route: Route,
  probability: number,
  considered: Considered,
  ask: CallStart | null,
): Decision {
  return { model, route, signature: route.signature, mode, probability, epoch, considered, ask };
}
