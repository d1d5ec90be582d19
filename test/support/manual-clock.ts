import type { Cancel, Clock } from '../../src/kernel/index.js';

interface Timer {
  readonly due: number;
  readonly act: () => void;
}

/** Time that moves only when a test says so. */
export class ManualClock implements Clock {
  private readonly timers = new Set<Timer>();

  constructor(
    private nowMs = 1_000_000,
    private wallOffsetMs = Date.UTC(2026, 0, 1),
  ) {}

  now(): number {
    return this.nowMs;
  }

  wallMs(): number {
    return this.wallOffsetMs + this.nowMs;
  }

  after(delayMs: number, act: () => void): Cancel {
    const timer = { due: this.nowMs + Math.max(0, delayMs), act };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  /** Timers that have neither fired nor been cancelled. */
  get liveTimers(): number {
    return this.timers.size;
  }

  /** Moves on, firing what comes due in order of time, at its time; also what those timers add on the way. */
  advance(ms: number): void {
    const end = this.nowMs + ms;
    for (let next = this.firstDueBy(end); next !== null; next = this.firstDueBy(end)) {
      this.timers.delete(next);
      this.nowMs = Math.max(this.nowMs, next.due);
      next.act();
    }
    this.nowMs = end;
  }

  /** The process stands still for so long: what comes due meanwhile fires late, and all at once. */
  stall(ms: number): void {
    this.nowMs += ms;
    this.advance(0);
  }

  /** The wall clock is set to another time, as people and NTP do; monotonic time doesn't notice. */
  stepWall(ms: number): void {
    this.wallOffsetMs += ms;
  }

  private firstDueBy(end: number): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.timers) {
      if (timer.due <= end && (first === null || timer.due < first.due)) first = timer;
    }
    return first;
  }
}
