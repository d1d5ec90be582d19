import { Inject, Injectable } from '@nestjs/common';
import { CandidatesService } from '../candidate-enumeration/index.js';
import { CLOCK, ModelNotFoundError, type Clock } from '../kernel/index.js';
import { RoutingStatsService } from '../routing-stats/index.js';
import { TopologyService } from '../topology/index.js';
import { NO_OUTLOOK, RouteOutlooksService } from './route-outlooks.service.js';
import { routingRows, type RoutingRow } from './routing-table.js';
import { RoutingService } from './routing.service.js';

/** One model of `GET /v1/routing`. */
export interface ModelRouting {
  readonly model: string;
  readonly epoch: number;
  readonly num_layers: number;
  readonly gaps: readonly { start_layer: number; end_layer: number }[];
  readonly candidates: readonly RoutingRow[];
  /** Routes that were found and are no candidates, for there are enough. */
  readonly candidates_left_out: number;
}

/** What the router knows, as people and dashboards read it. */
@Injectable()
export class RoutingTableService {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly topology: TopologyService,
    private readonly candidates: CandidatesService,
    private readonly stats: RoutingStatsService,
    private readonly routing: RoutingService,
    private readonly outlooks: RouteOutlooksService,
  ) {}

  /** @throws ModelNotFoundError */
  tables(model: string | null): ModelRouting[] {
    if (model === null) return this.topology.knownModels().map((known) => this.table(known));
    return [this.table(model)];
  }

  private table(model: string): ModelRouting {
    const view = this.topology.view(model);
    if (view === null) throw new ModelNotFoundError(model);
    const routes = this.candidates.candidates(model);
    const priors = this.candidates.priors(model, routes);
    const shares = this.routing.shares(model, routes);
    const outlooks = this.outlooks.of(model, routes);
    const facts = routes.map((route, at) => ({
      route,
      estimate: this.stats.estimate(model, route.signature),
      priorTps: priors[at] ?? 0,
      share: shares[at] ?? 0,
      outlook: outlooks[at] ?? NO_OUTLOOK,
    }));
    return {
      model,
      epoch: view.epoch,
      num_layers: view.numLayers,
      gaps: this.topology.gaps(model).map(({ start, end }) => ({ start_layer: start, end_layer: end })),
      candidates: routingRows(facts, this.clock.now()),
      candidates_left_out: this.candidates.leftOutCount(model),
    };
  }
}
