import { describe, expect, it } from '@jest/globals';
import { backOffMs } from './back-off.js';

describe('waiting for a lost stream', () => {
  it('doubles with each failure, up to half a minute', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 100].map((failures) => backOffMs(failures, 1));
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('is spread over the second half', () => {
    expect(backOffMs(2, 0)).toBe(1000);
    expect(backOffMs(2, 0.5)).toBe(1500);
  });
});
