import { beforeEach, describe, expect, it } from '@jest/globals';
import { ScoutLedger } from './scout-ledger.js';

const H = 600_000;
let ledger: ScoutLedger;
beforeEach(() => {
  ledger = new ScoutLedger(H);
});

/** One scout that gives no sample. */
function inVain(now: number): void {
  ledger.started('s');
  ledger.ended('s', false, now);
}

/** For how long, from `now` on, the arm is barred. */
function barFrom(now: number): number {
  let ms = 0;
  while (ledger.isBarred('s', now + ms)) ms += 1000;
  return ms;
}

describe('scouts under way', () => {
  it('are counted in and out', () => {
    ledger.started('s');
    ledger.started('s');
    ledger.started('other');
    expect([ledger.inFlight('s'), ledger.inFlight('other'), ledger.inFlight('none')]).toEqual([2, 1, 0]);
    ledger.ended('s', true, 0);
    ledger.ended('s', false, 0);
    expect(ledger.inFlight('s')).toBe(0);
  });

  it('that nobody saw start are not counted out', () => {
    ledger.ended('s', false, 0);
    expect(ledger.inFlight('s')).toBe(0);
    expect(ledger.isBarred('s', 0)).toBe(false);
  });
});

describe('a scout that gave no sample', () => {
  it('bars its arm, and no other, for 30 s', () => {
    inVain(1000);
    expect(ledger.isBarred('s', 1000)).toBe(true);
    expect(ledger.isBarred('s', 30_999)).toBe(true);
    expect(ledger.isBarred('s', 31_000)).toBe(false);
    expect(ledger.isBarred('other', 1000)).toBe(false);
  });

  it('doubles the bar each time in a row, up to one half-life', () => {
    const bars: number[] = [];
    let now = 0;
    for (let scout = 0; scout < 8; scout += 1) {
      inVain(now);
      const bar = barFrom(now);
      bars.push(bar / 1000);
      now += bar;
    }
    expect(bars).toEqual([30, 60, 120, 240, 480, 600, 600, 600]);
  });

  it('never bars for longer than a half-life shorter than 30 s', () => {
    ledger = new ScoutLedger(1000);
    inVain(0);
    expect(ledger.isBarred('s', 999)).toBe(true);
    expect(ledger.isBarred('s', 1000)).toBe(false);
  });

  it('bars for a finite time even after thousands in vain', () => {
    for (let scout = 0; scout < 3000; scout += 1) inVain(0);
    expect(ledger.isBarred('s', H - 1)).toBe(true);
    expect(ledger.isBarred('s', H)).toBe(false);
  });
});

describe('a sample', () => {
  it('lifts the bar and starts the doubling over', () => {
    inVain(0);
    inVain(30_000);
    ledger.sampled('s', 40_000);
    expect(ledger.isBarred('s', 40_000)).toBe(false);
    inVain(50_000);
    expect(barFrom(50_000)).toBe(30_000);
  });

  it('starts the doubling over also while another scout is under way', () => {
    inVain(0);
    ledger.started('s');
    ledger.sampled('s', 40_000);
    ledger.ended('s', false, 50_000);
    expect(barFrom(50_000)).toBe(30_000);
  });

  it('of an arm without scouts changes nothing', () => {
    ledger.sampled('s', 0);
    expect(ledger.size).toBe(0);
  });

  it('does not count out the scouts that are still under way', () => {
    ledger.started('s');
    ledger.sampled('s', 0);
    expect(ledger.inFlight('s')).toBe(1);
  });
});

describe('the ledger', () => {
  it('keeps nothing of scouts that went well', () => {
    ledger.started('s');
    ledger.sampled('s', 0);
    ledger.ended('s', true, 0);
    expect(ledger.size).toBe(0);
  });

  it('remembers how often it was in vain for a half-life past the bar, and then forgets', () => {
    inVain(0);
    ledger.prune(30_000 + H - 1);
    expect(ledger.size).toBe(1);
    ledger.prune(30_000 + H);
    expect(ledger.size).toBe(0);
  });

  it('never forgets a scout that is under way', () => {
    ledger.started('s');
    ledger.prune(1e12);
    expect(ledger.inFlight('s')).toBe(1);
  });
});
