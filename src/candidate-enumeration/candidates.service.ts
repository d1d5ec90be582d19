import { Inject, Injectable } from '@nestjs/common';
import { EventBus } from '../kernel/index.js';
import { NodeHealthService } from '../node-health/index.js';
import type { MeshNode } from '../registry/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import { TopologyService, type ModelView } from '../topology/index.js';
import { capByPrior, ENUMERATIONS } from './enumerations.js';
import { assumedTpsOf, priorTps, type NodeLoad } from './prior.js';
import type { Route } from './route.js';

interface Built {
  readonly view: ModelView;
  readonly routes: readonly Route[];
}

/** Candidate routes of each model, built once a view; their priors are always live. */
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
    bus: EventBus,
  ) {
    bus.on('model.forgotten', ({ model }) => this.built.delete(model));
  }

  /** At most `maxCandidates` routes of a model, highest prior at build first; none for an unknown model. */
  candidates(model: string): readonly Route[] {
    const view = this.topology.view(model);
    if (view === null) return [];
    const known = this.built.get(model);
    if (known?.view === view) return known.routes;
    const routes = this.enumerate(view);
    this.built.set(model, { view, routes });
    return routes;
  }

  /** Candidates for a retry: enumerated afresh without the nodes that this call has tried in vain. */
  candidatesWithout(model: string, tried: ReadonlySet<MeshNode>): readonly Route[] {
    const view = this.topology.view(model);
    if (view === null) return [];
    return this.enumerate({ ...view, nodes: view.nodes.filter(({ node }) => !tried.has(node)) });
  }

  /** Live prior in tokens/s of each route of one model. */
  priors(model: string, routes: readonly Route[]): number[] {
    const view = this.topology.view(model);
    return view === null ? routes.map(() => 0) : routes.map(this.priorIn(view));
  }

  private enumerate(view: ModelView): Route[] {
    const routes = ENUMERATIONS[this.settings.enumeration](view);
    return capByPrior(routes, this.priorIn(view), this.settings.maxCandidates);
  }

  /** The median is worked out only where a node left its throughput open. */
  private priorIn(view: ModelView): (route: Route) => number {
    let assumed: number | null = null;
    return (route) => {
      const isOpen = route.hops.some(({ node }) => node.throughputTps === null);
      if (isOpen) assumed ??= assumedTpsOf(view);
      return priorTps(route, this.loadOf, assumed ?? 0);
    };
  }
}
