import { SystemClock, type Cancel } from '../../src/kernel/index.js';

interface Timer {
  readonly due: number;
  readonly act: () => void;
  cancel: Cancel;
}

/** The real time, and as much more as a test adds: what comes due by that fires at once, in its order. */
export class ShiftedClock extends SystemClock {
  private shiftMs = 0;
  private readonly timers = new Set<Timer>();

  override now(): number {
    return super.now() + this.shiftMs;
  }

  override after(delayMs: number, act: () => void): Cancel {
    const timer: Timer = { due: this.now() + delayMs, act, cancel: () => undefined };
    timer.cancel = super.after(delayMs, () => this.fire(timer));
    this.timers.add(timer);
    return () => {
      timer.cancel();
      this.timers.delete(timer);
    };
  }

  shift(ms: number): void {
    this.shiftMs += ms;
    const due = [...this.timers].filter((timer) => timer.due <= this.now());
    for (const timer of due.sort((a, b) => a.due - b.due)) if (this.timers.has(timer)) this.fire(timer);
  }

  private fire(timer: Timer): void {
    timer.cancel();
    this.timers.delete(timer);
    timer.act();
  }
}
