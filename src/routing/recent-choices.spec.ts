import { describe, expect, it } from '@jest/globals';
import { RecentChoices } from './recent-choices.js';

describe('recent choices', () => {
  it('have no shares before the first', () => {
    expect([...new RecentChoices().shares()]).toEqual([]);
  });

  it('are each as much as the others', () => {
    const recent = new RecentChoices();
    for (const signature of ['a', 'b', 'a', 'a']) recent.add(signature);
    expect([...recent.shares()]).toEqual([
      ['a', 0.75],
      ['b', 0.25],
    ]);
  });

  it('are the latest hundred', () => {
    const recent = new RecentChoices();
    for (let choice = 0; choice < 1000; choice += 1) recent.add(`route ${String(choice)}`);
    for (let choice = 0; choice < 90; choice += 1) recent.add('last');
    const shares = recent.shares();
    expect(shares.size).toBe(11);
    expect(shares.get('last')).toBeCloseTo(0.9);
    expect(shares.get('route 999')).toBeCloseTo(0.01);
    expect(shares.get('route 989')).toBeUndefined();
  });
});
