import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aNode } from '../../test/support/builders.js';
import { capByPrior } from './enumerations.js';
import { routeOf, type Route } from './index.js';

function route(wallet: string, hops = 1): Route {
  return routeOf(
    'm',
    Array.from({ length: hops }, (_, at) => ({ node: aNode({ wallet }), startLayer: at, endLayer: at })),
  );
}

describe('capByPrior', () => {
  it('keeps the highest priors, ties by fewer hops, then signature', () => {
    const [long, b, a, fast, slow] = [route('a', 2), route('b'), route('a'), route('z', 3), route('y')];
    const priors = new Map([
      [long, 10],
      [b, 10],
      [a, 10],
      [fast, 11],
      [slow, 1],
    ]);
    const kept = capByPrior([slow, long, b, a, fast], (candidate) => priors.get(candidate) ?? 0, 4);
    expect(kept).toEqual([fast, a, b, long]);
  });

  it('leaves out none that is better than one kept, in any order of candidates', () => {
    const rows = fc.uniqueArray(
      fc.record({
        wallet: fc.stringMatching(/^[a-z]{1,3}$/),
        prior: fc.nat(5),
        hops: fc.integer({ min: 1, max: 3 }),
      }),
      { selector: ({ wallet }) => wallet, maxLength: 20 },
    );
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 8 }), (given, most) => {
        const facts = new Map(given.map((row) => [route(row.wallet, row.hops), row.prior]));
        const priorOf = (candidate: Route): number => facts.get(candidate) ?? 0;
        const kept = capByPrior([...facts.keys()], priorOf, most);
        expect(kept).toHaveLength(Math.min(most, given.length));
        expect(capByPrior([...facts.keys()].reverse(), priorOf, most)).toEqual(kept);
        for (const left of facts.keys()) {
          if (kept.includes(left)) continue;
          expect(priorOf(left)).toBeLessThanOrEqual(Math.min(...kept.map(priorOf)));
        }
      }),
    );
  });
});
