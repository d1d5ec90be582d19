import { describe, expect, it } from '@jest/globals';
import type { TimelineFact } from '../api/types.js';
import { marksOf, stretchOf, ticksOf } from './axis.js';

const MINUTE = 60_000;
const NOW = 10_000 * MINUTE;
const bump = (at: number, cause = 'registered'): TimelineFact => ({
  ...{ type: 'epoch.bumped', at, model: 'm', epoch: 1, node_id: 'w:all', cause },
});
const opened = (at: number): TimelineFact => ({
  ...{ type: 'breaker.changed', at, model: 'm', node_id: 'w:all', from: 'closed', to: 'open' },
});

describe('the stretch of time', () => {
  it('ends now and is as long as one chose', () => {
    expect(stretchOf('15 min', [], NOW)).toEqual({ from: NOW - 15 * MINUTE, to: NOW });
    expect(stretchOf('6 h', [], NOW)).toEqual({ from: NOW - 360 * MINUTE, to: NOW });
  });

  it('of all begins before the oldest fact', () => {
    const { from } = stretchOf('all', [bump(NOW - 5 * MINUTE), bump(NOW - 90 * MINUTE)], NOW);
    expect(from).toBeLessThan(NOW - 90 * MINUTE);
    expect(from).toBeGreaterThan(NOW - 95 * MINUTE);
    expect(stretchOf('all', [], NOW).from).toBeLessThan(NOW);
  });
});

describe('the marks', () => {
  const hour = stretchOf('1 h', [], NOW);

  it('stand where they belong, and what is older is left out', () => {
    const marks = marksOf([bump(NOW), bump(NOW - 30 * MINUTE), bump(NOW - 61 * MINUTE)], hour, 600, 10);
    expect(marks.map(({ x }) => x)).toEqual([300, 600]);
  });

  it('that would cover one another become one, which looks like the weightiest', () => {
    const facts = [bump(NOW - 200), bump(NOW - 300, 'drained'), bump(NOW - 400)];
    const [mark, ...others] = marksOf(facts, hour, 600, 10);
    expect(others).toEqual([]);
    expect(mark?.facts).toEqual(facts);
    expect(mark?.look.shape).toBe('down');
  });

  it('of different lanes stand above one another', () => {
    const marks = marksOf([opened(NOW), bump(NOW)], hour, 600, 10);
    expect(marks.map(({ lane }) => lane)).toEqual(['epochs', 'breakers']);
  });

  it('of many facts are no more than fit', () => {
    const facts = Array.from({ length: 1000 }, (_, n) => bump(NOW - n * 3000));
    const marks = marksOf(facts, hour, 600, 10);
    expect(marks.length).toBeLessThanOrEqual(61);
    expect(marks.flatMap(({ facts: of }) => of)).toHaveLength(1000);
  });

  it("that the tracker's clock puts in the future stand at the end", () => {
    expect(marksOf([bump(NOW + 5000)], hour, 600, 10)[0]?.x).toBe(600);
  });
});

describe('the ticks', () => {
  it('are at round times, and not too many', () => {
    const ticks = ticksOf({ from: NOW - 60 * MINUTE, to: NOW }, 7, 0);
    expect(ticks.map((at) => (at / MINUTE) % 10)).toEqual(ticks.map(() => 0));
    expect(ticks.length).toBeLessThanOrEqual(7);
  });

  it('are round where the reader is', () => {
    const day = 1440 * MINUTE;
    const [first] = ticksOf({ from: NOW - day, to: NOW }, 4, 330);
    expect((((first ?? 0) + 330 * MINUTE) / MINUTE) % 360).toBe(0);
  });

  it('are few for the longest time, too', () => {
    const day = 1440 * MINUTE;
    expect(ticksOf({ from: 0, to: 40 * day }, 6, 0).length).toBeLessThanOrEqual(7);
    expect(ticksOf({ from: 0, to: 9999 * day }, 6, 0).length).toBeLessThanOrEqual(7);
  });
});
