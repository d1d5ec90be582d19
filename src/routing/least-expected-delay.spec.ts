import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aCandidate } from '../../test/support/builders.js';
import { seededRng } from '../kernel/index.js';
import { POLICIES, type CandidateState, type Expectation, type PolicySettings } from './index.js';

const policy = POLICIES['least-expected-delay'];
const SETTINGS: PolicySettings = { exploreShare: 0.3, weightAlpha: 1, loadHarm: 0.25, controlShare: 0 };

function candidate(signature: string, seconds: number, stated: Partial<Expectation> = {}): CandidateState {
  const expected = { seconds, harmSeconds: 0, optimisticSeconds: null, inFlight: 0, ...stated };
  return aCandidate({ signature, expected });
}

function shares(candidates: readonly CandidateState[], settings: Partial<PolicySettings> = {}): number[] {
  return policy.shares(candidates, { ...SETTINGS, ...settings });
}

const anyNumber = fc.oneof(
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.constantFrom(0, 1, NaN, Infinity),
);
const anyCandidates = fc
  .array(
    fc.record({
      seconds: anyNumber,
      harmSeconds: anyNumber,
      optimisticSeconds: fc.option(anyNumber),
      inFlight: fc.nat(9),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) => all.map((expected, at) => aCandidate({ signature: `s${at}`, expected })));

describe('least-expected-delay', () => {
  it('picks the route on which the call is expected to be done first', () => {
    expect(shares([candidate('a', 9), candidate('b', 5), candidate('c', 7)])).toEqual([0, 1, 0]);
  });

  it('weighs what a call takes from those already there', () => {
    const [fast, empty] = [candidate('fast', 5, { harmSeconds: 20 }), candidate('empty', 7)];
    expect(shares([fast, empty])).toEqual([0, 1]);
    expect(shares([fast, empty], { loadHarm: 0 })).toEqual([1, 0]);
  });

  it('draws among equals', () => {
    const rng = seededRng(1);
    const equals = [candidate('a', 5), candidate('b', 5 + 1e-12), candidate('c', 6)];
    const chosen = Array.from({ length: 200 }, () => policy.choose(equals, SETTINGS, rng).index);
    expect(new Set(chosen)).toEqual(new Set([0, 1]));
    expect(shares(equals)).toEqual([0.5, 0.5, 0]);
  });

  it('sends the control group to the route with the fewest calls under way', () => {
    const states = [candidate('best', 5, { inFlight: 2 }), candidate('idle', 50)];
    expect(shares(states, { controlShare: 0.1 })).toEqual([0.9, 0.1]);
    expect(policy.choose(states, { ...SETTINGS, controlShare: 1 }, seededRng(1))).toEqual({
      ...{ index: 1, mode: 'control', probability: 1 },
    });
  });

  it('scouts where a route may well be faster than the best, rarely, and never more than explore_share', () => {
    const vague = candidate('vague', 20, { optimisticSeconds: 4 });
    const slow = candidate('slow', 20, { optimisticSeconds: 6 });
    expect(shares([candidate('best', 5), vague, slow])).toEqual([0.98, 0.02, 0]);
    expect(shares([candidate('best', 5), vague], { exploreShare: 0.01 })).toEqual([0.99, 0.01]);
    expect(shares([candidate('best', 5), ...Array.from({ length: 9 }, () => vague)])[0]).toBeCloseTo(0.95);
    const rng = seededRng(2);
    const modes = Array.from({ length: 500 }, () =>
      policy.choose([candidate('best', 5), vague], SETTINGS, rng),
    );
    const scouts = modes.filter(({ mode }) => mode === 'scout');
    expect(scouts.length).toBeGreaterThan(1);
    expect(scouts.every(({ index }) => index === 1)).toBe(true);
  });

  it('puts a route of which nothing is expected last, and still picks one where there is no other', () => {
    expect(shares([aCandidate({ signature: 'unknown' }), candidate('known', 1e9)])).toEqual([0, 1]);
    const unknown = [aCandidate({ signature: 'unknown' })];
    expect(policy.choose(unknown, SETTINGS, seededRng(1))).toMatchObject({ index: 0, probability: 1 });
  });

  it('gives no shares for candidates that were logged under another policy', () => {
    expect(shares([aCandidate({ signature: 'a' }), aCandidate({ signature: 'b' })])).toEqual([0, 0]);
  });

  it('has shares that sum to 1, and chooses with the probability that it says', () => {
    fc.assert(
      fc.property(
        anyCandidates,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer(),
        (candidates, controlShare, exploreShare, seed) => {
          const settings = { ...SETTINGS, controlShare, exploreShare };
          const all = policy.shares(candidates, settings);
          expect(all.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
          const { index, probability } = policy.choose(candidates, settings, seededRng(seed >>> 0));
          expect(candidates[index]).toBeDefined();
          expect(probability).toBeCloseTo(all[index]!, 12);
          expect(probability).toBeGreaterThan(0);
        },
      ),
    );
  });
});
