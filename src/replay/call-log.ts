import type { LoggedCall } from './logged-call.js';

/** An hour over a day, so that a window of a day is whole. */
const KEPT_MS = 25 * 3_600_000;
/**
 * Calls and their candidates together. A call takes about 220 bytes and each candidate 145: 6,600 calls with eight
 * candidates take 9 MB, and whatever is logged at most 13 MB. What was expected of a candidate takes as much again, and
 * counts so.
 */
const MOST_ENTRIES = 60_000;

/** The newest calls of all models, bounded by age, and with the candidates they were chosen from by number. */
export class CallLog {
  private calls: LoggedCall[] = [];
  /** Those before are gone; they are cut off in bulk. */
  private first = 0;
  private entries = 0;

  constructor(private readonly mostEntries = MOST_ENTRIES) {}

  add(call: LoggedCall): void {
    this.calls.push(call);
    this.entries += entriesOf(call);
    this.prune(call.endedAt);
  }

  /** Calls of a model that ended within the last `ms`, oldest first. */
  within(model: string, ms: number, now: number): LoggedCall[] {
    this.prune(now);
    const kept = this.calls.slice(this.first);
    return kept.filter((call) => call.model === model && now - call.endedAt <= ms);
  }

  forget(model: string): void {
    this.calls = this.calls.slice(this.first).filter((call) => call.model !== model);
    this.first = 0;
    this.entries = this.calls.reduce((sum, call) => sum + entriesOf(call), 0);
  }

  get size(): number {
    return this.calls.length - this.first;
  }

  private prune(now: number): void {
    for (let oldest = this.calls[this.first]; oldest !== undefined; oldest = this.calls[this.first]) {
      if (now - oldest.endedAt <= KEPT_MS && this.entries <= this.mostEntries) break;
      this.entries -= entriesOf(oldest);
      this.first += 1;
    }
    if (this.first <= this.calls.length / 2) return;
    this.calls = this.calls.slice(this.first);
    this.first = 0;
  }
}

function entriesOf({ candidates }: LoggedCall): number {
  const [first] = candidates;
  return 1 + candidates.length * (first?.expected === undefined ? 1 : 2);
}
