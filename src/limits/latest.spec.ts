import { describe, expect, it } from '@jest/globals';
import { Latest } from './latest.js';

describe('the latest keys', () => {
  it('keep what is theirs', () => {
    const latest = new Latest(2, () => ({ count: 0 }));
    latest.of('a').count += 1;
    latest.of('b');
    expect([latest.of('a').count, latest.of('b').count]).toEqual([1, 0]);
  });

  it('are never more than allowed; the one asked for longest ago goes', () => {
    const latest = new Latest(2, () => ({ count: 0 }));
    for (const key of ['a', 'b', 'a', 'c']) latest.of(key).count += 1;
    expect(latest.size).toBe(2);
    expect(latest.of('a').count).toBe(2);
    expect(latest.of('b').count).toBe(0);
    for (let key = 0; key < 1000; key += 1) latest.of(String(key));
    expect(latest.size).toBe(2);
  });
});
