import { Injectable } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { EventBus, type MeshEvents } from '../kernel/index.js';
import { CallCounts } from './call-counts.js';
import { GapHistogram } from './gap-histogram.js';
import type { MetricSource } from './metric-source.js';
import { ModelLabels } from './model-labels.js';
import { ModelCounter } from './model-series.js';

/** What the bus tells of chats, counted. */
@Injectable()
export class CallMetrics implements MetricSource {
  private readonly counts = new CallCounts();
  private readonly gaps = new GapHistogram();
  private readonly scoutSeconds = new ModelCounter({
    name: 'meshnet_scout_seconds_total',
    help: 'What scouts cost their users: seconds spent beyond what the fastest proven route would have needed.',
    labels: [],
  });
  private readonly turnedAway = new ModelCounter({
    name: 'meshnet_turned_away_total',
    help: "Chats that got no route and waited for none, by the answer's error code.",
    labels: ['code'],
  });

  constructor(
    bus: EventBus,
    private readonly labels: ModelLabels,
  ) {
    bus.on('call.finished', ({ model, call }) => this.counts.finished(labels.of(model), call));
    bus.on('call.measured', (fact) => this.measured(fact));
    bus.on('chat.turned_away', (fact) => this.refused(fact));
    // From 0 on: Prometheus takes a series that begins at 1 for no increase.
    bus.on('epoch.bumped', ({ model }) =>
      this.turnedAway.add({ model: labels.of(model), code: 'no_route' }, 0),
    );
    bus.on('model.forgotten', ({ model }) => this.forget(model));
  }

  show(registry: Registry): void {
    this.counts.show(registry);
    this.gaps.show(registry);
    this.scoutSeconds.show(registry);
    this.turnedAway.show(registry);
  }

  private measured({ model, token_gaps, scout_seconds }: MeshEvents['call.measured']): void {
    const label = this.labels.of(model);
    if (token_gaps !== null) this.gaps.merge(label, token_gaps);
    if (scout_seconds !== null) this.scoutSeconds.add({ model: label }, scout_seconds);
  }

  private refused({ model, code }: MeshEvents['chat.turned_away']): void {
    const label = this.labels.of(model);
    this.counts.turnedAway(label);
    this.turnedAway.add({ model: label, code });
  }

  private forget(model: string): void {
    this.counts.forget(model);
    this.gaps.forget(model);
    this.scoutSeconds.forget(model);
    this.turnedAway.forget(model);
  }
}
