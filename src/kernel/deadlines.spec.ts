import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { Deadlines, type Deadline } from './deadlines.js';

let clock: ManualClock;
let deadlines: Deadlines;
let told: string[];
beforeEach(() => {
  clock = new ManualClock(0);
  deadlines = new Deadlines(clock);
  told = [];
});

class Due implements Deadline {
  place = -1;

  constructor(
    readonly name: string,
    public dueAt: number,
    private readonly then: (due: Due) => void = (due) => deadlines.delete(due),
  ) {
    deadlines.add(this);
  }

  onDue(): void {
    told.push(`${this.name} at ${String(clock.now())}`);
    this.then(this);
  }

  onFault(fault: unknown): void {
    told.push(`${this.name}: ${String(fault)}`);
    deadlines.delete(this);
  }
}

describe('deadlines', () => {
  it('are told each at its moment, whatever the order in which they came', () => {
    new Due('late', 300);
    new Due('early', 100);
    new Due('between', 200);
    clock.advance(99);
    expect(told).toEqual([]);
    clock.advance(1000);
    expect(told).toEqual(['early at 100', 'between at 200', 'late at 300']);
    expect([deadlines.size, clock.liveTimers]).toEqual([0, 0]);
  });

  it('take one timer among them, and none when nobody waits', () => {
    const dues = Array.from({ length: 100 }, (_, n) => new Due(String(n), 100 + n));
    expect(clock.liveTimers).toBe(1);
    dues.forEach((due) => deadlines.delete(due));
    dues.forEach((due) => deadlines.delete(due));
    expect([clock.liveTimers, told]).toEqual([0, []]);
  });

  it('may move away without a word', () => {
    const due = new Due('moved', 100);
    due.dueAt = 250;
    clock.advance(249);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(told).toEqual(['moved at 250']);
  });

  it('may come nearer, if that is told', () => {
    const due = new Due('hastened', 500);
    due.dueAt = 50;
    deadlines.hasten(due);
    clock.advance(50);
    expect(told).toEqual(['hastened at 50']);
    deadlines.hasten(due);
    clock.advance(1000);
    expect([told.length, clock.liveTimers]).toEqual([1, 0]);
  });

  it('are told again while they are due', () => {
    new Due('again', 100, (due) => (told.length < 3 ? (due.dueAt += 10) : deadlines.delete(due)));
    clock.advance(1000);
    expect(told).toEqual(['again at 100', 'again at 110', 'again at 120']);
  });

  it('that another one ended are not told', () => {
    const second = new Due('second', 101);
    new Due('first', 100, (due) => {
      deadlines.delete(second);
      deadlines.delete(due);
    });
    clock.stall(1000);
    expect(told).toEqual(['first at 1000']);
  });

  it('harm no other one by a fault', () => {
    new Due('broken', 100, () => {
      throw new Error('its own');
    });
    new Due('sound', 100);
    clock.advance(100);
    expect(told).toEqual(['broken at 100', 'broken: Error: its own', 'sound at 100']);
  });

  it('that are many are told together, a little late', () => {
    const looks = new Set<number>();
    Array.from(
      { length: 1000 },
      (_, n) =>
        new Due(String(n), 1000 + n, (due) => {
          looks.add(clock.now());
          deadlines.delete(due);
        }),
    );
    clock.advance(3000);
    expect(told).toHaveLength(1000);
    expect(looks.size).toBeLessThan(200);
    const lateMs = told.map((line) => Number(line.split(' at ')[1]) - 1000 - Number(line.split(' at ')[0]));
    expect(Math.max(...lateMs)).toBeLessThanOrEqual(20);
    expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
  });

  it('past at once are told in a moment', () => {
    clock.advance(500);
    new Due('past', 400);
    clock.advance(1);
    expect(told).toEqual(['past at 501']);
  });
});

describe('deadlines on a clock that throws', () => {
  let failures = 0;
  const failing = <T>(act: () => T): T => {
    if (failures > 0) {
      failures -= 1;
      throw new Error('no time');
    }
    return act();
  };
  beforeEach(() => {
    failures = 0;
    const sound = clock;
    deadlines = new Deadlines({
      now: () => failing(() => sound.now()),
      wallMs: () => sound.wallMs(),
      after: (delayMs, act) => failing(() => sound.after(delayMs, act)),
    });
  });

  it('tell whoever comes then, keep nothing of it, and still tell the others', () => {
    new Due('other', 100);
    failures = 1;
    expect(() => new Due('unlucky', 50)).toThrow('no time');
    expect(deadlines.size).toBe(1);
    clock.advance(100);
    expect(told).toEqual(['other at 100']);
  });

  it('look again where it was nobody in particular', () => {
    new Due('other', 100);
    clock.advance(99);
    failures = 1;
    clock.advance(2);
    expect(told).toEqual(['other at 101']);
  });

  it('tell everybody where no timer can be had any more', () => {
    new Due('a', 100);
    new Due('b', 200);
    failures = 3;
    clock.advance(100);
    expect(told).toEqual(['a: Error: no time', 'b: Error: no time']);
    expect([deadlines.size, clock.liveTimers]).toEqual([0, 0]);
  });

  it('tell one that cannot say when it is due, and not the others', () => {
    const due = new Due('unsure', 100);
    Object.defineProperty(due, 'dueAt', {
      get: () => {
        throw new Error('unsure');
      },
    });
    new Due('sure', 100);
    clock.advance(100);
    expect(told).toEqual(['unsure: Error: unsure', 'sure at 100']);
  });
});
