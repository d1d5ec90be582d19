import type { Metric, Registry } from 'prom-client';

/** One line of a metric; `metricName` where it is not the metric's own, as `…_sum`. */
export interface ReadoutLine {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

export interface Readout {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly values: readonly ReadoutLine[];
}

/** Shows values that are counted elsewhere, which no class of prom-client takes as a whole. */
export function showReadout(registry: Registry, readout: Readout): void {
  const metric = { ...readout, aggregator: 'sum', get: () => Promise.resolve(readout) };
  // All that the registry asks of a metric is its name and `get`.
  registry.registerMetric(metric as unknown as Metric);
}

/**
 * The lines of one series of a histogram.
 *
 * @param counts of the values up to each bound and above the one before it, and last of those above all bounds
 */
export function histogramLines(
  name: string,
  labels: Readonly<Record<string, string>>,
  bounds: readonly number[],
  counts: readonly number[],
  sum: number,
): ReadoutLine[] {
  let total = 0;
  const buckets = counts.map((count, at) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le: bounds[at] ?? '+Inf' },
    value: (total += count),
  }));
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
