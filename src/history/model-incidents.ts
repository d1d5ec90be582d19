import type { CountedCall } from './counted-call.js';
import { FailureCounts, type FailureRow } from './failure-counts.js';
import { Slices } from './slices.js';
import { Tally } from './tally.js';

/** Five minutes of a model's calls. */
export interface IncidentWindow {
  readonly calls: number;
  readonly succeeded: number;
  /** Of those that succeeded or failed; null where none did. */
  readonly success_ratio: number | null;
  readonly p95_ttft_ms: number | null;
  /** Calls that had to wait in the queue. */
  readonly queued: number;
}

/** One row of `GET /v1/incidents`. */
export interface IncidentRow {
  readonly model: string;
  /** Calls that wait in the queue this moment. */
  readonly waiting: number;
  readonly now: IncidentWindow;
  readonly hour_ago: IncidentWindow;
  readonly failures: readonly FailureRow[];
}

/** Windows move on by this much at a time. */
export const SLICE_MS = 30_000;
export const WINDOW_SECONDS = 300;
const WINDOW_SLICES = (WINDOW_SECONDS * 1000) / SLICE_MS;
const HOUR_SLICES = 3_600_000 / SLICE_MS;
const MOST_FAILURES = 20;

/** What became of one model's calls, for as long as it is compared with. */
export class ModelIncidents {
  private readonly tallies = new Slices(HOUR_SLICES + WINDOW_SLICES, () => new Tally());
  private readonly failures = new Slices(WINDOW_SLICES, () => new FailureCounts());

  add(slice: number, call: CountedCall): void {
    this.tallies.at(slice).add(call);
    for (const failure of call.failures) this.failures.at(slice).add(failure);
  }

  /** The windows that end with this slice, and an hour before it. */
  row(slice: number): Omit<IncidentRow, 'model' | 'waiting'> {
    const failures = new FailureCounts();
    for (const { value } of this.failures.between(slice - WINDOW_SLICES + 1, slice)) failures.merge(value);
    return {
      now: this.window(slice),
      hour_ago: this.window(slice - HOUR_SLICES),
      failures: failures.mostFrequent(MOST_FAILURES),
    };
  }

  /** Drops what no window reaches any more. @returns whether anything is left */
  prune(slice: number): boolean {
    this.tallies.prune(slice);
    this.failures.prune(slice);
    return this.tallies.size > 0;
  }

  private window(last: number): IncidentWindow {
    const sum = new Tally();
    for (const { value } of this.tallies.between(last - WINDOW_SLICES + 1, last)) sum.merge(value);
    const { calls, succeeded, failed, queued, ttft } = sum;
    const judged = succeeded + failed;
    return {
      calls,
      succeeded,
      success_ratio: judged === 0 ? null : succeeded / judged,
      p95_ttft_ms: ttft.quantile(0.95),
      queued,
    };
  }
}
