import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { YieldLedger } from './yield-ledger.js';

let ledger: YieldLedger;
beforeEach(() => {
  ledger = new YieldLedger();
});

function gaveNothing(count: number, signature = 's'): void {
  for (let n = 0; n < count; n += 1) ledger.gaveNothing(signature, 0);
}

describe('a route', () => {
  it('has given nothing to no chat at first', () => {
    expect([ledger.nothings('s'), ledger.size]).toEqual([0, 0]);
  });

  it('counts the chats in a row that it gave nothing, apart from other routes', () => {
    gaveNothing(3);
    gaveNothing(1, 'other');
    expect(['s', 'other', 'none'].map((signature) => ledger.nothings(signature))).toEqual([3, 1, 0]);
  });

  it('counts as one that gave nothing until a sample, though a completion ended the row', () => {
    gaveNothing(3);
    ledger.completed('s');
    expect(ledger.nothings('s')).toBe(1);
    ledger.completed('s');
    expect(ledger.nothings('s')).toBe(1);
  });

  it('begins its row anew after a completion', () => {
    gaveNothing(3);
    ledger.completed('s');
    gaveNothing(1);
    expect(ledger.nothings('s')).toBe(1);
    gaveNothing(1);
    expect(ledger.nothings('s')).toBe(2);
  });

  it('is cleared by a sample, and counts from one again after', () => {
    gaveNothing(3);
    ledger.sampled('s');
    expect([ledger.nothings('s'), ledger.size]).toEqual([0, 0]);
    gaveNothing(1);
    expect(ledger.nothings('s')).toBe(1);
  });

  it('that gave all chats something has no entry', () => {
    ledger.completed('s');
    ledger.sampled('s');
    expect([ledger.nothings('s'), ledger.size]).toEqual([0, 0]);
  });
});

describe('pruning', () => {
  it('drops the routes that gave nothing a day ago', () => {
    gaveNothing(2, 'a');
    ledger.gaveNothing('b', 1);
    ledger.prune(86_400_000);
    expect([ledger.size, ledger.nothings('a'), ledger.nothings('b')]).toEqual([1, 0, 1]);
  });

  it('drops the routes of a forgotten model, and no others', () => {
    gaveNothing(2, 'm|a');
    gaveNothing(2, 'mm|a');
    ledger.forget('m');
    expect([ledger.nothings('m|a'), ledger.nothings('mm|a')]).toEqual([0, 2]);
  });
});

describe('any order of chats', () => {
  it('gives the length of the row, at least 1 from the first nothing to the next sample', () => {
    const chat = fc.constantFrom('nothing', 'completed', 'sampled');
    fc.assert(
      fc.property(fc.array(chat), (chats) => {
        const one = new YieldLedger();
        let row = 0;
        let isDoubted = false;
        for (const what of chats) {
          if (what === 'nothing') one.gaveNothing('s', 0);
          if (what === 'completed') one.completed('s');
          if (what === 'sampled') one.sampled('s');
          row = what === 'nothing' ? row + 1 : 0;
          isDoubted = what === 'nothing' || (isDoubted && what === 'completed');
          expect(one.nothings('s')).toBe(Math.max(row, isDoubted ? 1 : 0));
          expect(one.size).toBe(isDoubted ? 1 : 0);
        }
      }),
    );
  });
});
