import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { spanLength, subtractSpans, type LayerSpan } from './index.js';

const spanIn = (most: number): fc.Arbitrary<LayerSpan> =>
  fc.tuple(fc.nat(most), fc.nat(most)).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));

function layersOf(spans: readonly LayerSpan[]): number[] {
  return spans.flatMap(({ start, end }) => Array.from({ length: end - start + 1 }, (_, at) => start + at));
}

describe('spanLength', () => {
  it('counts both ends', () => {
    expect(spanLength({ start: 0, end: 21 })).toBe(22);
    expect(spanLength({ start: 5, end: 5 })).toBe(1);
  });
});

describe('subtractSpans', () => {
  it('leaves what nobody covers, in ascending order', () => {
    const covered = [
      { start: 30, end: 33 },
      { start: 5, end: 9 },
      { start: 8, end: 21 },
    ];
    expect(subtractSpans({ start: 0, end: 39 }, covered)).toEqual([
      { start: 0, end: 4 },
      { start: 22, end: 29 },
      { start: 34, end: 39 },
    ]);
  });

  it('leaves nothing of what is covered, and everything where nobody is', () => {
    const whole = { start: 0, end: 39 };
    expect(subtractSpans(whole, [{ start: 0, end: 50 }])).toEqual([]);
    expect(subtractSpans(whole, [])).toEqual([whole]);
    expect(subtractSpans(whole, [{ start: 40, end: 50 }])).toEqual([whole]);
  });

  it('gives exactly the uncovered layers, as spans that do not touch', () => {
    fc.assert(
      fc.property(spanIn(40), fc.array(spanIn(50), { maxLength: 8 }), (whole, covered) => {
        const gaps = subtractSpans(whole, covered);
        const taken = new Set(layersOf(covered));
        expect(layersOf(gaps)).toEqual(layersOf([whole]).filter((layer) => !taken.has(layer)));
        gaps.slice(1).forEach((gap, at) => expect(gap.start).toBeGreaterThan((gaps[at]?.end ?? 0) + 1));
      }),
    );
  });
});
