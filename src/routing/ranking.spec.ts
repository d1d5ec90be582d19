import { describe, expect, it } from '@jest/globals';
import { aCandidate } from '../../test/support/builders.js';
import { allOnBestPrior, byPrior, firstBy } from './ranking.js';

describe('byPrior', () => {
  it('ranks by prior, then fewer scouts under way, then fewer hops, then signature', () => {
    const ranked = [
      aCandidate({ signature: '0', priorTps: 9, scoutsInFlight: 1 }),
      aCandidate({ signature: 'b', priorTps: 9 }),
      aCandidate({ signature: 'a', priorTps: 9, hopCount: 2 }),
      aCandidate({ signature: 'a', priorTps: 9 }),
      aCandidate({ signature: 'z', priorTps: 10, hopCount: 4 }),
    ].sort(byPrior);
    expect(ranked.map(({ signature, hopCount }) => `${signature}${String(hopCount)}`)).toEqual([
      'z4',
      'a1',
      'b1',
      'a2',
      '01',
    ]);
  });
});

describe('firstBy', () => {
  const candidates = ['c', 'a', 'b'].map((signature) => aCandidate({ signature }));

  it('finds the first in the order, whatever the order of the list', () => {
    expect(firstBy(candidates, byPrior)).toBe(1);
    expect(firstBy([...candidates].reverse(), byPrior)).toBe(1);
  });

  it('passes over what does not qualify, and says -1 where nothing does', () => {
    expect(firstBy(candidates, byPrior, ({ signature }) => signature !== 'a')).toBe(2);
    expect(firstBy(candidates, byPrior, () => false)).toBe(-1);
    expect(firstBy([], byPrior)).toBe(-1);
  });
});

describe('allOnBestPrior', () => {
  it('gives the best prior everything, and nobody anything where there is nobody', () => {
    const priors = [3, 9, 5].map((priorTps) => aCandidate({ signature: String(priorTps), priorTps }));
    expect(allOnBestPrior(priors)).toEqual([0, 1, 0]);
    expect(allOnBestPrior([])).toEqual([]);
  });
});
