import { Injectable } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { CallsService } from '../calls/index.js';
import { spanLength } from '../kernel/index.js';
import { TopologyService } from '../topology/index.js';
import { gauge } from './gauge.js';
import type { MetricSource } from './metric-source.js';
import { ModelLabels, SHARED_LABEL } from './model-labels.js';

/** What stands of each model. Models that share a label are added up; an epoch is nothing that could be. */
@Injectable()
export class ModelGauges implements MetricSource {
  constructor(
    private readonly topology: TopologyService,
    private readonly calls: CallsService,
    private readonly labels: ModelLabels,
  ) {}

  show(registry: Registry): void {
    const models = this.topology.knownModels();
    gauge(
      registry,
      'meshnet_models',
      'Models known: those with a node, or that had one in the last 24 hours.',
    ).set(models.length);
    this.showTopology(registry, models);
    this.showOpenCalls(registry, models);
  }

  private showTopology(registry: Registry, models: readonly string[]): void {
    const epoch = gauge(
      registry,
      'meshnet_epoch',
      "The model's topology epoch; grows by one whenever a node joins, leaves or changes its shard.",
      ['model'],
    );
    const gaps = gauge(registry, 'meshnet_model_gap_layers', 'Layers of the model that nobody serves.', [
      'model',
    ]);
    for (const known of models) {
      const model = this.labels.of(known);
      if (model !== SHARED_LABEL) epoch.set({ model }, this.topology.epoch(known));
      for (const gap of this.topology.gaps(known)) gaps.inc({ model }, spanLength(gap));
      gaps.inc({ model }, 0);
    }
  }

  private showOpenCalls(registry: Registry, models: readonly string[]): void {
    const inFlight = gauge(
      registry,
      'meshnet_in_flight',
      'Chats under way, those that wait in the queue included.',
      ['model'],
    );
    const queued = gauge(registry, 'meshnet_queued', 'Chats that wait in the queue.');
    for (const known of models) inFlight.inc({ model: this.labels.of(known) }, 0);
    for (const [known, counts] of this.calls.openByModel()) {
      inFlight.inc({ model: this.labels.of(known) }, counts.open);
      queued.inc(counts.queued);
    }
  }
}
