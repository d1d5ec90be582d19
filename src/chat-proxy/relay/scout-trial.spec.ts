import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { textChunk } from '../../../test/support/openai-answers.js';
import { Deadlines } from '../../kernel/index.js';
import { ScoutTrial, TRIAL_MS } from './scout-trial.js';

let clock: ManualClock;
let deadlines: Deadlines;
let told: string[];
let canTakeOver: boolean;
beforeEach(() => {
  clock = new ManualClock();
  deadlines = new Deadlines(clock);
  told = [];
  canTakeOver = true;
});

/** To do ten tokens/s. */
function begin(promptMs = 0): ScoutTrial {
  const takeOver = (): boolean => {
    told.push('asked');
    return canTakeOver;
  };
  return new ScoutTrial(
    deadlines,
    { leastTps: 10, promptMs, takeOver },
    {
      onTrialOver: () => told.push('over'),
      onTooSlow: () => told.push('too slow'),
      onFault: (fault) => told.push(String(fault)),
    },
  );
}

function hears(trial: ScoutTrial, count: number, text = 'x'): void {
  for (let at = 0; at < count; at += 1) trial.heard(Buffer.from(textChunk(text)));
}

describe("a scout's trial", () => {
  it('is passed by the first eight tokens that are quick enough, and nobody is asked anything', () => {
    const trial = begin();
    clock.advance(800);
    hears(trial, 7);
    expect(trial.isOpen).toBe(true);
    hears(trial, 1);
    clock.advance(60_000);
    expect([trial.isOpen, told, clock.liveTimers]).toEqual([false, [], 0]);
  });

  it('is passed later by tokens that make up for a slow start', () => {
    const trial = begin();
    clock.advance(3_000);
    hears(trial, 29);
    expect(trial.isOpen).toBe(true);
    hears(trial, 1);
    expect(trial.isOpen).toBe(false);
  });

  it.each([
    [true, ['asked', 'too slow']],
    [false, ['asked', 'over']],
  ])('is lost when time is up, if another can take over: %s', (can, expected) => {
    canTakeOver = can;
    const trial = begin();
    clock.advance(100);
    hears(trial, 5);
    clock.advance(TRIAL_MS - 101);
    expect(told).toEqual([]);
    clock.advance(1);
    expect([trial.isOpen, told]).toEqual([false, expected]);
  });

  it('gives the prompt its time, and counts from the first token where that is sooner', () => {
    const trial = begin(10_000);
    clock.advance(2_000);
    hears(trial, 3);
    clock.advance(1_000);
    hears(trial, 6);
    expect(trial.isOpen).toBe(true);
    hears(trial, 1);
    expect(trial.isOpen).toBe(false);
    begin(10_000);
    clock.advance(10_000 + TRIAL_MS - 1);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(told).toEqual(['asked', 'too slow']);
  });

  it('takes long chunks for several tokens', () => {
    const trial = begin();
    clock.advance(1_000);
    hears(trial, 1, 'a'.repeat(32));
    expect(trial.isOpen).toBe(true);
    hears(trial, 1, 'a'.repeat(32));
    expect(trial.isOpen).toBe(false);
  });

  it('is told of as a fault of the call when taking over throws', () => {
    const trial = new ScoutTrial(
      deadlines,
      {
        ...{ leastTps: 1, promptMs: 0 },
        takeOver: () => {
          throw new Error('broken');
        },
      },
      {
        onTrialOver: () => told.push('over'),
        onTooSlow: () => told.push('too slow'),
        onFault: (fault) => told.push(String(fault)),
      },
    );
    clock.advance(TRIAL_MS);
    expect([told, trial.isOpen]).toEqual([['Error: broken'], false]);
  });
});
