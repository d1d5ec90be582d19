import { describe, expect, it } from '@jest/globals';
import { aCandidate } from '../../test/support/builders.js';
import { choiceWords } from './choice-words.js';
import type { CandidateState, Expectation } from './policy.js';

function expecting(signature: string, seconds: number, more: Partial<Expectation> = {}): CandidateState {
  const expected = { seconds, harmSeconds: 0, optimisticSeconds: null, inFlight: 0, ...more };
  return aCandidate({ signature, expected });
}

const ELIGIBLE = [expecting('a', 6.14), expecting('b', 7.88, { optimisticSeconds: 4 }), expecting('c', 61.2)];

describe('why a route was chosen, in words', () => {
  it('is what was expected of it and of the next best', () => {
    expect(choiceWords('exploit', 'a', { eligible: ELIGIBLE })).toBe('expected 6.1 s; next best 7.9 s');
  });

  it('is that there was no other', () => {
    const eligible = [expecting('a', 0.456)];
    expect(choiceWords('exploit', 'a', { eligible })).toBe('expected 0.46 s; no other candidate');
  });

  it('is, of a scout, what it may well be', () => {
    expect(choiceWords('scout', 'b', { eligible: ELIGIBLE })).toBe(
      'expected 7.9 s, perhaps 4.0 s; best 6.1 s',
    );
  });

  it('is, of the control group, how few calls were under way', () => {
    expect(choiceWords('control', 'c', { eligible: ELIGIBLE })).toBe(
      '0 under way, the fewest; expected 61 s, best 6.1 s',
    );
  });

  it('is nothing where the policy expects nothing, or nothing was chosen', () => {
    expect(choiceWords('exploit', 'a', { eligible: [aCandidate({ signature: 'a' })] })).toBeNull();
    expect(choiceWords('pinned', 'a', { eligible: [] })).toBeNull();
  });
});
