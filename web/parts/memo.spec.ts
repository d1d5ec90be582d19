import { describe, expect, it } from '@jest/globals';
import { shallowSame } from './memo.js';

describe('two sets of properties', () => {
  it('are the same when each field holds the same', () => {
    const list = [1];
    expect(shallowSame({ a: 1, list }, { a: 1, list })).toBe(true);
    expect(shallowSame({ a: NaN }, { a: NaN })).toBe(true);
  });

  it('differ by a value, a field more, or another field', () => {
    expect(shallowSame<object>({ a: 1 }, { a: 2 })).toBe(false);
    expect(shallowSame<object>({ a: 1 }, { a: 1, b: 1 })).toBe(false);
    expect(shallowSame<object>({ a: undefined }, { b: undefined })).toBe(false);
    expect(shallowSame({ list: [1] }, { list: [1] })).toBe(false);
  });
});
