import { beforeEach, describe, expect, it } from '@jest/globals';
import { ModelCatalog } from './model-catalog.js';

const DAY_MS = 24 * 3_600_000;

let catalog: ModelCatalog;
beforeEach(() => {
  catalog = new ModelCatalog();
});

function passing(model: string, now: number): void {
  catalog.nodeJoined(model, null, 0);
  catalog.nodeLeft(model, now);
}

describe('the catalog of models', () => {
  it('says when the next one is forgotten, and forgets each a day after its last node left', () => {
    passing('early', 0);
    passing('late', 1_000);
    expect([catalog.nextDue(), catalog.forgetDue(DAY_MS - 1)]).toEqual([DAY_MS, []]);
    expect([catalog.forgetDue(DAY_MS), catalog.nextDue()]).toEqual([['early'], DAY_MS + 1_000]);
    expect(catalog.keys()).toEqual(['late']);
  });

  it('keeps one that came back, and counts its day anew from when its last node left again', () => {
    passing('m', 0);
    catalog.nodeJoined('m', null, 0);
    expect([catalog.nextDue(), catalog.forgetDue(2 * DAY_MS)]).toEqual([Infinity, []]);
    catalog.nodeLeft('m', 3 * DAY_MS);
    expect(catalog.nextDue()).toBe(4 * DAY_MS);
  });

  it('remembers the newest 10,000 without nodes, whatever names are made up', () => {
    catalog.nodeJoined('here', 8, 0);
    for (let n = 0; n < 130_000; n += 1) {
      passing(`m${String(n)}`, n);
      if (catalog.nextDue() <= n) catalog.forgetDue(n);
    }
    expect(catalog.keys()).toHaveLength(10_001);
    expect([catalog.has('here'), catalog.has('m0'), catalog.has('m129999')]).toEqual([true, false, true]);
  });
});
