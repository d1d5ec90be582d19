import type { Registry } from 'prom-client';
import { TOKEN_GAP_BOUNDS_SECONDS } from '../calls/index.js';
import type { GapCounts } from '../kernel/index.js';
import { SHARED_LABEL } from './model-labels.js';
import { histogramLines, showReadout } from './readout.js';

const NAME = 'meshnet_inter_token_seconds';
const HELP = 'Time between two content events of a stream, as the tracker relayed them, in seconds.';

interface Merged {
  readonly counts: number[];
  sumSeconds: number;
}

/** A histogram of counts that the calls themselves kept: prom-client's takes one value at a time only. */
export class GapHistogram {
  private readonly byModel = new Map<string, Merged>();

  merge(model: string, { counts, sum_seconds }: GapCounts): void {
    const merged = this.byModel.get(model) ?? { counts: counts.map(() => 0), sumSeconds: 0 };
    this.byModel.set(model, merged);
    counts.forEach((count, at) => (merged.counts[at] = (merged.counts[at] ?? 0) + count));
    merged.sumSeconds += sum_seconds;
  }

  forget(model: string): void {
    if (model !== SHARED_LABEL) this.byModel.delete(model);
  }

  show(registry: Registry): void {
    const values = [...this.byModel].flatMap(([model, { counts, sumSeconds }]) =>
      histogramLines(NAME, { model }, TOKEN_GAP_BOUNDS_SECONDS, counts, sumSeconds),
    );
    showReadout(registry, { name: NAME, help: HELP, type: 'histogram', values });
  }
}
