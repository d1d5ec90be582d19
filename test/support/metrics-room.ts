import { CallsService } from '../../src/calls/index.js';
import { CallMetrics } from '../../src/metrics/call-metrics.service.js';
import { MeshMetrics } from '../../src/metrics/mesh-metrics.service.js';
import { MetricsService } from '../../src/metrics/metrics.service.js';
import { ModelGauges } from '../../src/metrics/model-gauges.service.js';
import { ModelLabels } from '../../src/metrics/model-labels.js';
import { NodeGauges } from '../../src/metrics/node-gauges.service.js';
import { RouteGauges } from '../../src/metrics/route-gauges.service.js';
import { NO_TRACES } from '../../src/traces/index.js';
import { Exposition } from './exposition.js';
import type { Rooms } from './rooms.js';
import { AtOnce } from './at-once.js';

/** The metrics of a tracker without Nest and without HTTP; those of the process itself are left out. */
export class MetricsRoom {
  readonly calls: CallsService;
  readonly labels: ModelLabels;
  private readonly metrics: MetricsService;

  constructor({
    bus,
    clock,
    logger,
    settings,
    topology,
    registry,
    health,
    speeds,
    candidates,
    table,
  }: Rooms) {
    this.calls = new CallsService(clock, logger, bus, settings.routing, NO_TRACES, new AtOnce(logger));
    this.labels = new ModelLabels(bus, topology);
    this.metrics = new MetricsService([
      new CallMetrics(bus, this.labels),
      new MeshMetrics(bus, this.labels),
      new ModelGauges(topology, this.calls, this.labels),
      new RouteGauges(topology, candidates, table, this.labels),
      new NodeGauges(registry, health, speeds, this.labels),
    ]);
  }

  async scrape(): Promise<Exposition> {
    return new Exposition(await this.metrics.text());
  }
}
