import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, EventBus, type Clock } from '../kernel/index.js';
import { NodeHealthService } from '../node-health/index.js';
import { isServing, type MeshNode } from '../registry/index.js';
import {
  NODES_SETTINGS,
  ROUTING_SETTINGS,
  type NodesSettings,
  type RoutingSettings,
} from '../settings/index.js';
import {
  TopologyService,
  without,
  withoutSpared,
  type ModelView,
  type ServingNode,
} from '../topology/index.js';
import { capByPrior, ENUMERATIONS, type Capped } from './enumerations.js';
import { assumedTpsOf, mostTpsOf, priorTps, type NodeLoad } from './prior.js';
import type { Route } from './route.js';

interface Built extends Capped {
  readonly view: ModelView;
  readonly availabilityVersion: number;
  /** Monotonic ms. */
  readonly at: number;
}

/** Candidate routes of each model, built once a view and version of who is blocked or rests; their priors are always live. */
@Injectable()
export class CandidatesService {
  private readonly built = new Map<string, Built>();
  private readonly loadOf = (node: MeshNode): NodeLoad => ({
    inFlight: this.health.inFlightOn(node),
    reputation: this.health.reputation(node),
  });

  constructor(
    @Inject(ROUTING_SETTINGS) private readonly settings: RoutingSettings,
    private readonly topology: TopologyService,
    private readonly health: NodeHealthService,
    @Inject(NODES_SETTINGS) private readonly nodes: NodesSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    bus: EventBus,
  ) {
    bus.on('model.forgotten', ({ model }) => this.built.delete(model));
  }

  /**
   * Routes of a model, highest prior at build first: at most `maxCandidates` of more than one hop, and 1,000 of one hop. None
   * for an unknown model.
   */
  candidates(model: string, view = this.topology.view(model)): readonly Route[] {
    if (view === null) return [];
    const availabilityVersion = this.health.availabilityVersion(model);
    const known = this.built.get(model);
    if (known?.view === view && known.availabilityVersion === availabilityVersion) return known.routes;
    const live = known === undefined ? [] : this.liveWhileStorming(known, model);
    if (live.length > 0) return live;
    const capped = this.enumerate(this.withoutUnavailable(view));
    this.built.set(model, { view, availabilityVersion, at: this.clock.now(), ...capped });
    return capped.routes;
  }

  /** How many routes of a model were found beyond its candidates. */
  leftOutCount(model: string): number {
    this.candidates(model);
    return this.built.get(model)?.leftOut ?? 0;
  }

  /** Candidates enumerated afresh without some nodes: those that failed this call, or are full. */
  candidatesWithout(model: string, tried: ReadonlySet<MeshNode>): readonly Route[] {
    const view = this.topology.view(model);
    if (view === null) return [];
    return this.enumerate(this.withoutUnavailable(without(view, (node) => tried.has(node)))).routes;
  }

  /** Live prior in tokens/s of each route of one model. */
  priors(model: string, routes: readonly Route[], view = this.topology.view(model)): number[] {
    if (view === null) return routes.map(() => 0);
    const most = mostTpsOf(view);
    const assumed = routes.some(hasOpen) ? assumedTpsOf(view) : 0;
    return routes.map((route) => priorTps(route, this.loadOf, assumed, most));
  }

  /** Under a storm of bumps rebuilding waits its turn; routes through nodes that have gone are dropped at once. */
  private liveWhileStorming(known: Built, model: string): Route[] {
    const isDue = this.clock.now() - known.at >= this.nodes.coalesceMs;
    if (isDue || !this.topology.isStorming(model)) return [];
    return known.routes.filter(({ hops }) => hops.every(({ node }) => isServing(node)));
  }

  /**
   * Blocked and resting nodes are left out as long as the layers stay covered. Of those that can't be, blocked ones stay
   * before resting ones, the most trusted and the least rest first.
   */
  private withoutUnavailable(view: ModelView): ModelView {
    const { health } = this;
    const unavailable = view.nodes.filter(({ node }) => health.isBlocked(node) || health.isResting(node));
    if (unavailable.length === 0) return view;
    const rest = ({ node }: ServingNode): number => health.restMs(node);
    const trust = ({ node }: ServingNode): number => health.reputation(node);
    return withoutSpared(
      view,
      unavailable.sort((a, b) => rest(a) - rest(b) || trust(b) - trust(a)),
    );
  }

  private enumerate(view: ModelView): Capped {
    const { enumeration, maxCandidates } = this.settings;
    const routes = ENUMERATIONS[enumeration](view, maxCandidates);
    // The median is worked out only where a node left its throughput open.
    const assumed = routes.some(hasOpen) ? assumedTpsOf(view) : 0;
    const most = mostTpsOf(view);
    const loadOf = once(this.loadOf);
    return capByPrior(routes, (route) => priorTps(route, loadOf, assumed, most), maxCandidates);
  }
}

/** Whether a node of it left its throughput open. */
function hasOpen({ hops }: Route): boolean {
  for (const { node } of hops) if (node.throughputTps === null) return true;
  return false;
}

/** Hundreds of heads may lead through the same few nodes: each is asked for once. */
function once(loadOf: (node: MeshNode) => NodeLoad): (node: MeshNode) => NodeLoad {
  const known = new Map<MeshNode, NodeLoad>();
  return (node) => {
    let load = known.get(node);
    if (load === undefined) known.set(node, (load = loadOf(node)));
    return load;
  };
}
