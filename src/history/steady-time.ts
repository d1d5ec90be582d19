import type { Clock } from '../kernel/index.js';

/**
 * Time in numbered slices. They go by the monotonic clock, so that setting the wall clock neither tears a gap nor fills
 * one twice; they begin when the wall clock's own do, as long as nobody sets it.
 */
export class SteadyTime {
  private readonly offsetMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly sliceMs: number,
  ) {
    this.offsetMs = clock.wallMs() - clock.now();
  }

  /** The slice that now is in. */
  get slice(): number {
    return Math.floor((this.clock.now() + this.offsetMs) / this.sliceMs);
  }

  /** When a slice began, in Unix ms as the wall clock is set now, to the nearest beginning of a slice. */
  startOf(slice: number): number {
    const steppedMs = this.clock.wallMs() - this.clock.now() - this.offsetMs;
    return (slice + Math.round(steppedMs / this.sliceMs)) * this.sliceMs;
  }
}
