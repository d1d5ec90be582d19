import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { change, doublyRobust, effectiveSize, meanOf, selfNormalised, type Trial } from './estimates.js';

function trial(weight: number, earned: number, predicted = 0, expected = 0, expectedInForce = 0): Trial {
  return { weight, earned, predicted, expected, expectedInForce };
}

const someTrials = fc.array(
  fc
    .tuple(fc.double({ min: 0.01, max: 20, noNaN: true }), fc.double({ min: 0, max: 100, noNaN: true }))
    .map(([weight, earned]) => trial(weight, earned, 30, 40)),
  { minLength: 2, maxLength: 50 },
);

describe('the self-normalised estimate', () => {
  it('counts a call as often as the proposed setting would have chosen its route', () => {
    expect(selfNormalised([trial(3, 10), trial(1, 30)]).mean).toBe(15);
    expect(selfNormalised([trial(3, 10), trial(0, 1e6), trial(1, 30)]).mean).toBe(15);
  });

  it('is the plain mean with its usual interval where nothing is weighed', () => {
    const earned = [1, 5, 2, 8, 4];
    const plain = meanOf(earned);
    const weighed = selfNormalised(earned.map((each) => trial(1, each)));
    for (const end of ['mean', 'low', 'high'] as const) expect(weighed[end]).toBeCloseTo(plain[end], 9);
  });

  it('lies within what was earned', () => {
    fc.assert(
      fc.property(someTrials, (trials) => {
        const { mean } = selfNormalised(trials);
        const earned = trials.map((each) => each.earned);
        expect(mean).toBeGreaterThanOrEqual(Math.min(...earned) - 1e-9);
        expect(mean).toBeLessThanOrEqual(Math.max(...earned) + 1e-9);
      }),
    );
  });
});

describe('the doubly robust estimate', () => {
  it('is the expectation where calls earned what was predicted, however they are weighed', () => {
    const trials = [trial(4, 10, 10, 22), trial(0.5, 30, 30, 24)];
    expect(doublyRobust(trials).mean).toBe(23);
  });

  it('is the self-normalised one where nothing was predicted', () => {
    fc.assert(
      fc.property(someTrials, (given) => {
        const trials = given.map((each) => ({ ...each, predicted: 0, expected: 0 }));
        expect(doublyRobust(trials).mean).toBeCloseTo(selfNormalised(trials).mean, 6);
      }),
    );
  });

  it('is not misled by predictions that are all off by as much', () => {
    fc.assert(
      fc.property(someTrials, fc.double({ min: -50, max: 50, noNaN: true }), (trials, off) => {
        const others = trials.map((each) => ({
          ...{ ...each, predicted: each.predicted + off, expected: each.expected + off },
        }));
        expect(doublyRobust(others).mean).toBeCloseTo(doublyRobust(trials).mean, 6);
      }),
    );
  });
});

describe('the change', () => {
  it('is nothing, and surely so, where the proposed setting is the one in force', () => {
    const trials = [1, 5, 2, 8].map((earned, at) => trial(1, earned, 4, 3 + at, 3 + at));
    expect(change(trials)).toEqual({ mean: 0, low: 0, high: 0 });
  });

  it('is the doubly robust estimate of the one less that of the other', () => {
    fc.assert(
      fc.property(someTrials, (trials) => {
        const inForce = trials.map((each) => ({ ...each, weight: 1, expected: each.expectedInForce }));
        const apart = doublyRobust(trials).mean - doublyRobust(inForce).mean;
        expect(change(trials).mean).toBeCloseTo(apart, 6);
      }),
    );
  });
});

describe('the effective sample size', () => {
  it('is the number of calls where all count alike, and of few where few count', () => {
    expect(effectiveSize([1, 1, 1, 1].map((weight) => trial(weight, 0)))).toBe(4);
    expect(effectiveSize([9, 0, 0, 0].map((weight) => trial(weight, 0)))).toBe(1);
    expect(effectiveSize([0, 0].map((weight) => trial(weight, 0)))).toBe(0);
  });

  it('is at least one and at most the number of calls', () => {
    fc.assert(
      fc.property(someTrials, (trials) => {
        expect(effectiveSize(trials)).toBeGreaterThanOrEqual(1 - 1e-9);
        expect(effectiveSize(trials)).toBeLessThanOrEqual(trials.length + 1e-9);
      }),
    );
  });
});
