import { describe, expect, it } from '@jest/globals';
import { seededRng } from './index.js';

function draws(seed: number | null, count: number): number[] {
  return Array.from({ length: count }, seededRng(seed));
}

describe('seededRng', () => {
  it('repeats itself for a seed and differs between seeds', () => {
    expect(draws(7, 20)).toEqual(draws(7, 20));
    expect(draws(7, 20)).not.toEqual(draws(8, 20));
    expect(draws(0, 20)).toEqual(draws(0, 20));
  });

  it('cannot be foreseen without a seed', () => {
    expect(draws(null, 20)).not.toEqual(draws(null, 20));
  });

  it('draws evenly from [0, 1)', () => {
    const many = draws(1, 10_000);
    expect(Math.min(...many)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...many)).toBeLessThan(1);
    const tenths = Array.from(
      { length: 10 },
      (_, at) => many.filter((x) => Math.floor(x * 10) === at).length,
    );
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
