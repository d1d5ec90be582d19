import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aCandidate, aProven } from '../../test/support/builders.js';
import { seededRng } from '../kernel/index.js';
import { POLICIES, type CandidateState, type PolicySettings } from './index.js';
import { byPrior, byYield } from './ranking.js';

const { proportional } = POLICIES;
const leastDelay = POLICIES['least-expected-delay'];
const SETTINGS: PolicySettings = { exploreShare: 0.3, weightAlpha: 1, loadHarm: 0.25, controlShare: 0 };

/** The signature chosen with dice that always show `shown`. */
function chosen(candidates: readonly CandidateState[], shown = 0): string {
  const { index, mode } = proportional.choose(candidates, SETTINGS, () => shown);
  return `${mode} ${candidates[index]!.signature}`;
}

function delayed(signature: string, seconds: number, stated: Partial<CandidateState> = {}): CandidateState {
  const expected = { seconds, harmSeconds: 0, optimisticSeconds: null, inFlight: 0 };
  return aCandidate({ signature, expected, ...stated });
}

function delayShares(...candidates: CandidateState[]): number[] {
  return leastDelay.shares(candidates, SETTINGS);
}

describe('a route that gave nothing', () => {
  const doubted = aCandidate({ signature: 'a', priorTps: 100, nothings: 1 });
  const slow = aCandidate({ signature: 'b', priorTps: 1, hopCount: 4, scoutsInFlight: 3 });

  it('comes behind all others by prior, and in the order of priors among its like', () => {
    expect([byYield(doubted, slow), byYield(slow, doubted), byYield(doubted, doubted)]).toEqual([1, -1, 0]);
    expect(byPrior(doubted, slow)).toBeGreaterThan(0);
    expect(byPrior(doubted, { ...slow, nothings: 9 })).toBeLessThan(0);
  });

  it('is the proportional policy’s first choice only where no other route is left', () => {
    expect(chosen([doubted, slow])).toBe('scout b');
    expect(proportional.shares([doubted, slow], SETTINGS)).toEqual([0, 1]);
    expect(chosen([doubted])).toBe('scout a');
  });

  it('takes its place by prior where all routes gave nothing, however often', () => {
    const all = [
      { ...slow, nothings: 1 },
      { ...doubted, nothings: 50 },
    ];
    expect(chosen(all)).toBe('scout a');
    expect(proportional.shares(all, SETTINGS)).toEqual([0, 1]);
  });

  it('is scouted after the others, though it is measured least', () => {
    const proven = aProven('p', 10);
    const stale = aCandidate({ signature: 's', status: 'stale', mass: 9, scoutsInFlight: 2 });
    expect(chosen([proven, doubted, stale])).toBe('scout s');
    expect(chosen([proven, doubted, { ...stale, nothings: 1 }])).toBe('scout a');
    expect(chosen([proven, doubted, { ...stale, barred: true }])).toBe('scout a');
    expect(chosen([proven, doubted])).toBe('scout a');
  });

  it('keeps its share while it is proven, since its evidence goes by halves', () => {
    const shares = proportional.shares([aProven('a', 10, { nothings: 4 }), aProven('b', 10)], SETTINGS);
    expect(shares).toEqual([0.5, 0.5]);
  });

  it('costs least-expected-delay twice as much with each chat in a row', () => {
    expect(delayShares(delayed('a', 5, { nothings: 1 }), delayed('b', 9.9))).toEqual([0, 1]);
    expect(delayShares(delayed('a', 5, { nothings: 1 }), delayed('b', 10.1))).toEqual([1, 0]);
    expect(delayShares(delayed('a', 5, { nothings: 1 }), delayed('b', 10))).toEqual([0.5, 0.5]);
    expect(delayShares(delayed('a', 5, { nothings: 3 }), delayed('b', 39))).toEqual([0, 1]);
    expect(delayShares(delayed('a', 5, { nothings: 3 }), delayed('b', 41))).toEqual([1, 0]);
  });

  it('costs least-expected-delay 2^20 times as much at most', () => {
    expect(delayShares(delayed('a', 1, { nothings: 20 }), delayed('b', 1, { nothings: 5000 }))).toEqual([
      0.5, 0.5,
    ]);
    expect(delayShares(delayed('a', 1, { nothings: 5000 }), delayed('b', 2 ** 21))).toEqual([1, 0]);
  });

  it('costs least-expected-delay more by what it takes from others, too', () => {
    const harm = { seconds: 4, harmSeconds: 4, optimisticSeconds: null, inFlight: 1 };
    const a = aCandidate({ signature: 'a', expected: harm, nothings: 1 });
    expect(delayShares(a, delayed('b', 9.9))).toEqual([0, 1]);
    expect(delayShares(a, delayed('b', 10.1))).toEqual([1, 0]);
  });
});

describe('a route that fails often', () => {
  it('has its proportional share times its steadiness', () => {
    const shares = proportional.shares([aProven('a', 10, { steadiness: 0.25 }), aProven('b', 10)], SETTINGS);
    expect(shares).toEqual([expect.closeTo(0.2, 12), expect.closeTo(0.8, 12)]);
  });

  it('gets a small share though it is the fastest', () => {
    const [a] = proportional.shares([aProven('a', 100, { steadiness: 0.004 }), aProven('b', 10)], SETTINGS);
    expect(a).toBeCloseTo(0.04 / 1.04, 12);
  });

  it('has all where no other is proven', () => {
    expect(proportional.shares([aProven('a', 10, { steadiness: 1e-9 })], SETTINGS)).toEqual([1]);
  });

  it('does not lose its place by prior', () => {
    const [unsteady, slow] = [
      aCandidate({ signature: 'a', steadiness: 0.1 }),
      aCandidate({ signature: 'b', priorTps: 9 }),
    ];
    expect(proportional.shares([unsteady, slow], SETTINGS)).toEqual([1, 0]);
  });

  it('costs least-expected-delay as much more as its steadiness is less', () => {
    expect(delayShares(delayed('a', 5, { steadiness: 0.5 }), delayed('b', 9.9))).toEqual([0, 1]);
    expect(delayShares(delayed('a', 5, { steadiness: 0.5 }), delayed('b', 10.1))).toEqual([1, 0]);
    expect(delayShares(delayed('a', 5, { steadiness: 0.5, nothings: 1 }), delayed('b', 19))).toEqual([0, 1]);
  });
});

describe('any doubts', () => {
  const doubts = fc.record({
    nothings: fc.nat(5000),
    steadiness: fc.oneof(fc.double({ min: 5e-324, max: 1, noNaN: true }), fc.constantFrom(1, 5e-324, 1e-300)),
    tps: fc.constantFrom(0, 1, 10, 1e300),
    seconds: fc.constantFrom(0, 1, 10, 1e300, Infinity),
    isProven: fc.boolean(),
  });
  const candidates = fc.array(doubts, { minLength: 1, maxLength: 6 }).map((rows) =>
    rows.map(({ nothings, steadiness, tps, seconds, isProven }, at) => ({
      ...delayed(`s${at}`, seconds, { nothings, steadiness }),
      ...(isProven ? { status: 'proven' as const, tps, mass: 1 } : {}),
    })),
  );

  it.each(['proportional', 'least-expected-delay'] as const)('leave shares of %s that sum to 1', (name) => {
    fc.assert(
      fc.property(candidates, fc.integer(), (all, seed) => {
        const shares = POLICIES[name].shares(all, SETTINGS);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
        const { index, probability } = POLICIES[name].choose(all, SETTINGS, seededRng(seed));
        expect(probability).toBeCloseTo(shares[index]!, 12);
        expect(probability).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});
