import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CLEAN_TRACK, reputationOf, withFailure, withSuccess } from './reputation.js';

const H = 600_000;

describe('reputation', () => {
  it('is 1 where nothing is known and where nothing went wrong', () => {
    expect(reputationOf(CLEAN_TRACK, 0, H)).toBe(1);
    expect(reputationOf(withSuccess(CLEAN_TRACK, 5, H), 5, H)).toBe(1);
  });

  it('is (ok + 1) / (ok + failed + 1)', () => {
    let track = CLEAN_TRACK;
    for (let at = 0; at < 3; at += 1) track = withSuccess(track, 0, H);
    track = withFailure(withFailure(track, 0, H), 0, H);
    expect(reputationOf(track, 0, H)).toBe(4 / 6);
    expect(reputationOf(withFailure(CLEAN_TRACK, 0, H), 0, H)).toBe(1 / 2);
  });

  it('halves both counts every half-life', () => {
    let track = withFailure(CLEAN_TRACK, 0, H);
    track = withFailure(track, 0, H);
    track = withSuccess(track, 0, H);
    expect(reputationOf(track, H, H)).toBeCloseTo(1.5 / 2.5, 12);
    expect(reputationOf(track, 2 * H, H)).toBeCloseTo(1.25 / 1.75, 12);
    expect(reputationOf(withFailure(track, H, H), H, H)).toBeCloseTo(1.5 / 3.5, 12);
    expect(reputationOf(track, 1e9 * H, H)).toBe(1);
  });

  it('gains nothing by a clock that steps back', () => {
    const track = withFailure(CLEAN_TRACK, 1000, H);
    expect(reputationOf(track, 0, H)).toBe(1 / 2);
  });

  it('stays above 0 and at most 1, whatever happens when', () => {
    const happening = fc.record({ ok: fc.boolean(), after: fc.nat(3 * H) });
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 200 }), (happenings) => {
        let now = 0;
        let track = CLEAN_TRACK;
        for (const { ok, after } of happenings) {
          now += after;
          const before = reputationOf(track, now, H);
          track = (ok ? withSuccess : withFailure)(track, now, H);
          const reputation = reputationOf(track, now, H);
          expect(reputation).toBeGreaterThan(0);
          expect(reputation).toBeLessThanOrEqual(1);
          expect(ok ? reputation >= before - 1e-12 : reputation < before).toBe(true);
        }
      }),
    );
  });
});
