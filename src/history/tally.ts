import type { CountedCall } from './counted-call.js';
import { TimeBins } from './time-bins.js';

/** Calls counted by how they ended and how long their first token took. */
export class Tally {
  calls = 0;
  succeeded = 0;
  failed = 0;
  queued = 0;
  readonly ttft = new TimeBins();

  add({ result, hadToWait, ttftMs }: CountedCall): void {
    this.calls += 1;
    if (result === 'succeeded') this.succeeded += 1;
    if (result === 'failed') this.failed += 1;
    if (hadToWait) this.queued += 1;
    if (ttftMs !== null) this.ttft.add(ttftMs);
  }

  merge(other: Tally): void {
    this.calls += other.calls;
    this.succeeded += other.succeeded;
    this.failed += other.failed;
    this.queued += other.queued;
    this.ttft.merge(other.ttft);
  }
}
