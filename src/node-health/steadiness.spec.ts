import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  CLEAN_TRACK,
  reputationOf,
  steadinessOf,
  withFailure,
  withoutFailure,
  withSuccess,
  type Track,
} from './reputation.js';

const H = 600_000;

/** A track of successes (true) and failures, all at once. */
function trackOf(...attempts: boolean[]): Track {
  return attempts.reduce((track, ok) => (ok ? withSuccess : withFailure)(track, 0, H), CLEAN_TRACK);
}

/** The mean steadiness of a node that fails one of `period` attempts, after its first ninety failures. */
function steadyStateOf(period: number): number {
  let track = CLEAN_TRACK;
  let sum = 0;
  for (let n = 0; n < 100 * period; n += 1) {
    track = (n % period === 0 ? withFailure : withSuccess)(track, 0, H);
    if (n >= 90 * period) sum += steadinessOf(track);
  }
  return sum / (10 * period);
}

describe('the recent success share', () => {
  it('is 1 at first, and stays so while nothing fails', () => {
    expect(CLEAN_TRACK.recent).toBe(1);
    expect(trackOf(true, true, true).recent).toBe(1);
  });

  it('moves by a fifth of the way with each attempt', () => {
    expect(trackOf(false).recent).toBeCloseTo(0.8, 12);
    expect(trackOf(false, false).recent).toBeCloseTo(0.64, 12);
    expect(trackOf(false, true).recent).toBeCloseTo(0.84, 12);
  });

  it('does not change with time alone', () => {
    const track = trackOf(false, false);
    expect(withSuccess(track, 1000 * H, H).recent).toBe(withSuccess(track, 0, H).recent);
    expect(withFailure(track, 1000 * H, H).recent).toBe(withFailure(track, 0, H).recent);
  });

  it('forgets by about the last ten attempts', () => {
    const failed = trackOf(...Array.from({ length: 20 }, () => false));
    let track = failed;
    for (let n = 0; n < 10; n += 1) track = withSuccess(track, 0, H);
    expect(failed.recent).toBeLessThan(0.02);
    expect(track.recent).toBeGreaterThan(0.89);
  });
});

describe('steadiness', () => {
  it('is 1 for a node that never failed', () => {
    expect(steadinessOf(CLEAN_TRACK)).toBe(1);
    expect(steadinessOf(trackOf(true, true))).toBe(1);
  });

  it('is the eighth power of the recent share', () => {
    expect(steadinessOf({ ...CLEAN_TRACK, recent: 0.9 })).toBeCloseTo(0.43, 2);
    expect(steadinessOf({ ...CLEAN_TRACK, recent: 0.5 })).toBeCloseTo(0.0039, 4);
  });

  it('is little for a node that fails each second attempt, and much for one that fails one of fifty', () => {
    expect(steadyStateOf(2)).toBeLessThan(0.02);
    expect(steadyStateOf(50)).toBeGreaterThan(0.8);
    expect(steadyStateOf(10)).toBeGreaterThan(steadyStateOf(5));
  });

  it('stays above 0 and at most 1, whatever happened, and falls with failures alone', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (attempts) => {
        let track = CLEAN_TRACK;
        for (const ok of attempts) {
          const before = steadinessOf(track);
          track = (ok ? withSuccess : withFailure)(track, 0, H);
          const after = steadinessOf(track);
          expect(after > 0 && after <= 1).toBe(true);
          expect(ok ? after >= before : after <= before).toBe(true);
        }
      }),
    );
  });

  it('is one billionth at least, after thousands of failures', () => {
    expect(steadinessOf(trackOf(...Array.from({ length: 5000 }, () => false)))).toBe(1e-9);
  });
});

describe('a failure that is taken back', () => {
  it('leaves the track as if it had not been', () => {
    const history = fc.array(fc.boolean(), { maxLength: 30 });
    fc.assert(
      fc.property(history, fc.nat(H), (attempts, later) => {
        const before = trackOf(...attempts);
        const after = withoutFailure(withFailure(before, later, H), later, H);
        expect(after.ok).toBeCloseTo(before.ok * 2 ** (-later / H), 9);
        expect(after.failed).toBeCloseTo(before.failed * 2 ** (-later / H), 9);
        expect(after.recent).toBeCloseTo(before.recent, 9);
        expect(after.at).toBe(later);
        expect(reputationOf(after, later, H)).toBeCloseTo(reputationOf(before, later, H), 9);
      }),
    );
  });

  it('leaves a little where some of it has decayed', () => {
    const after = withoutFailure(trackOf(false, false), H / 60, H);
    expect(after.failed).toBeLessThan(1);
    expect(after.failed).toBeCloseTo(1, 1);
  });

  it('never makes more of a node than there can be', () => {
    expect(withoutFailure(CLEAN_TRACK, 0, H)).toEqual(CLEAN_TRACK);
    const after = withoutFailure(trackOf(false, ...Array.from({ length: 40 }, () => true)), 9 * H, H);
    expect([after.failed, after.recent]).toEqual([0, 1]);
  });

  it('gains nothing by a clock that steps back', () => {
    const track = withFailure(trackOf(true), 1000, H);
    expect(withoutFailure(track, 0, H)).toEqual({ ...track, failed: 0, recent: 1, at: 0 });
  });
});
