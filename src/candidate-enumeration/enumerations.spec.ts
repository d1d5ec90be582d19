import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aNode, aView, span } from '../../test/support/builders.js';
import { capByPrior, ENUMERATIONS, MOST_ONE_HOP_ROUTES } from './enumerations.js';
import { routeOf, type Route } from './index.js';

function route(wallet: string, hops = 1): Route {
  return routeOf(
    'm',
    Array.from({ length: hops }, (_, at) => ({ node: aNode({ wallet }), startLayer: at, endLayer: at })),
  );
}

describe('capByPrior', () => {
  it('keeps the highest priors, ties by fewer hops, then signature', () => {
    const [long, b, a, fast, slow] = [
      ...[route('a', 3), route('b', 2), route('a', 2), route('z', 3), route('y', 2)],
    ] as const;
    const priors = new Map([
      [long, 10],
      [b, 10],
      [a, 10],
      [fast, 11],
      [slow, 1],
    ]);
    const kept = capByPrior([slow, long, b, a, fast], (candidate) => priors.get(candidate) ?? 0, 4);
    expect(kept).toEqual({ routes: [fast, a, b, long], leftOut: 1 });
  });

  it('leaves out none that is better than one kept, in any order of candidates', () => {
    const rows = fc.uniqueArray(
      fc.record({
        wallet: fc.stringMatching(/^[a-z]{1,3}$/),
        prior: fc.nat(5),
        hops: fc.integer({ min: 2, max: 4 }),
      }),
      { selector: ({ wallet }) => wallet, maxLength: 20 },
    );
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 8 }), (given, most) => {
        const facts = new Map(given.map((row) => [route(row.wallet, row.hops), row.prior]));
        const priorOf = (candidate: Route): number => facts.get(candidate) ?? 0;
        const { routes: kept, leftOut } = capByPrior([...facts.keys()], priorOf, most);
        expect(kept).toHaveLength(Math.min(most, given.length));
        expect(leftOut).toBe(given.length - kept.length);
        expect(capByPrior([...facts.keys()].reverse(), priorOf, most).routes).toEqual(kept);
        for (const left of facts.keys()) {
          if (kept.includes(left)) continue;
          expect(priorOf(left)).toBeLessThanOrEqual(Math.min(...kept.map(priorOf)));
        }
      }),
    );
  });

  it('leaves out no route of one hop below a thousand, however many others there are', () => {
    fc.assert(
      fc.property(fc.nat(1100), fc.nat(30), fc.integer({ min: 1, max: 8 }), (ones, others, most) => {
        const whole = Array.from({ length: ones }, (_, at) => route(`w${String(at)}`));
        const long = Array.from({ length: others }, (_, at) => route(`l${String(at)}`, 2));
        const { routes, leftOut } = capByPrior([...long, ...whole], ({ hops }) => hops.length, most);
        const count = (hops: number): number => routes.filter((one) => one.hops.length === hops).length;
        expect(count(1)).toBe(Math.min(ones, MOST_ONE_HOP_ROUTES));
        expect(count(2)).toBe(Math.min(others, most));
        expect(leftOut).toBe(ones + others - routes.length);
      }),
      { numRuns: 30 },
    );
  });
});

describe.each(['greedy', 'diverse'] as const)('%s enumeration', (name) => {
  it('finds the route of each server of the whole model, and each route once', () => {
    const whole = Array.from({ length: 40 }, (_, at) =>
      aNode({
        wallet: `w${String(at)}`,
        throughputTps: 1 + at,
        ...(at % 2 === 0 ? {} : { shard: span(0, 9) }),
      }),
    );
    const parts = [span(0, 4), span(5, 9)].map((shard, at) => aNode({ wallet: `p${String(at)}`, shard }));
    const routes = ENUMERATIONS[name](aView(10, [...whole, ...parts]), 4);
    const heads = routes.filter(({ hops }) => hops.length === 1).map(({ hops }) => hops[0]?.node);
    expect(new Set(heads)).toEqual(new Set(whole));
    expect(new Set(routes.map(({ signature }) => signature)).size).toBe(routes.length);
  });
});
