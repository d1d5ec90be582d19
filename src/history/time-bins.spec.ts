import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TimeBins } from './time-bins.js';

const times = fc.array(fc.double({ min: 0, max: 86_400_000, noNaN: true }), { minLength: 1, maxLength: 60 });

function binsOf(all: readonly number[]): TimeBins {
  const bins = new TimeBins();
  for (const ms of all) bins.add(ms);
  return bins;
}

describe('times in bins', () => {
  it('give each percentile to within a twentieth, or a millisecond', () => {
    fc.assert(
      fc.property(times, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
        const exact = [...all].sort((a, b) => a - b)[Math.max(1, Math.ceil(share * all.length)) - 1]!;
        const found = binsOf(all).quantile(share)!;
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(Math.max(1, exact * 0.05));
      }),
    );
  });

  it('are the same however they are parted and merged', () => {
    fc.assert(
      fc.property(times, times, (first, second) => {
        const [merged, swapped] = [binsOf(first), binsOf(second)];
        merged.merge(binsOf(second));
        swapped.merge(binsOf(first));
        for (const share of [0.05, 0.5, 0.95, 1]) {
          const whole = binsOf([...first, ...second]).quantile(share);
          expect([merged.quantile(share), swapped.quantile(share)]).toEqual([whole, whole]);
        }
      }),
    );
  });

  it('have no percentile where there are none', () => {
    expect(new TimeBins().quantile(0.95)).toBeNull();
  });

  it('find the slow ones that a mean would hide', () => {
    const all = [...new Array<number>(94).fill(200), ...new Array<number>(6).fill(9000)];
    expect(binsOf(all).quantile(0.5)).toBeCloseTo(200, -1);
    expect(binsOf(all).quantile(0.95)).toBeGreaterThan(8500);
  });
});
