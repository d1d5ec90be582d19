import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { Deadlines } from '../../kernel/index.js';
import { Watchdog, type CallLimits } from './watchdog.js';

let clock: ManualClock;
let barks: string[];
beforeEach(() => {
  clock = new ManualClock(0);
  barks = [];
});

function watchdog(limits: Partial<CallLimits> = {}): Watchdog {
  const all = { firstByteMs: 600, idleMs: 300, totalAt: 10_000, silentMs: Infinity, ...limits };
  return new Watchdog(new Deadlines(clock), all, {
    timedOut: (kind, afterMs) => void barks.push(`${kind} ${String(afterMs)} at ${String(clock.now())}`),
    silent: () => void barks.push(`silent at ${String(clock.now())}`),
    onFault: (fault) => void barks.push(String(fault)),
  });
}

describe('the watchdog of an attempt', () => {
  it('barks when the first byte is late, once', () => {
    watchdog();
    clock.advance(599);
    expect(barks).toEqual([]);
    clock.advance(20_000);
    expect(barks).toEqual(['first_byte 600 at 600']);
    expect(clock.liveTimers).toBe(0);
  });

  it('barks when the head falls silent, also sooner than a first byte would have been late', () => {
    const dog = watchdog();
    clock.advance(100);
    dog.heard();
    clock.advance(299);
    expect(barks).toEqual([]);
    clock.advance(1);
    expect(barks).toEqual(['idle 300 at 400']);
  });

  it('is put off by each word', () => {
    const dog = watchdog();
    for (let n = 0; n < 10; n += 1) {
      clock.advance(290);
      dog.heard();
    }
    clock.advance(299);
    expect(barks).toEqual([]);
    clock.advance(1);
    expect(barks).toEqual(['idle 300 at 3200']);
  });

  it('needs one timer, however much is said', () => {
    const dog = watchdog();
    for (let n = 0; n < 50; n += 1) {
      clock.advance(10);
      dog.heard();
      expect(clock.liveTimers).toBe(1);
    }
  });

  it('barks when the whole call is too long, whatever is said', () => {
    const dog = watchdog({ totalAt: 1_000 });
    while (barks.length === 0 && clock.now() < 5_000) {
      clock.advance(100);
      dog.heard();
    }
    expect(barks).toEqual(['total 1000 at 1000']);
  });

  it('barks for the total first where that is the sooner', () => {
    watchdog({ totalAt: 200 });
    clock.advance(1_000);
    expect(barks).toEqual(['total 200 at 200']);
  });

  it('barks at once where the total was over before it began', () => {
    clock.advance(500);
    watchdog({ totalAt: 400 });
    clock.advance(1);
    expect(barks).toEqual(['total 1 at 501']);
  });

  it('does not hold it against the head that the client reads slowly', () => {
    const dog = watchdog();
    dog.heard();
    dog.suspend();
    clock.advance(5_000);
    expect(barks).toEqual([]);
    dog.resume();
    clock.advance(299);
    expect(barks).toEqual([]);
    clock.advance(301);
    expect(barks).toEqual([`idle 300 at 5300`]);
  });

  it('still minds the total while the client reads slowly', () => {
    const dog = watchdog({ totalAt: 2_000 });
    dog.heard();
    dog.suspend();
    clock.advance(5_000);
    expect(barks).toEqual(['total 2000 at 2000']);
  });

  it('takes a resume before the first word for none', () => {
    const dog = watchdog();
    dog.resume();
    clock.advance(600);
    expect(barks).toEqual(['first_byte 600 at 600']);
  });

  it('is quiet once stopped, and leaves no timer', () => {
    const dog = watchdog();
    dog.heard();
    dog.stop();
    dog.stop();
    dog.heard();
    clock.advance(20_000);
    expect([barks, clock.liveTimers]).toEqual([[], 0]);
  });
});
