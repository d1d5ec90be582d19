import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RequestBucket } from './request-bucket.js';

/** Takes until none is left. */
function takeAll(bucket: RequestBucket, nowMs: number): number {
  let taken = 0;
  while (bucket.take(nowMs)) taken += 1;
  return taken;
}

describe('a bucket of requests', () => {
  it.each([1, 3, 7, 60, 1000, 99_991])(
    'of %i a minute is good for as many at once, not one more',
    (limit) => {
      expect(takeAll(new RequestBucket(limit), 123_456.789)).toBe(limit);
    },
  );

  it('gives them back one by one', () => {
    const bucket = new RequestBucket(60);
    takeAll(bucket, 5000);
    expect([bucket.remaining(5000), bucket.msUntilNext(5000), bucket.msUntilFull(5000)]).toEqual([
      0, 1000, 60_000,
    ]);
    expect(bucket.take(5990)).toBe(false);
    expect(bucket.take(6000)).toBe(true);
    expect(bucket.take(6000)).toBe(false);
    expect(bucket.remaining(8000)).toBe(2);
    expect(takeAll(bucket, 1e9)).toBe(60);
  });

  it('says how many are left, counting down', () => {
    const bucket = new RequestBucket(3);
    const left = [0, 1, 2].map(() => {
      bucket.take(10);
      return bucket.remaining(10);
    });
    expect(left).toEqual([2, 1, 0]);
  });

  it('never lets more through than a full bucket and what came back, and a refused request costs nothing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.double({ min: 0, max: 2000, noNaN: true }), { maxLength: 300 }),
        (limit, pauses) => {
          const bucket = new RequestBucket(limit);
          let nowMs = 1e6;
          let taken = 0;
          for (const pauseMs of pauses) {
            nowMs += pauseMs;
            const left = bucket.remaining(nowMs);
            const isTaken = bucket.take(nowMs);
            expect(isTaken).toBe(left >= 1);
            if (isTaken) taken += 1;
          }
          expect(taken).toBeLessThanOrEqual(limit + ((nowMs - 1e6) / 60_000) * limit + 0.01);
        },
      ),
    );
  });
});
