import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  afterCompletion,
  afterMiss,
  GAVE_NOTHING,
  isFailing,
  isUnproven,
  withoutMiss,
  type Giving,
} from './giving.js';

const NOW = 1_000_000;
const RECENT_MS = 600_000;
const completed = afterCompletion(GAVE_NOTHING, NOW);

function afterMisses(count: number, giving = completed, isCut = false): Giving {
  let after = giving;
  for (let n = 0; n < count; n += 1) after = afterMiss(after, isCut);
  return after;
}

describe('a node without a completion', () => {
  it('is unproven, and neither failing nor held', () => {
    expect(isUnproven(GAVE_NOTHING, NOW)).toBe(true);
    expect(isUnproven(GAVE_NOTHING, 0)).toBe(true);
    expect([isFailing(GAVE_NOTHING), GAVE_NOTHING.toHold]).toEqual([false, 0]);
  });
});

describe('a completion', () => {
  it('proves the node for ten minutes', () => {
    expect(completed).toEqual({ completedAt: NOW, misses: 0, toHold: 0 });
    expect(isUnproven(completed, NOW)).toBe(false);
    expect(isUnproven(completed, NOW + RECENT_MS)).toBe(false);
    expect(isUnproven(completed, NOW + RECENT_MS + 1)).toBe(true);
  });

  it('ends the row of misses', () => {
    const again = afterCompletion(afterMisses(9), NOW + 5);
    expect([again.misses, isFailing(again), isUnproven(again, NOW + 5)]).toEqual([0, false, false]);
  });

  it('lets one answer fewer be held', () => {
    let giving = afterMiss(completed, true);
    const held: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      held.push(giving.toHold);
      giving = afterCompletion(giving, NOW);
    }
    expect(held).toEqual([4, 3, 2, 1, 0, 0]);
  });
});

describe('misses in a row', () => {
  it('are a failing and unproven node from the third on', () => {
    const failing = [0, 1, 2, 3, 4].map((count) => isFailing(afterMisses(count)));
    const unproven = [0, 1, 2, 3, 4].map((count) => isUnproven(afterMisses(count), NOW));
    expect(failing).toEqual([false, false, false, true, true]);
    expect(unproven).toEqual(failing);
  });

  it('leave the time of the last completion', () => {
    expect(afterMisses(5).completedAt).toBe(NOW);
  });

  it('hold no answer while the client saw nothing', () => {
    expect(afterMisses(5)).toMatchObject({ misses: 5, toHold: 0 });
  });

  it('are one fewer when one is taken back, and never fewer than none', () => {
    expect(isFailing(withoutMiss(afterMisses(3)))).toBe(false);
    expect(withoutMiss(afterMisses(3))).toEqual(afterMisses(2));
    expect(withoutMiss(completed)).toEqual(completed);
  });
});

describe('an answer that was cut', () => {
  it('holds four answers more, up to sixteen', () => {
    const held = [1, 2, 3, 4, 5, 9].map((cuts) => afterMisses(cuts, completed, true).toHold);
    expect(held).toEqual([4, 8, 12, 16, 16, 16]);
  });

  it('keeps a node held that cuts each second answer', () => {
    let giving = GAVE_NOTHING;
    for (let n = 0; n < 50; n += 1) {
      giving = afterMiss(giving, true);
      expect(giving.toHold).toBeGreaterThan(0);
      giving = afterCompletion(giving, NOW);
      expect(giving.toHold).toBeGreaterThan(0);
    }
  });

  it('is forgotten by sixteen completions, whatever came before', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean()), (cuts) => {
        let giving = GAVE_NOTHING;
        for (const isCut of cuts) giving = afterMiss(giving, isCut);
        expect(giving.toHold).toBeLessThanOrEqual(16);
        for (let n = 0; n < 16; n += 1) giving = afterCompletion(giving, NOW);
        expect(giving).toEqual({ completedAt: NOW, misses: 0, toHold: 0 });
      }),
    );
  });
});
