import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aCandidate, aProven } from '../../test/support/builders.js';
import { bestConsidered } from './considered.js';
import type { CandidateState } from './policy.js';
import { POLICIES } from './policies.js';
import { seededRng } from '../kernel/index.js';

const SETTINGS = { exploreShare: 0.3, weightAlpha: 1 };

function many(count: number): CandidateState[] {
  return Array.from({ length: count }, (_, at) => aProven(`s${String(at)}`, 10 + at));
}

const names = (states: readonly CandidateState[]): string[] => states.map(({ signature }) => signature);

describe('of the candidates of a choice', () => {
  it('all are kept, and nothing is said of others, where they are few', () => {
    const eligible = many(8);
    expect(bestConsidered(eligible, [], 3, 8)).toEqual({ eligible });
    expect(bestConsidered(eligible, [], 3, 8).eligible).toBe(eligible);
  });

  it('the largest shares are kept with what they were in the whole choice, and the chosen one', () => {
    const eligible = many(20);
    const shares = POLICIES.proportional.shares(eligible, SETTINGS);
    const kept = bestConsidered(eligible, shares, 0, 8);
    expect(names(kept.eligible)).toEqual(['s0', 's13', 's14', 's15', 's16', 's17', 's18', 's19']);
    expect(kept.shares).toEqual([0, 13, 14, 15, 16, 17, 18, 19].map((at) => shares[at]));
    expect(kept.moreEligible).toBe(12);
  });

  it('the fastest proven other one is kept, whatever its share', () => {
    const eligible = many(20);
    const shares = eligible.map((_, at) => (at < 10 ? 0.1 : 0));
    expect(names(bestConsidered(eligible, shares, 1, 4).eligible)).toEqual(['s1', 's8', 's9', 's19']);
    expect(names(bestConsidered(eligible, shares, 19, 4).eligible)).toEqual(['s8', 's9', 's18', 's19']);
  });

  it('those expected first are kept where shares are equal', () => {
    const eligible = Array.from({ length: 20 }, (_, at) =>
      aCandidate({
        signature: `s${String(at)}`,
        expected: { seconds: 100 - at, harmSeconds: 0, optimisticSeconds: null, inFlight: 0 },
      }),
    );
    const equal = eligible.map(() => 0.05);
    expect(names(bestConsidered(eligible, equal, 0, 4).eligible)).toEqual(['s0', 's17', 's18', 's19']);
  });

  it('as many are kept as there may be, each once, the chosen one with its probability', () => {
    const speeds = fc.array(fc.option(fc.integer({ min: 1, max: 50 })), { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(speeds, fc.integer({ min: 2, max: 12 }), fc.nat(), (tps, most, seed) => {
        const eligible = tps.map((value, at) =>
          value === null ? aCandidate({ signature: String(at) }) : aProven(String(at), value),
        );
        const { index, probability } = POLICIES.proportional.choose(eligible, SETTINGS, seededRng(seed));
        const whole = POLICIES.proportional.shares(eligible, SETTINGS);
        const kept = bestConsidered(eligible, whole, index, most);
        expect(new Set(names(kept.eligible)).size).toBe(Math.min(most, eligible.length));
        expect(kept.eligible.length + (kept.moreEligible ?? 0)).toBe(eligible.length);
        const at = names(kept.eligible).indexOf(String(index));
        expect((kept.shares ?? whole)[at]).toBeCloseTo(probability, 12);
      }),
    );
  });
});
