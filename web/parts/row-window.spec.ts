import { describe, expect, it } from '@jest/globals';
import { keptScroll, rowWindow } from './row-window.js';

describe('the rows in the document', () => {
  it('are the ones in view and a few around them', () => {
    const shown = rowWindow(1000, 30, 3000, 600);
    expect(shown.from).toBeLessThanOrEqual(100);
    expect(shown.to).toBeGreaterThanOrEqual(120);
    expect(shown.to - shown.from).toBeLessThan(60);
  });

  it('stand in the place that they would have among all', () => {
    for (const scrollTop of [0, 1, 29, 31, 3000, 29_400, 99_999]) {
      const { from, to, abovePx, belowPx } = rowWindow(1000, 30, scrollTop, 600);
      expect(abovePx + (to - from) * 30 + belowPx).toBe(30_000);
      expect(abovePx).toBe(from * 30);
    }
  });

  it('are all of a short list, and none of an empty one', () => {
    expect(rowWindow(5, 30, 0, 600)).toEqual({ from: 0, to: 5, abovePx: 0, belowPx: 0 });
    expect(rowWindow(0, 30, 0, 600)).toEqual({ from: 0, to: 0, abovePx: 0, belowPx: 0 });
  });

  it('are there, too, after the list became much shorter than the scroll', () => {
    const { from, to } = rowWindow(3, 30, 9000, 600);
    expect([from, to]).toEqual([2, 3]);
  });
});

describe('scrolling while rows come in', () => {
  it('follows the newest at the top', () => {
    expect(keptScroll(['a', 'b'], ['n', 'a', 'b'], 0, 30)).toBe(0);
  });

  it('stays at the row that is read', () => {
    expect(keptScroll(['a', 'b', 'c'], ['n1', 'n2', 'a', 'b', 'c'], 35, 30)).toBe(95);
    expect(keptScroll(['n', 'a', 'b'], ['a', 'b'], 65, 30)).toBe(35);
  });

  it('stays at the next one that is still there', () => {
    expect(keptScroll(['a', 'b', 'c'], ['n', 'c'], 31, 30)).toBe(1);
  });

  it('stays where it is when nothing is left', () => {
    expect(keptScroll(['a', 'b'], ['x'], 31, 30)).toBe(31);
  });
});
