import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Cancel, Clock } from '../kernel/clock.js';
import { Pace } from './pace.js';

/** Fires each timer at once on whole milliseconds, `lateMs` late, as the event loop does; counts the timers. */
class TimerClock implements Clock {
  timers = 0;
  private atMs = 0;

  constructor(private readonly lateMs: number) {}

  now(): number {
    return this.atMs;
  }

  wallMs(): number {
    return this.atMs;
  }

  after(delayMs: number, act: () => void): Cancel {
    this.timers += 1;
    this.atMs += Math.max(1, Math.trunc(delayMs)) + this.lateMs;
    queueMicrotask(act);
    return () => undefined;
  }
}

const never = new AbortController().signal;

describe('the pace of a sequence', () => {
  it('averages to its cost, whatever fraction of a millisecond that is and however late timers fire', async () => {
    const cost = fc.double({ min: 0.01, max: 30, noNaN: true });
    const late = fc.double({ min: 0, max: 5, noNaN: true });
    await fc.assert(
      fc.asyncProperty(cost, late, async (costMs, lateMs) => {
        const clock = new TimerClock(lateMs);
        const pace = new Pace(clock);
        for (let token = 0; token < 200; token += 1) await pace.spend(costMs, never);
        expect(Math.abs(clock.now() - 200 * costMs)).toBeLessThanOrEqual(1 + lateMs + 1e-6);
      }),
    );
  });

  it('makes up for at most 100 ms of lateness', async () => {
    const clock = new TimerClock(60_000);
    const pace = new Pace(clock);
    await pace.spend(10, never);
    for (let token = 0; token < 11; token += 1) await pace.spend(10, never);
    expect(clock.timers).toBe(2);
  });

  it('sets no timer for a cost of 0', async () => {
    const clock = new TimerClock(0);
    await new Pace(clock).spend(0, never);
    expect(clock.timers).toBe(0);
  });

  it('stops as soon as nobody waits for it', async () => {
    const leaving = new AbortController();
    const canceled: string[] = [];
    const clock: Clock = { now: () => 0, wallMs: () => 0, after: () => () => canceled.push('timer') };
    const spent = new Pace(clock).spend(1_000, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(spent).rejects.toThrow('left');
    expect(canceled).toEqual(['timer']);
    await expect(new Pace(clock).spend(0, leaving.signal)).rejects.toThrow('left');
  });
});
