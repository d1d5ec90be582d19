import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  afterDetour,
  afterFailure,
  afterSuccess,
  afterWaiting,
  CLOSED_BREAKER,
  isBlocking,
  withoutProbe,
  withProbe,
  type Breaker,
} from './breaker.js';

function afterFailures(count: number, breaker = CLOSED_BREAKER, mayOpen = true): Breaker {
  let after = breaker;
  for (let n = 0; n < count; n += 1) after = afterFailure(after, mayOpen);
  return after;
}

/** Open, waited out, and its probe under way. */
function probing(breaker: Breaker): Breaker {
  return withProbe(afterWaiting(breaker));
}

describe('a breaker', () => {
  it('opens with the third failure in a row, for 15 s', () => {
    expect(afterFailures(2)).toEqual({ state: 'closed', failuresInRow: 2, openMs: 0, isProbing: false });
    expect(afterFailures(3)).toEqual({ state: 'open', failuresInRow: 3, openMs: 15_000, isProbing: false });
  });

  it('starts counting again with each success', () => {
    expect(afterSuccess()).toBe(CLOSED_BREAKER);
    expect(afterFailures(2, afterSuccess()).state).toBe('closed');
  });

  it('opens for twice as long with each probe that fails, up to 120 s', () => {
    let breaker = afterFailures(3);
    const waits = [breaker.openMs];
    for (let probe = 0; probe < 5; probe += 1) {
      breaker = afterFailure(probing(breaker), true);
      expect(breaker).toMatchObject({ state: 'open', isProbing: false });
      waits.push(breaker.openMs);
    }
    expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 120_000, 120_000]);
  });

  it('opens at once, and counts no failure, for a node that leads back, where it can be spared', () => {
    const open = afterDetour(CLOSED_BREAKER, true);
    expect(open).toEqual({ state: 'open', failuresInRow: 0, openMs: 15_000, isProbing: false });
    expect(afterDetour(open, true)).toEqual(open);
    expect(afterDetour(probing(open), true)).toMatchObject({ state: 'open', openMs: 30_000 });
    expect(afterDetour(probing(open), false)).toMatchObject({ state: 'half_open', isProbing: false });
    expect(afterDetour(afterFailures(2), false)).toEqual(afterFailures(2));
  });

  it('opens for 15 s again once a success has closed it', () => {
    expect(afterFailure(probing(afterFailures(3)), true).openMs).toBe(30_000);
    expect(afterFailures(3, afterSuccess()).openMs).toBe(15_000);
  });

  it('stays open as it is by failures of calls from before, or of those tried for want of better', () => {
    const open = afterFailures(3);
    expect(afterFailure(open, true)).toEqual({ ...open, failuresInRow: 4 });
    expect(afterFailure(open, false)).toEqual({ ...open, failuresInRow: 4 });
  });

  it('counts, but does not open, where the model cannot spare the node, and opens as soon as it can', () => {
    const held = afterFailures(7, CLOSED_BREAKER, false);
    expect(held).toEqual({ state: 'closed', failuresInRow: 7, openMs: 0, isProbing: false });
    expect(afterFailure(held, true)).toMatchObject({ state: 'open', openMs: 15_000 });
  });

  it('lets another probe try where one failed on a node that cannot be spared', () => {
    const after = afterFailure(probing(afterFailures(3)), false);
    expect(after).toMatchObject({ state: 'half_open', isProbing: false });
    expect(isBlocking(after)).toBe(false);
  });

  it('is half-open when its time is over, and only then', () => {
    expect(afterWaiting(afterFailures(3))).toMatchObject({ state: 'half_open', isProbing: false });
    expect(afterWaiting(CLOSED_BREAKER)).toBe(CLOSED_BREAKER);
    const half = probing(afterFailures(3));
    expect(afterWaiting(half)).toBe(half);
  });

  it('blocks while it is open, and half-open while its one probe is under way', () => {
    const open = afterFailures(3);
    const half = afterWaiting(open);
    expect([CLOSED_BREAKER, afterFailures(2), open, half, withProbe(half)].map(isBlocking)).toEqual([
      false,
      false,
      true,
      false,
      true,
    ]);
    expect(isBlocking(withoutProbe(withProbe(half)))).toBe(false);
  });

  it('never waits longer than 120 s or shorter than 15 s, and is never lost, whatever happens to it', () => {
    const step = fc.constantFrom<(breaker: Breaker) => Breaker>(
      (breaker) => afterFailure(breaker, true),
      (breaker) => afterFailure(breaker, false),
      afterWaiting,
      probing,
      withoutProbe,
      afterSuccess,
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        let breaker = CLOSED_BREAKER;
        for (const each of steps) {
          breaker = each(breaker);
          if (breaker.state !== 'closed') expect(breaker.openMs).toBeGreaterThanOrEqual(15_000);
          expect(breaker.openMs).toBeLessThanOrEqual(120_000);
        }
        // From wherever it is, time, a probe and a success let the node back in.
        expect(isBlocking(afterWaiting(withoutProbe(breaker)))).toBe(false);
      }),
    );
  });
});
