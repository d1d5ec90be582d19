import { Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { EventBus } from '../kernel/index.js';
import type { MetricSource } from './metric-source.js';
import { ModelLabels } from './model-labels.js';
import { ModelCounter } from './model-series.js';

/** What the bus tells of nodes, counted: what comes and goes between two scrapes is in no gauge. */
@Injectable()
export class MeshMetrics implements MetricSource {
  private readonly bumps = new ModelCounter({
    name: 'meshnet_epoch_bumps_total',
    help: 'Nodes that joined, left or changed their shard, by cause.',
    labels: ['cause'],
  });
  private readonly breakers = new ModelCounter({
    name: 'meshnet_breaker_changes_total',
    help: "Changes of nodes' circuit breakers, by the state they changed to.",
    labels: ['to'],
  });
  private readonly nodesFile = new Counter({
    name: 'meshnet_nodes_file_reads_total',
    help: 'Times that the nodes file was read again: taken over, or refused for its faults.',
    labelNames: ['result'],
    registers: [],
  });

  constructor(bus: EventBus, labels: ModelLabels) {
    bus.on('epoch.bumped', ({ model, cause }) => this.bumps.add({ model: labels.of(model), cause }));
    bus.on('breaker.changed', ({ model, to }) => this.breakers.add({ model: labels.of(model), to }));
    // From 0 on: Prometheus takes a series that begins at 1 for no increase.
    for (const result of ['read', 'refused']) this.nodesFile.inc({ result }, 0);
    bus.on('nodes_file.read', () => this.nodesFile.inc({ result: 'read' }));
    bus.on('nodes_file.refused', () => this.nodesFile.inc({ result: 'refused' }));
    bus.on('model.forgotten', ({ model }) => {
      this.bumps.forget(model);
      this.breakers.forget(model);
    });
  }

  show(registry: Registry): void {
    this.bumps.show(registry);
    this.breakers.show(registry);
    registry.registerMetric(this.nodesFile);
  }
}
