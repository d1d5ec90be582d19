import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { SteadyTime } from './steady-time.js';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1);

/** Some seconds into a minute. */
function aClock(secondsIn: number): ManualClock {
  return new ManualClock(123_456, START - 123_456 + secondsIn * 1000);
}

describe('steady time', () => {
  it("has the wall clock's own minutes", () => {
    const clock = aClock(50);
    const time = new SteadyTime(clock, MINUTE);
    const { slice } = time;
    expect(time.startOf(slice)).toBe(START);
    clock.advance(9_999);
    expect(time.slice).toBe(slice);
    clock.advance(1);
    expect(time.slice).toBe(slice + 1);
    expect([time.startOf(slice), time.startOf(slice + 1)]).toEqual([START, START + MINUTE]);
  });

  it.each([-86_400_000, -95_000, -31_000, -1, 29_000, 61_000, 3_600_000])(
    'goes on as if nothing were when the wall clock is set by %s ms, and tells its minutes by the new time',
    (stepMs) => {
      const clock = aClock(20);
      const time = new SteadyTime(clock, MINUTE);
      const { slice } = time;
      clock.advance(MINUTE);
      clock.stepWall(stepMs);
      expect(time.slice).toBe(slice + 1);
      clock.advance(MINUTE);
      expect(time.slice).toBe(slice + 2);
      const starts = [0, 1, 2].map((later) => time.startOf(slice + later));
      for (const [later, start] of starts.entries()) {
        expect(start % MINUTE).toBe(0);
        expect(Math.abs(start - (START + stepMs + later * MINUTE))).toBeLessThanOrEqual(MINUTE / 2);
      }
      expect(starts[2]! - starts[0]!).toBe(2 * MINUTE);
    },
  );
});
