import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TOKEN_GAP_BOUNDS_SECONDS, TokenGaps } from './token-gaps.js';

function gapsOf(pausesMs: readonly number[]): TokenGaps {
  let now = 1000;
  const gaps = new TokenGaps(now);
  for (const pause of pausesMs) gaps.heard((now += pause));
  return gaps;
}

/** How many pauses stand under this bound. */
function countAt(gaps: TokenGaps, boundSeconds: number): number | undefined {
  return gaps.counts[TOKEN_GAP_BOUNDS_SECONDS.indexOf(boundSeconds)];
}

describe('the pauses of a stream', () => {
  it('are none as long as there is one content event', () => {
    expect(gapsOf([]).counts.every((count) => count === 0)).toBe(true);
    expect(gapsOf([]).sumSeconds).toBe(0);
  });

  it('count up to and with their bound', () => {
    const gaps = gapsOf([0, 1, 50, 51]);
    expect([countAt(gaps, 0.001), countAt(gaps, 0.05), countAt(gaps, 0.1)]).toEqual([2, 1, 1]);
  });

  it('longer than every bound have the last count', () => {
    expect(gapsOf([30_001]).counts.at(-1)).toBe(1);
  });

  it('are all counted once, and sum up to the time between the first event and the last', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60_000 })), (pauses) => {
        const gaps = gapsOf(pauses);
        expect(gaps.counts.reduce((total, count) => total + count, 0)).toBe(pauses.length);
        expect(gaps.sumSeconds).toBeCloseTo(pauses.reduce((total, ms) => total + ms, 0) / 1000, 6);
      }),
    );
  });
});
