import type { Registry } from 'prom-client';

/** Something that has metrics to show. */
export interface MetricSource {
  /** Puts them into the registry of one scrape. */
  show(registry: Registry): void;
}

/** Injection token of all of them. */
export const METRIC_SOURCES = Symbol('MetricSources');
