import { Injectable } from '@nestjs/common';
import type { Gauge, Registry } from 'prom-client';
import { CandidatesService } from '../candidate-enumeration/index.js';
import { RoutingTableService, type ModelRouting } from '../routing/index.js';
import { TopologyService } from '../topology/index.js';
import { gauge } from './gauge.js';
import type { MetricSource } from './metric-source.js';
import { ModelLabels, SHARED_LABEL } from './model-labels.js';

/** A route has up to three series, so there are at most 3,000 of them. */
const MOST_ROUTES = 1000;
const STATUSES = ['proven', 'unsampled', 'stale', 'decayed'] as const;

/** The gauges of one scrape, and how many routes are in them. */
interface Sheet {
  readonly routes: Gauge<'model' | 'status'>;
  readonly learned: Gauge<'model' | 'route'>;
  readonly share: Gauge<'model' | 'route'>;
  readonly predicted: Gauge<'model' | 'route'>;
  shown: number;
  dropped: number;
}

/** What stands of routes: the present candidates of each model, as `GET /v1/routing` shows them. */
@Injectable()
export class RouteGauges implements MetricSource {
  constructor(
    private readonly topology: TopologyService,
    private readonly candidates: CandidatesService,
    private readonly tables: RoutingTableService,
    private readonly labels: ModelLabels,
  ) {}

  show(registry: Registry): void {
    const sheet = aSheet(registry);
    for (const known of this.topology.knownModels()) {
      if (this.labels.of(known) === SHARED_LABEL) {
        sheet.dropped += this.candidates.candidates(known).length;
      } else {
        this.tables.tables(known).forEach((table) => fill(sheet, table));
      }
    }
    gauge(
      registry,
      'meshnet_route_series_dropped',
      `Candidate routes without series of their own: over ${String(MOST_ROUTES)}, or of a model that shares its label.`,
    ).set(sheet.dropped);
  }
}

function fill(sheet: Sheet, { model, candidates }: ModelRouting): void {
  for (const status of STATUSES) sheet.routes.set({ model, status }, 0);
  for (const { signature, status, tps, traffic_share, predicted_seconds_200: seconds = null } of candidates) {
    sheet.routes.inc({ model, status });
    if (sheet.shown === MOST_ROUTES) {
      sheet.dropped += 1;
      continue;
    }
    sheet.shown += 1;
    const labels = { model, route: signature };
    if (tps !== null) sheet.learned.set(labels, tps);
    sheet.share.set(labels, traffic_share);
    if (seconds !== null) sheet.predicted.set(labels, seconds);
  }
}

function aSheet(registry: Registry): Sheet {
  return {
    routes: gauge(registry, 'meshnet_routes', 'Candidate routes, by what is known of their speed.', [
      'model',
      'status',
    ]),
    learned: gauge(
      registry,
      'meshnet_route_learned_tokens_per_second',
      "The route's learned speed in completion tokens per second; none while it was never measured.",
      ['model', 'route'],
    ),
    share: gauge(
      registry,
      'meshnet_route_traffic_share',
      'Probability that the next chat without a pin goes to the route, 0 to 1.',
      ['model', 'route'],
    ),
    predicted: gauge(
      registry,
      'meshnet_route_predicted_seconds',
      'Seconds that an answer of 200 tokens is expected to take on the route now; none where the policy does not predict.',
      ['model', 'route'],
    ),
    shown: 0,
    dropped: 0,
  };
}
