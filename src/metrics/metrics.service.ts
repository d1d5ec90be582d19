import { Inject, Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { METRIC_SOURCES, type MetricSource } from './metric-source.js';

/** Writes all there is to show as Prometheus reads it. */
@Injectable()
export class MetricsService {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  constructor(@Inject(METRIC_SOURCES) private readonly sources: readonly MetricSource[]) {}

  text(): Promise<string> {
    const registry = new Registry();
    for (const source of this.sources) source.show(registry);
    return registry.metrics();
  }
}
