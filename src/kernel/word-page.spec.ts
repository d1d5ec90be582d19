import { describe, expect, it } from '@jest/globals';
import { PageSupply, WordPage } from './word-page.js';

describe('a page of words', () => {
  it('has each text once, under a number of its own', () => {
    const page = new WordPage(0);
    expect(['a', 'b', 'a', ''].map((text) => page.placeOf(text))).toEqual([0, 1, 0, 2]);
    expect([0, 1, 2, 3].map((place) => page.textAt(place))).toEqual(['a', 'b', '', '']);
    page.seal();
    expect([page.has('b'), page.has('c'), page.textAt(1)]).toEqual([true, false, 'b']);
  });

  it('has room for what is longer than others', () => {
    const page = new WordPage(100_000);
    expect([page.hasRoomFor(100_000), page.hasRoomFor(100_001), page.isOrdinary]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the supply of pages', () => {
  it('gives the last page that came back, as if it were new', () => {
    const supply = new PageSupply();
    const page = supply.take(10);
    page.placeOf('gone');
    page.used = 20;
    page.first = 20;
    supply.giveBack(page);
    expect(supply.take(100_000)).not.toBe(page);
    const again = supply.take(10);
    expect(again).toBe(page);
    expect([again.first, again.used, again.isEmpty, again.has('gone')]).toEqual([0, 0, true, false]);
    expect(again.placeOf('new')).toBe(0);
    expect(supply.take(10)).not.toBe(page);
  });

  it('keeps no page that is longer than others', () => {
    const supply = new PageSupply();
    const page = supply.take(100_000);
    supply.giveBack(page);
    expect(supply.take(10)).not.toBe(page);
  });
});
