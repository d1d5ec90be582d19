import { describe, expect, it } from '@jest/globals';
import { MODEL } from '../../test/support/builders.js';
import { loggedMesh } from '../../test/support/logged-mesh.js';
import { contention, othersOf } from './contention.js';
import type { LoggedCall } from './logged-call.js';

function call(route: string, startMs: number, endMs: number): LoggedCall {
  const signature = `${MODEL}|${route}`;
  return {
    ...{ model: MODEL, endedAt: endMs, standing: 'counted', seconds: (endMs - startMs) / 1000, tokens: 10 },
    ...{ signature, probability: 1, candidates: [], lastSignature: signature, lastMs: endMs - startMs },
  };
}

describe('the others of a call', () => {
  it('are those on the busiest of its nodes, on average of its start and its end', () => {
    const calls = [
      call('a:0-9[0-9]->t:10-19[10-19]', 0, 100),
      call('b:0-9[0-9]->t:10-19[10-19]', 50, 200),
      call('b:0-9[0-9]->u:10-19[10-19]', 60, 90),
      call('c:0-9[0-9]->v:10-19[10-19]', 60, 90),
    ];
    expect(othersOf(calls)).toEqual([0.5, 0.5, 1, 0]);
  });

  it('are none of a call that begins where another ends, or that takes no time', () => {
    expect(
      othersOf([call('a:all[0-0]', 0, 50), call('a:all[0-0]', 50, 50), call('a:all[0-0]', 50, 80)]),
    ).toEqual([0, 0, 0]);
    expect(othersOf([])).toEqual([]);
  });
});

describe('contention', () => {
  const routes = { a: 60, b: 40, c: 25 };

  it('is found where calls slow each other down', () => {
    const { calls } = loggedMesh({ routes, calls: 400, seed: 1, gapSeconds: 2, crowding: 0.3 });
    const found = contention(calls);
    expect(found.matters).toBe(true);
    expect(found.lostShare).toBeGreaterThan(0.1);
  });

  it('is not made up where they don’t, however much they overlap', () => {
    const matters = Array.from({ length: 40 }, (_, seed) => {
      const { calls } = loggedMesh({ routes, calls: 200, seed, gapSeconds: 2 });
      return contention(calls).matters;
    });
    expect(matters.filter(Boolean)).toEqual([]);
  });

  it('is none where no two calls overlap, and of no calls', () => {
    const calls = Array.from({ length: 20 }, (_, at) => call('a:all[0-0]', at * 100, at * 100 + 50 + at));
    expect(contention(calls)).toEqual({ lostShare: 0, matters: false });
    expect(contention([])).toEqual({ lostShare: 0, matters: false });
  });
});
