import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChunkScale } from './chunk-scale.js';
import { SizeHistogram } from './size-histogram.js';

describe('sizes seen', () => {
  it('start from the guess', () => {
    const median = new SizeHistogram(200, 0).quantile(0.5);
    expect(median).toBeGreaterThan(160);
    expect(median).toBeLessThan(250);
  });

  it('have a quantile between the least and the most of them, within a bin', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(sizes, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (seen, share) => {
        const histogram = new SizeHistogram(seen[0]!, 0);
        for (const size of seen) histogram.add(size, 0);
        const found = histogram.quantile(share);
        expect(found).toBeGreaterThanOrEqual(Math.min(...seen) / 1.26);
        expect(found).toBeLessThanOrEqual(Math.max(...seen) * 1.26);
      }),
    );
  });

  it('count less the older they are', () => {
    const histogram = new SizeHistogram(10, 0);
    for (let times = 0; times < 50; times += 1) histogram.add(10, 0);
    for (let times = 0; times < 10; times += 1) histogram.add(1000, 4 * 3600);
    expect(histogram.quantile(0.5)).toBeGreaterThan(800);
  });

  it('pass over what is no size', () => {
    const histogram = new SizeHistogram(10, 0);
    for (const odd of [0, -1, NaN, Infinity]) histogram.add(odd, 0);
    expect(histogram.quantile(0.5)).toBeLessThan(13);
  });
});

describe('tokens per chunk', () => {
  it('are one until told otherwise, and follow a node that changes', () => {
    const scale = new ChunkScale();
    expect(scale.tokensPerChunk).toBe(1);
    for (let times = 0; times < 40; times += 1) scale.add(400, 100);
    expect(scale.tokensPerChunk).toBeGreaterThan(3.5);
    for (let times = 0; times < 60; times += 1) scale.add(100, 100);
    expect(scale.tokensPerChunk).toBeLessThan(1.3);
  });

  it('stay within bounds whatever a node says', () => {
    const scale = new ChunkScale();
    for (const [tokens, chunks] of [
      [1e300, 1],
      [NaN, 1],
      [1, 0],
      [Infinity, 1],
      [0, 5],
    ] as const) {
      scale.add(tokens, chunks);
      expect(scale.tokensPerChunk).toBeLessThanOrEqual(64);
      expect(scale.tokensPerChunk).toBeGreaterThan(0);
    }
  });
});
