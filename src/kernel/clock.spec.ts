import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SystemClock } from './index.js';

describe('SystemClock', () => {
  afterEach(() => void jest.useRealTimers());

  it('goes forward by monotonic time and knows the time of day', () => {
    const clock = new SystemClock();
    const before = clock.now();
    expect(clock.now()).toBeGreaterThanOrEqual(before);
    expect(clock.wallMs()).toBeGreaterThan(Date.UTC(2020, 0, 1));
  });

  it('fires once after the delay, and not at all when cancelled', () => {
    jest.useFakeTimers();
    const clock = new SystemClock();
    const fired: string[] = [];
    clock.after(50, () => fired.push('kept'));
    clock.after(50, () => fired.push('cancelled'))();
    jest.advanceTimersByTime(49);
    expect(fired).toEqual([]);
    jest.advanceTimersByTime(1000);
    expect(fired).toEqual(['kept']);
  });

  it('waits a delay that is too long for Node as long as Node can, instead of a millisecond', () => {
    jest.useFakeTimers();
    const fired: string[] = [];
    new SystemClock().after(1e12, () => fired.push('late'));
    jest.advanceTimersByTime(2 ** 31 - 2);
    expect(fired).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(fired).toEqual(['late']);
  });

  it('takes a delay that is over already for none', () => {
    jest.useFakeTimers();
    const fired: string[] = [];
    new SystemClock().after(-5, () => fired.push('now'));
    jest.advanceTimersByTime(1);
    expect(fired).toEqual(['now']);
  });
});
