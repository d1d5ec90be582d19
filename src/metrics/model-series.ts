import { Counter, Histogram, type Registry } from 'prom-client';
import { SHARED_LABEL } from './model-labels.js';

/** The labels of one series. */
export type ModelSeriesLabels<L extends string> = Readonly<Record<'model' | L, string>>;

/** What each counter and histogram is declared with; `labels` are those beside `model`. */
export interface Declaration<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

/** Which series a metric has of which model: prom-client removes one that it is told, but doesn't tell which there are. */
class SeriesOfModels<L extends string> {
  private readonly byModel = new Map<string, Map<string, ModelSeriesLabels<L>>>();

  note(labels: ModelSeriesLabels<L>): void {
    let series = this.byModel.get(labels.model);
    if (series === undefined) {
      series = new Map<string, ModelSeriesLabels<L>>();
      this.byModel.set(labels.model, series);
    }
    const key = Object.values(labels).join('\n');
    if (!series.has(key)) series.set(key, labels);
  }

  /** Those of a model that is forgotten; what models share stays. */
  take(model: string): Iterable<ModelSeriesLabels<L>> {
    if (model === SHARED_LABEL) return [];
    const series = this.byModel.get(model);
    this.byModel.delete(model);
    return series?.values() ?? [];
  }
}

/** A counter whose series go with their model. */
export class ModelCounter<L extends string = never> {
  private readonly series = new SeriesOfModels<L>();
  private readonly counter: Counter;

  constructor({ name, help, labels }: Declaration<L>) {
    this.counter = new Counter({ name, help, labelNames: ['model', ...labels], registers: [] });
  }

  add(labels: ModelSeriesLabels<L>, by = 1): void {
    this.series.note(labels);
    this.counter.inc(labels, by);
  }

  forget(model: string): void {
    for (const labels of this.series.take(model)) this.counter.remove(labels);
  }

  show(registry: Registry): void {
    registry.registerMetric(this.counter);
  }
}

/** A histogram whose series go with their model. */
export class ModelHistogram<L extends string = never> {
  private readonly series = new SeriesOfModels<L>();
  private readonly histogram: Histogram;

  constructor({ name, help, labels, buckets }: Declaration<L> & { readonly buckets: readonly number[] }) {
    const labelNames = ['model', ...labels];
    this.histogram = new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [] });
  }

  observe(labels: ModelSeriesLabels<L>, value: number): void {
    this.series.note(labels);
    this.histogram.observe(labels, value);
  }

  forget(model: string): void {
    for (const labels of this.series.take(model)) this.histogram.remove(labels);
  }

  show(registry: Registry): void {
    registry.registerMetric(this.histogram);
  }
}
