import { SystemClock, type Cancel } from '../../src/kernel/index.js';

/** The system's clock; it knows how many of its timers have neither fired nor been cancelled. */
export class CountingClock extends SystemClock {
  private readonly timers = new Set<object>();

  get liveTimers(): number {
    return this.timers.size;
  }

  override after(delayMs: number, act: () => void): Cancel {
    const timer = {};
    this.timers.add(timer);
    const cancel = super.after(delayMs, () => {
      this.timers.delete(timer);
      act();
    });
    return () => {
      this.timers.delete(timer);
      cancel();
    };
  }
}
