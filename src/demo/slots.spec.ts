import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

const staying = new AbortController().signal;

describe('slots', () => {
  it('are taken in the order of asking', async () => {
    const slots = new Slots(1);
    const entered: number[] = [];
    const takes = [1, 2, 3].map(async (who) => {
      const leave = await slots.take(staying);
      entered.push(who);
      leave();
    });
    expect(slots.depth).toBe(3);
    await Promise.all(takes);
    expect(entered).toEqual([1, 2, 3]);
    expect(slots.depth).toBe(0);
  });

  it('are given back once, however often that is said', async () => {
    const slots = new Slots(2);
    const leave = await slots.take(staying);
    await slots.take(staying);
    leave();
    leave();
    expect(slots.depth).toBe(1);
  });

  it('let those who leave the line go without a slot', async () => {
    const slots = new Slots(1);
    const leave = await slots.take(staying);
    const leaving = new AbortController();
    const waiting = slots.take(leaving.signal);
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    await expect(slots.take(leaving.signal)).rejects.toThrow('left');
    expect(slots.depth).toBe(1);
    leave();
    expect(slots.depth).toBe(0);
  });
});
