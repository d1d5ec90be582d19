import { performance } from 'node:perf_hooks';

/** Ends a timer; calling it again, or after the timer fired, does nothing. */
export type Cancel = () => void;

/**
 * Time as every room sees it. `now` is monotonic milliseconds from an arbitrary start: the only measure for
 * leases, timeouts and tokens/s, since the wall clock may jump. `wallMs` is Unix time, for people only.
 */
export interface Clock {
  now(): number;
  wallMs(): number;
  /** Runs `act` once after `delayMs`; such a timer never keeps the process alive. */
  after(delayMs: number, act: () => void): Cancel;
}

/** Injection token of the {@link Clock}. */
export const CLOCK = Symbol('Clock');

/** Node silently turns a longer delay into one millisecond. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class SystemClock implements Clock {
  now(): number {
    return performance.now();
  }

  wallMs(): number {
    return Date.now();
  }

  after(delayMs: number, act: () => void): Cancel {
    const timer = setTimeout(act, Math.min(Math.max(delayMs, 0), LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  }
}
