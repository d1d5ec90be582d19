import type { Registry } from 'prom-client';
import { SHARED_LABEL } from './model-labels.js';
import { histogramLines, showReadout } from './readout.js';

/** The labels of one series. */
export type ModelSeriesLabels<L extends string> = Readonly<Record<'model' | L, string>>;

/** What each counter and histogram is declared with; `labels` are those beside `model`. */
export interface Declaration<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

/** A tally, and the labels it is shown with. */
interface Series<T> {
  readonly labels: Readonly<Record<string, string>>;
  readonly tally: T;
}

/** By the value of the next label; below the last one the series. */
type Branch<T> = Map<string, Branch<T> | Series<T>>;

/**
 * One tally for each combination of labels, gone with its model. prom-client sorts the labels and makes a text of them
 * each time it is told a value, which costs more than choosing the call's route; here it is one lookup a label.
 */
class SeriesOfModels<T> {
  private readonly byModel: Branch<T> = new Map();

  constructor(
    /** Beside `model`. */
    private readonly names: readonly string[],
    private readonly begin: () => T,
  ) {}

  of(labels: Readonly<Record<string, string>>): T {
    let at = this.byModel.get(labels.model ?? '');
    for (const name of this.names) {
      if (!(at instanceof Map)) break;
      at = at.get(labels[name] ?? '');
    }
    return at === undefined || at instanceof Map ? this.add(labels) : at.tally;
  }

  /** What models share stays. */
  forget(model: string): void {
    if (model !== SHARED_LABEL) this.byModel.delete(model);
  }

  all(): Series<T>[] {
    return [...leaves(this.byModel)];
  }

  private add(labels: Readonly<Record<string, string>>): T {
    const path = ['model', ...this.names].map((name) => labels[name] ?? '');
    const series = { labels: { ...labels }, tally: this.begin() };
    let branch = this.byModel;
    path.slice(0, -1).forEach((value) => (branch = branchAt(branch, value)));
    branch.set(path.at(-1) ?? '', series);
    return series.tally;
  }
}

function branchAt<T>(branch: Branch<T>, value: string): Branch<T> {
  const known = branch.get(value);
  if (known instanceof Map) return known;
  const made: Branch<T> = new Map();
  branch.set(value, made);
  return made;
}

function* leaves<T>(branch: Branch<T>): Generator<Series<T>> {
  for (const below of branch.values()) {
    if (below instanceof Map) yield* leaves(below);
    else yield below;
  }
}

/** A counter whose series go with their model. */
export class ModelCounter<L extends string = never> {
  private readonly series: SeriesOfModels<{ count: number }>;

  constructor(private readonly declared: Declaration<L>) {
    this.series = new SeriesOfModels(declared.labels, () => ({ count: 0 }));
  }

  add(labels: ModelSeriesLabels<L>, by = 1): void {
    this.series.of(labels).count += by;
  }

  forget(model: string): void {
    this.series.forget(model);
  }

  show(registry: Registry): void {
    const { name, help } = this.declared;
    const values = this.series.all().map(({ labels, tally }) => ({ labels, value: tally.count }));
    showReadout(registry, { name, help, type: 'counter', values });
  }
}

/** How many values there were up to each bound and above the one before it, the last above all, and their sum. */
interface Spread {
  readonly counts: number[];
  sum: number;
}

/** A histogram whose series go with their model. */
export class ModelHistogram<L extends string = never> {
  private readonly series: SeriesOfModels<Spread>;

  constructor(private readonly declared: Declaration<L> & { readonly buckets: readonly number[] }) {
    const places = declared.buckets.length + 1;
    this.series = new SeriesOfModels(declared.labels, () => ({
      counts: new Array<number>(places).fill(0),
      sum: 0,
    }));
  }

  observe(labels: ModelSeriesLabels<L>, value: number): void {
    const spread = this.series.of(labels);
    const { buckets } = this.declared;
    let at = 0;
    while (at < buckets.length && value > (buckets[at] ?? Infinity)) at += 1;
    spread.counts[at] = (spread.counts[at] ?? 0) + 1;
    spread.sum += value;
  }

  forget(model: string): void {
    this.series.forget(model);
  }

  show(registry: Registry): void {
    const { name, help, buckets } = this.declared;
    const values = this.series.all().flatMap(({ labels, tally }) => {
      return histogramLines(name, labels, buckets, tally.counts, tally.sum);
    });
    showReadout(registry, { name, help, type: 'histogram', values });
  }
}
