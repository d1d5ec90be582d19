import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { retryAfterMs } from './retry-after.js';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);
const rest = (value: string): number | null => retryAfterMs({ 'retry-after': value }, NOW);

describe('the rest that a response asks for', () => {
  it.each<[string, number]>([
    ['60', 60_000],
    [' 7 ', 7000],
    ['0.5', 500],
    ['.25', 250],
    ['2.', 2000],
    ['600', 600_000],
  ])('is in seconds: %j', (value, ms) => {
    expect(rest(value)).toBe(ms);
  });

  it.each([
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    'sun, 06 nov 1994 08:49:37 gmt',
  ])('lasts until an HTTP date: %j', (date) => {
    expect(rest(date)).toBe(37_000);
  });

  it('is at most ten minutes', () => {
    for (const value of ['601', '86400', '9'.repeat(400), 'Tue, 06 Dec 1994 08:49:37 GMT']) {
      expect(rest(value)).toBe(600_000);
    }
    expect(retryAfterMs({ 'retry-after-ms': '600001' }, NOW)).toBe(600_000);
  });

  it.each([
    ...['', ' ', '0', '0.0', '-5', '+5', '1e3', '0x10', 'soon', '5 s', '5, 6', 'Infinity', 'NaN'],
    ...['Sun, 06 Nov 1994 08:48:59 GMT', 'Sun, 06 Nov 1994', 'Sun, 99 Foo 1994 08:49:37 GMT', '1994-11-07'],
  ])('is none by %j', (value) => {
    expect(rest(value)).toBeNull();
  });

  it('is none without a header', () => {
    expect(retryAfterMs({}, NOW)).toBeNull();
    expect(retryAfterMs({ date: 'Sun, 06 Nov 1994 09:49:37 GMT' }, NOW)).toBeNull();
  });

  it('is taken from retry-after-ms first, unless that is unreadable', () => {
    expect(retryAfterMs({ 'retry-after-ms': '1500.5', 'retry-after': '60' }, NOW)).toBe(1500.5);
    expect(retryAfterMs({ 'retry-after-ms': 'x', 'retry-after': '60' }, NOW)).toBe(60_000);
    expect(retryAfterMs({ 'retry-after-ms': ['1', '2'] }, NOW)).toBeNull();
    expect(retryAfterMs({ 'retry-after-ms': '0', 'retry-after': '60' }, NOW)).toBeNull();
  });

  it('is null or between 0 and ten minutes, whatever the header says', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String)), (value) => {
        const ms = rest(value);
        expect(ms === null || (ms > 0 && ms <= 600_000)).toBe(true);
      }),
    );
  });
});
