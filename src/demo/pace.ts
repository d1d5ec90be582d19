import type { Clock } from '../kernel/clock.js';

/** A late timer is made good on the next tokens, but no more than this: a machine that slept doesn't race. */
const CREDIT_MAX_MS = 100;

/**
 * The speed of one sequence. Timers know whole milliseconds only and fire late, so costs are owed until they
 * reach one, and what a wait took too long is taken off the next: 0.3 ms a token is 0.3 ms on average.
 */
export class Pace {
  private owedMs = 0;

  constructor(private readonly clock: Clock) {}

  /** Takes `costMs` of time; rejects with the signal's reason as soon as that aborts. A cost of 0 sets no timer. */
  async spend(costMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (costMs === 0) return;
    this.owedMs += costMs;
    if (this.owedMs < 1) return;
    const from = this.clock.now();
    await sleep(this.clock, this.owedMs, signal);
    this.owedMs = Math.max(this.owedMs - (this.clock.now() - from), -CREDIT_MAX_MS);
  }
}

/** Waits, or rejects with the signal's reason as soon as that aborts. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
