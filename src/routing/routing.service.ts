import { Inject, Injectable } from '@nestjs/common';
import { CandidatesService, type Route } from '../candidate-enumeration/index.js';
import { ModelNotFoundError, NoRouteError, RNG, type Rng } from '../kernel/index.js';
import { NodeHealthService } from '../node-health/index.js';
import type { CallAsk, CallStart } from '../node-speeds/index.js';
import type { MeshNode } from '../registry/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import { TopologyService, type ModelView } from '../topology/index.js';
import { CandidateStatesService } from './candidate-states.service.js';
import { bestConsidered, NOTHING_CONSIDERED, type Considered, type LeftOut } from './considered.js';
import { pinnedRoute } from './pinned-route.js';
import { POLICIES } from './policies.js';
import type { CandidateState, ChoiceMode, Policy, PolicySettings } from './policy.js';
import { RouteAvailability } from './route-availability.js';
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

/** Records explain a choice by this many candidates, or by as many as the setting lets multi-hop routes be. */
const LEAST_KEPT = 8;

const NO_LEFT_OUT: readonly LeftOut[] = [];
const NONE_LEFT_OUT: OthersConsidered = { leftOut: NO_LEFT_OUT };
const NO_ROUTES: readonly Route[] = [];
const NO_NODES: ReadonlySet<MeshNode> = new Set();

type Choosing = Decision | Full | Resting | null;
type OthersConsidered = Pick<Considered, 'leftOut' | 'moreLeftOut'>;

/** Chooses the route of each call. */
@Injectable()
export class RoutingService {
  private readonly policy: Policy;
  private readonly mostKept: number;
  private readonly nodes: RouteAvailability;

  constructor(
    @Inject(ROUTING_SETTINGS) private readonly settings: RoutingSettings,
    @Inject(RNG) private readonly rng: Rng,
    private readonly topology: TopologyService,
    private readonly candidates: CandidatesService,
    private readonly states: CandidateStatesService,
    private readonly health: NodeHealthService,
  ) {
    this.nodes = new RouteAvailability(health);
    this.policy = POLICIES[settings.policy];
    this.mostKept = Math.max(LEAST_KEPT, settings.maxCandidates);
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
      return this.nodes.isFull(route)
        ? 'full'
        : decisionOf(view, 'pinned', route, 1, NOTHING_CONSIDERED, ask);
    }
    const choice = this.chooseOrPass(view, this.candidates.candidates(model, view), NO_NODES, ask);
    if (choice === null) throw this.noRoute(model);
    return choice;
  }

  /** The route for another attempt, without the nodes that failed this call; null when none is left, or all others rest. */
  decideAgain(
    model: string,
    tried: ReadonlySet<MeshNode>,
    ask: CallStart | null = null,
  ): Decision | Full | null {
    const view = this.topology.view(model);
    if (view === null) return null;
    const routes = this.candidates.candidatesWithout(model, tried);
    const choice = this.chooseOrPass(view, routes, tried, ask);
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
    const open = this.nodes.openOf(this.nodes.awakeOf(routes));
    const free = open.filter((route) => !this.nodes.isFull(route));
    // With all of them full, the next call waits for whichever is free first.
    const eligible = free.length > 0 ? free : open;
    const view = this.topology.view(model);
    const states = this.states.of(model, eligible.length > 0 ? eligible : routes, null, view);
    const shares = eligible.length > 0 ? this.policy.shares(states, this.settings) : allOnBestPrior(states);
    const bySignature = new Map(states.map(({ signature }, at) => [signature, shares[at] ?? 0]));
    return routes.map(({ signature }) => bySignature.get(signature) ?? 0);
  }

  /** Where all candidates are full, routes past the full nodes are tried: enumeration finds one way on from each head. */
  private chooseOrPass(
    view: ModelView,
    routes: readonly Route[],
    tried: ReadonlySet<MeshNode>,
    ask: CallStart | null,
  ): Choosing {
    const choice = this.choose(view, routes, ask);
    if (choice !== 'full') return choice;
    const avoided = new Set(tried);
    for (const { node } of view.nodes) if (this.health.isFull(node)) avoided.add(node);
    const others = this.candidates.candidatesWithout(view.model, avoided);
    const another = this.choose(view, others, ask, this.settings, routes);
    if (another === null || another instanceof Resting || another === 'full') return 'full';
    // A node that is only full serves sooner than one that fails.
    return another.mode === 'greedy-fallback' ? 'full' : another;
  }

  /** @param passedOver routes that were full, which the record names too */
  private choose(
    view: ModelView,
    routes: readonly Route[],
    ask: CallStart | null,
    settings: PolicySettings = this.settings,
    passedOver: readonly Route[] = NO_ROUTES,
  ): Choosing {
    if (routes.length === 0) return null;
    const awake = this.nodes.awakeOf(routes);
    if (awake.length === 0) return new Resting(Math.min(...routes.map((route) => this.nodes.restMs(route))));
    const open = this.nodes.openOf(awake);
    if (open.length === 0) return this.leastBad(view, routes, awake, ask);
    const free = this.nodes.freeOf(open);
    if (free.length === 0) return 'full';
    const states = this.states.of(view.model, free, ask, view);
    const { index, mode, probability } = this.policy.choose(states, settings, this.rng);
    const route = free[index];
    if (route === undefined) return null;
    const all = passedOver.length === 0 ? routes : [...passedOver, ...routes];
    const others = this.leftOut(view, all, free, ask);
    const considered = this.consideredOf(states, index, others, settings);
    return decisionOf(view, mode, route, probability, considered, ask);
  }

  /** @param settings by which the policy chose; null: the best prior was taken */
  private consideredOf(
    states: readonly CandidateState[],
    chosen: number,
    others: OthersConsidered,
    settings: PolicySettings | null,
  ): Considered {
    const isWhole = states.length <= this.mostKept;
    // Nearly always, and an object spread takes as long as much of the decision.
    if (isWhole && others === NONE_LEFT_OUT) return { eligible: states, leftOut: NO_LEFT_OUT };
    if (isWhole) return { eligible: states, ...others };
    const shares = settings === null ? allOnBestPrior(states) : this.policy.shares(states, settings);
    return { ...bestConsidered(states, shares, chosen, this.mostKept), ...others };
  }

  /** Every candidate was removed: better to try than to refuse. */
  private leastBad(
    view: ModelView,
    routes: readonly Route[],
    awake: readonly Route[],
    ask: CallStart | null,
  ): Decision | Full {
    const free = this.nodes.freeOf(awake);
    const states = this.states.of(view.model, free, ask, view);
    const chosen = firstBy(states, byPrior);
    const route = free[chosen];
    if (route === undefined) return 'full';
    const considered = this.consideredOf(states, chosen, this.leftOut(view, routes, free, ask), null);
    return decisionOf(view, 'greedy-fallback', route, 1, considered, ask);
  }

  /** How the first of the routes stand that could not be chosen, and why. */
  private leftOut(
    view: ModelView,
    routes: readonly Route[],
    free: readonly Route[],
    ask: CallAsk | null,
  ): OthersConsidered {
    if (routes.length === free.length) return NONE_LEFT_OUT;
    const chosenFrom = new Set(free);
    const others = routes.filter((route) => !chosenFrom.has(route));
    const kept = others.slice(0, this.mostKept);
    const leftOut = this.states
      .of(view.model, kept, ask, view)
      .map((state, at) => ({ state, reason: this.nodes.whyLeftOut(kept[at]) }));
    return others.length === kept.length
      ? { leftOut }
      : { leftOut, moreLeftOut: others.length - kept.length };
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
