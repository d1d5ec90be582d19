import { describe, expect, it } from '@jest/globals';
import { aCandidate } from '../../test/support/builders.js';
import { leastExpectedDelay } from './least-expected-delay.js';
import type { CandidateState } from './policy.js';

const SETTINGS = { exploreShare: 0.3, weightAlpha: 1, controlShare: 0 };

function expecting(
  signature: string,
  seconds: number,
  optimisticSeconds: number,
  barred = false,
): CandidateState {
  const expected = { seconds, harmSeconds: 0, optimisticSeconds, inFlight: 0 };
  return { ...aCandidate({ signature, barred }), expected };
}

describe('scouts of least-expected-delay', () => {
  it('go where it may well be quicker, and not while the last ones gave no sample', () => {
    const best = expecting('best', 10, 9);
    expect(leastExpectedDelay.shares([best, expecting('vague', 12, 4)], SETTINGS)).toEqual([0.98, 0.02]);
    expect(leastExpectedDelay.shares([best, expecting('vague', 12, 4, true)], SETTINGS)).toEqual([1, 0]);
  });
});
