import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aCandidate, aProven } from '../../test/support/builders.js';
import { seededRng, type Rng } from '../kernel/index.js';
import { POLICIES, type CandidateState, type PolicySettings } from './index.js';

const { proportional } = POLICIES;
const SETTINGS: PolicySettings = { exploreShare: 0.3, weightAlpha: 1 };

/** Dice that show these numbers, and fail when they are thrown once more. */
function dice(...shown: number[]): Rng {
  return () => {
    const next = shown.shift();
    if (next === undefined) throw new Error('thrown too often');
    return next;
  };
}

function chosen(candidates: readonly CandidateState[], settings: Partial<PolicySettings>, rng: Rng): unknown {
  const { index, mode } = proportional.choose(candidates, { ...SETTINGS, ...settings }, rng);
  return `${mode} ${candidates[index]?.signature ?? ''}`;
}

/** Any handful of candidates in any state that may come up, and some that should not. */
const anyCandidates: fc.Arbitrary<CandidateState[]> = fc
  .array(
    fc.record({
      status: fc.constantFrom<CandidateState['status']>('proven', 'unsampled', 'stale', 'decayed'),
      tps: fc.oneof(
        fc.double({ min: 0, max: 1e4, noNaN: true }),
        fc.constantFrom(0, 5e-324, 1e-300, 1, 15, 1e300, Number.MAX_VALUE),
        fc.constant(null),
      ),
      mass: fc.double({ min: 0, max: 20, noNaN: true }),
      priorTps: fc.oneof(fc.constantFrom(5, 10), fc.double({ min: 0, max: 1e6, noNaN: true })),
      hopCount: fc.integer({ min: 1, max: 4 }),
      scoutsInFlight: fc.nat(3),
      barred: fc.boolean(),
      nothings: fc.constantFrom(0, 0, 1, 5),
      steadiness: fc.constantFrom(1, 1, 0.43, 1e-9),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((rows) => rows.map((row, at) => ({ ...row, signature: `s${String(at)}` })));
const anySettings: fc.Arbitrary<PolicySettings> = fc.record({
  exploreShare: fc.oneof(fc.constantFrom(0, 0.3, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  weightAlpha: fc.oneof(fc.constantFrom(0, 1, 16), fc.double({ min: 0, max: 16, noNaN: true })),
});

describe('with nothing proven', () => {
  it('the best prior is chosen for certain, without throwing dice; ties: fewer hops, then signature', () => {
    const slow = aCandidate({ signature: 'a', priorTps: 5 });
    const long = aCandidate({ signature: 'b', hopCount: 2 });
    const late = aCandidate({ signature: 'd' });
    const best = aCandidate({ signature: 'c' });
    const choice = proportional.choose([slow, long, late, best], SETTINGS, dice());
    expect(choice).toEqual({ index: 3, mode: 'scout', probability: 1 });
    expect(proportional.shares([slow, long, late, best], SETTINGS)).toEqual([0, 0, 0, 1]);
  });

  it('neither mass nor a bar nor scouts under way change that', () => {
    const best = aCandidate({ signature: 'a', priorTps: 20, status: 'stale', tps: 3, mass: 9, barred: true });
    const other = aCandidate({ signature: 'b', priorTps: 10 });
    expect(chosen([other, best], {}, dice())).toBe('scout a');
  });
});

describe('with a route waiting to be scouted', () => {
  const proven = aProven('p', 10);
  const fresh = aCandidate({ signature: 'u' });

  it('a draw below explore_share scouts it, and none above does', () => {
    expect(chosen([proven, fresh], {}, dice(0.2999))).toBe('scout u');
    expect(chosen([proven, fresh], {}, dice(0.3, 0.5))).toBe('exploit p');
  });

  it('explore_share 0 never scouts, and 1 always does', () => {
    expect(chosen([proven, fresh], { exploreShare: 0 }, dice(0, 0.999))).toBe('exploit p');
    expect(chosen([proven, fresh], { exploreShare: 1 }, dice(0.999_999))).toBe('scout u');
    expect(proportional.shares([proven, fresh], { ...SETTINGS, exploreShare: 0 })).toEqual([1, 0]);
    expect(proportional.shares([proven, fresh], { ...SETTINGS, exploreShare: 1 })).toEqual([0, 1]);
  });

  it.each(['unsampled', 'stale', 'decayed'] as const)('%s counts as waiting', (status) => {
    expect(chosen([proven, aCandidate({ signature: 'u', status, tps: 99, mass: 0.4 })], {}, dice(0))).toBe(
      'scout u',
    );
  });

  it('the least measured goes first, a scout under way counted as one sample', () => {
    const stale = aCandidate({ signature: 'stale', status: 'stale', mass: 0.9 });
    const decayed = aCandidate({ signature: 'decayed', status: 'decayed', mass: 0.4 });
    expect(chosen([proven, stale, decayed], {}, dice(0))).toBe('scout decayed');
    expect(chosen([proven, stale, { ...decayed, scoutsInFlight: 1 }], {}, dice(0))).toBe('scout stale');
    expect(chosen([{ ...decayed, scoutsInFlight: 1 }, stale, proven], {}, dice(0))).toBe('scout stale');
    expect(
      chosen([proven, { ...stale, scoutsInFlight: 1 }, { ...decayed, scoutsInFlight: 2 }], {}, dice(0)),
    ).toBe('scout stale');
  });

  it('ties go to the higher prior, then by signature', () => {
    const low = aCandidate({ signature: 'a', priorTps: 5 });
    const high = aCandidate({ signature: 'c', priorTps: 9, hopCount: 3 });
    const twin = aCandidate({ signature: 'b', priorTps: 9, hopCount: 4 });
    expect(chosen([proven, low, high, twin], {}, dice(0))).toBe('scout b');
    expect(chosen([proven, low, high], {}, dice(0))).toBe('scout c');
  });

  it('a barred one is passed over, and with all barred nothing is scouted', () => {
    const barred = aCandidate({ signature: 'a', barred: true });
    expect(chosen([proven, barred, fresh], {}, dice(0))).toBe('scout u');
    expect(chosen([proven, barred], {}, dice(0))).toBe('exploit p');
    expect(proportional.shares([proven, barred], SETTINGS)).toEqual([1, 0]);
  });
});

describe('among the proven', () => {
  it('traffic goes by tps^alpha', () => {
    const [fast, slow] = [aProven('f', 15), aProven('s', 10)];
    const shares = (weightAlpha: number): number[] =>
      proportional.shares([fast, slow], { ...SETTINGS, weightAlpha });
    expect(shares(1)).toEqual([expect.closeTo(0.6, 12), expect.closeTo(0.4, 12)]);
    expect(shares(2)).toEqual([expect.closeTo(9 / 13, 12), expect.closeTo(4 / 13, 12)]);
    expect(shares(0)).toEqual([0.5, 0.5]);
    expect(shares(16)[0]).toBeGreaterThan(0.998);
  });

  it('the draw falls into the parts in the order of the candidates', () => {
    const candidates = [aProven('a', 6), aCandidate({ signature: 'u', barred: true }), aProven('b', 4)];
    expect(chosen(candidates, {}, dice(0))).toBe('exploit a');
    expect(chosen(candidates, {}, dice(0.599))).toBe('exploit a');
    expect(chosen(candidates, {}, dice(0.601))).toBe('exploit b');
    expect(chosen(candidates, {}, dice(1 - Number.EPSILON))).toBe('exploit b');
  });

  it('speeds of nothing share evenly, and beside any speed get nothing', () => {
    expect(proportional.shares([aProven('a', 0), aProven('b', 0)], SETTINGS)).toEqual([0.5, 0.5]);
    expect(proportional.shares([aProven('a', 0), aProven('b', 1e-300)], SETTINGS)).toEqual([0, 1]);
  });

  it('no speed is too large or too small for any alpha', () => {
    const huge = [aProven('a', Number.MAX_VALUE), aProven('b', Number.MAX_VALUE / 2), aProven('c', 5e-324)];
    const [a, b, c] = proportional.shares(huge, { ...SETTINGS, weightAlpha: 16 });
    expect(a).toBeCloseTo(1, 4);
    expect(b).toBeCloseTo(2 ** -16, 8);
    expect(c).toBe(0);
  });
});

describe('shares', () => {
  it('of no candidates are none', () => {
    expect(proportional.shares([], SETTINGS)).toEqual([]);
  });

  it('are probabilities that sum to 1, for any candidates and settings', () => {
    fc.assert(
      fc.property(anyCandidates, anySettings, (candidates, settings) => {
        const shares = proportional.shares(candidates, settings);
        expect(shares).toHaveLength(candidates.length);
        for (const share of shares) expect(share >= 0 && share <= 1 + 1e-12).toBe(true);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
      }),
      { numRuns: 1000 },
    );
  });

  it('are the very probabilities that choices carry', () => {
    fc.assert(
      fc.property(anyCandidates, anySettings, fc.integer(), (candidates, settings, seed) => {
        const { index, probability } = proportional.choose(candidates, settings, seededRng(seed));
        expect(probability).toBe(proportional.shares(candidates, settings)[index]);
        expect(probability).toBeGreaterThan(0);
      }),
      { numRuns: 1000 },
    );
  });

  it('are how often each candidate is chosen', () => {
    fc.assert(
      fc.property(anyCandidates, anySettings, fc.integer(), (candidates, settings, seed) => {
        const shares = proportional.shares(candidates, settings);
        const rng = seededRng(seed);
        const draws = 4000;
        const counts = candidates.map(() => 0);
        for (let at = 0; at < draws; at += 1) {
          const { index } = proportional.choose(candidates, settings, rng);
          counts[index] = (counts[index] ?? 0) + 1;
        }
        // Six standard deviations of a frequency over so many draws.
        const off = counts.map((count, at) => Math.abs(count / draws - (shares[at] ?? 0)));
        expect(Math.max(...off)).toBeLessThan(6 * Math.sqrt(0.25 / draws));
      }),
      { numRuns: 60 },
    );
  });

  it('never give a barred route a scout while another is proven', () => {
    fc.assert(
      fc.property(anyCandidates, anySettings, (candidates, settings) => {
        fc.pre(candidates.some(({ status }) => status === 'proven'));
        proportional.shares(candidates, settings).forEach((share, at) => {
          const candidate = candidates[at];
          if (candidate?.barred === true && candidate.status !== 'proven') expect(share).toBe(0);
        });
      }),
    );
  });
});
