import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Slices } from './slices.js';

describe('slices of time', () => {
  it('keep what was counted in the newest of them, and nothing of the others', () => {
    const steps = fc.array(fc.nat(7), { maxLength: 40 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 9 }), fc.nat(12), (gaps, span, length) => {
        const slices = new Slices(span, () => ({ count: 0 }));
        const times: number[] = [];
        for (const gap of gaps) {
          times.push((times.at(-1) ?? 100) + gap);
          slices.at(times.at(-1)!).count += 1;
        }
        const newest = times.at(-1) ?? 0;
        const kept = times.filter((time) => time > newest - span);
        expect(slices.size).toBe(new Set(kept).size);
        const counts = new Map<number, number>();
        for (const time of kept.filter((each) => each > newest - length && each < newest)) {
          counts.set(time, (counts.get(time) ?? 0) + 1);
        }
        const between = slices.between(newest - length + 1, newest - 1);
        expect(between.map(({ slice, value }) => [slice, value.count])).toEqual([...counts]);
      }),
    );
  });

  it('take what comes with an older time for as new as the newest', () => {
    const slices = new Slices(3, () => ({ count: 0 }));
    slices.at(7).count += 1;
    slices.at(6).count += 1;
    expect(slices.between(0, 9)).toEqual([{ slice: 7, value: { count: 2 } }]);
  });

  it('are gone when time has moved on by their span without anything', () => {
    const slices = new Slices(3, () => ({}));
    slices.at(7);
    slices.at(8);
    slices.prune(9);
    expect(slices.size).toBe(2);
    slices.prune(10);
    expect(slices.size).toBe(1);
    slices.prune(11);
    expect(slices.size).toBe(0);
    slices.prune(12);
    expect(slices.between(0, 99)).toEqual([]);
  });
});
