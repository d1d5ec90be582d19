import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aNode, MODEL } from '../../test/support/builders.js';
import { SilentLogger } from '../../test/support/silent-logger.js';
import { EventBus } from '../kernel/index.js';
import { SilenceService, type SilentAttempt } from './silence.service.js';

let bus: EventBus;
let silence: SilenceService;
beforeEach(() => {
  bus = new EventBus(new SilentLogger());
  silence = new SilenceService(bus);
});

function spoke(...waitsMs: number[]): void {
  for (const ms of waitsMs) silence.spoke(MODEL, true, ms);
}

describe('the usual wait', () => {
  it('is unknown until a first word came, of streams and of JSON answers apart', () => {
    expect([silence.usualMs(MODEL, true), silence.usualMs(MODEL, false)]).toEqual([null, null]);
    spoke(200);
    expect([silence.usualMs(MODEL, true), silence.usualMs(MODEL, false)]).toEqual([200, null]);
    silence.spoke(MODEL, false, 5000);
    expect([silence.usualMs(MODEL, true), silence.usualMs(MODEL, false)]).toEqual([200, 5000]);
    expect(silence.usualMs('other', true)).toBeNull();
  });

  it('moves by a tenth of the way, in factors', () => {
    spoke(1000, 1000 * 2 ** 10);
    expect(silence.usualMs(MODEL, true)).toBeCloseTo(2000, 9);
    spoke(2000 / 2 ** 10);
    expect(silence.usualMs(MODEL, true)).toBeCloseTo(1000, 9);
  });

  it('is hardly moved by one wait of an hour', () => {
    spoke(...Array.from({ length: 20 }, () => 200), 3_600_000);
    expect(silence.usualMs(MODEL, true)).toBeLessThan(600);
  });

  it('takes an instant first word for one of 1 ms', () => {
    spoke(0);
    expect(silence.usualMs(MODEL, true)).toBe(1);
    spoke(-5, 0.2);
    expect(silence.usualMs(MODEL, true)).toBe(1);
  });

  it('lies between the shortest and the longest wait', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1e7 }), { minLength: 1 }), (waits) => {
        const one = new SilenceService(bus);
        for (const ms of waits) one.spoke(MODEL, false, ms);
        const usual = one.usualMs(MODEL, false)!;
        expect(usual).toBeGreaterThanOrEqual(Math.min(...waits) * (1 - 1e-9));
        expect(usual).toBeLessThanOrEqual(Math.max(...waits) * (1 + 1e-9));
      }),
    );
  });

  it('is forgotten with its model', () => {
    spoke(200);
    bus.publish('model.forgotten', { model: MODEL, at: 0 });
    expect(silence.usualMs(MODEL, true)).toBeNull();
  });
});

describe('a long silence', () => {
  it('is 30 s while nothing is usual', () => {
    expect([silence.longMs(MODEL, true), silence.longMs(MODEL, false)]).toEqual([30_000, 30_000]);
    spoke(400);
    expect(silence.longMs(MODEL, false)).toBe(30_000);
  });

  it.each([
    [10, 1_000],
    [200, 1_000],
    [400, 2_000],
    [60_000, 300_000],
  ])('is five times the usual %i ms and at least a second: %i ms', (usual, long) => {
    spoke(usual);
    expect(silence.longMs(MODEL, true)).toBe(long);
  });
});

describe('a silent node', () => {
  const head = aNode({ wallet: 'w' });

  /** Attempts by their callers, with how often each was said to have got nothing. */
  interface Counted extends SilentAttempt {
    nothings: number;
  }

  function attempt(caller: string, on = head): Counted {
    const one: Counted = { head: on, caller, nothings: 0, gaveNothing: () => void (one.nothings += 1) };
    return one;
  }

  function fellSilent(...attempts: Counted[]): boolean[] {
    for (const one of attempts) silence.fellSilent(one);
    return attempts.map(({ nothings }) => nothings > 0);
  }

  it('gave nothing once two callers wait for it', () => {
    const [first, second] = [attempt('a'), attempt('b')];
    expect(fellSilent(first)).toEqual([false]);
    expect(fellSilent(second)).toEqual([true]);
    expect(first.nothings).toBe(1);
  });

  it('gave nothing to each attempt of the two, and to each after them', () => {
    const attempts = [attempt('a'), attempt('a'), attempt('b'), attempt('a')];
    expect(fellSilent(...attempts)).toEqual([true, true, true, true]);
  });

  it('is not found by one caller alone, however many attempts that has', () => {
    expect(fellSilent(attempt('a'), attempt('a'), attempt('a'))).toEqual([false, false, false]);
  });

  it('is not found by callers of two nodes', () => {
    expect(fellSilent(attempt('a'), attempt('b', aNode({ wallet: 'v' })))).toEqual([false, false]);
  });

  it('is not found by an attempt that has ended', () => {
    const over = attempt('a');
    fellSilent(over);
    silence.ended(over);
    expect(fellSilent(attempt('b'))).toEqual([false]);
    expect(over.nothings).toBe(0);
  });

  it('needs no silence for an attempt to end', () => {
    const never = attempt('a');
    silence.ended(never);
    expect(fellSilent(never)).toEqual([false]);
  });
});
