import { describe, expect, it } from '@jest/globals';
import { isWanted, opensByItself } from './models-shown.js';

describe('the filter of models', () => {
  it('wants all models while nothing is typed', () => {
    expect([isWanted('Qwen3', ''), isWanted('Qwen3', '  ')]).toEqual([true, true]);
  });

  it('wants those with each word in their name', () => {
    expect(isWanted('Qwen/Qwen3.6-35B', 'qwen 35b')).toBe(true);
    expect(isWanted('Qwen/Qwen3.6-35B', 'qwen 70b')).toBe(false);
    expect(isWanted('a.*b', '.*')).toBe(true);
    expect(isWanted('axxb', '.*')).toBe(false);
  });
});

describe('a model', () => {
  it('is folded when many stand above it, unless it is urgent', () => {
    expect([0, 7, 8].map((place) => opensByItself(place, false))).toEqual([true, true, false]);
    expect(opensByItself(49, true)).toBe(true);
  });
});
