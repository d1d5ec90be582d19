import { Injectable } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { NodeHealthService, type BreakerState } from '../node-health/index.js';
import { NodeSpeedsService } from '../node-speeds/index.js';
import { isServing, RegistryService } from '../registry/index.js';
import { gauge } from './gauge.js';
import type { MetricSource } from './metric-source.js';
import { ModelLabels, SHARED_LABEL } from './model-labels.js';

const MOST_NODES = 2000;
const BREAKER_NUMBER: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

/** What stands of nodes: how many of each model, and of each its breaker, its rest and what is believed of its speed. */
@Injectable()
export class NodeGauges implements MetricSource {
  constructor(
    private readonly registry: RegistryService,
    private readonly health: NodeHealthService,
    private readonly speeds: NodeSpeedsService,
    private readonly labels: ModelLabels,
  ) {}

  show(registry: Registry): void {
    this.showCounts(registry);
    this.showEach(registry);
  }

  private showCounts(registry: Registry): void {
    const nodes = gauge(registry, 'meshnet_nodes', 'Nodes that are here: ready for new chats, or draining.', [
      'model',
      'status',
    ]);
    for (const known of this.registry.knownModels()) {
      const model = this.labels.of(known);
      nodes.inc({ model, status: 'ready' }, 0);
      nodes.inc({ model, status: 'draining' }, 0);
    }
    for (const node of this.registry.nodes()) {
      nodes.inc({ model: this.labels.of(node.model), status: isServing(node) ? 'ready' : 'draining' });
    }
  }

  /** Node ids are unique within a model, so those of models without a label of their own can't be told apart. */
  private showEach(registry: Registry): void {
    const breaker = gauge(
      registry,
      'meshnet_breaker_state',
      "The node's circuit breaker: 0 closed, 1 half-open (a probe may pass), 2 open (shut out).",
      ['model', 'node'],
    );
    const resting = gauge(
      registry,
      'meshnet_node_resting_seconds',
      'Seconds left of the rest that the node asked for; 0 while it does not rest.',
      ['model', 'node'],
    );
    const speed = gauge(
      registry,
      'meshnet_node_speed_factor',
      "The node's speed as it was seen lately over what it declared; none where nothing was learned of it.",
      ['model', 'node'],
    );
    let shown = 0;
    const nodes = this.registry.nodes();
    for (const node of nodes) {
      const model = this.labels.of(node.model);
      if (model === SHARED_LABEL || shown === MOST_NODES) continue;
      shown += 1;
      const labels = { model, node: node.nodeId };
      breaker.set(labels, BREAKER_NUMBER[this.health.breaker(node).state]);
      resting.set(labels, this.health.restMs(node) / 1000);
      const belief = this.speeds.beliefOf(node.model, node.key);
      if (belief !== null) speed.set(labels, 1 / belief.secondsFactor);
    }
    gauge(
      registry,
      'meshnet_node_series_dropped',
      `Nodes without a series of their own: over ${String(MOST_NODES)}, or of a model that shares its label.`,
    ).set(nodes.length - shown);
  }
}
