import { describe, expect, it } from '@jest/globals';
import { aCandidate, aProven } from '../../test/support/builders.js';
import { scoutCostSeconds } from './scout-cost.js';

const UNPROVEN = aCandidate({ signature: 'new', status: 'stale', tps: 1000 });

describe('the cost of a scout', () => {
  it('is what it took beyond the expectation of the fastest proven candidate', () => {
    const eligible = [aProven('slow', 10), aProven('fast', 50), UNPROVEN];
    expect(scoutCostSeconds(eligible, 100, 5000)).toBe(3);
  });

  it('is nothing when the scout was faster than what is proven', () => {
    expect(scoutCostSeconds([aProven('slow', 10), UNPROVEN], 100, 2000)).toBe(0);
  });

  it('is unknown while nothing is proven', () => {
    expect(scoutCostSeconds([UNPROVEN], 100, 2000)).toBeNull();
    expect(scoutCostSeconds([], 100, 2000)).toBeNull();
  });
});
