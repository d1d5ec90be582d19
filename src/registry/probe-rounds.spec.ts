import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { ProbeRounds } from './probe-rounds.js';

const PERIOD_MS = 30_000;

let clock: ManualClock;
/** When each probe began, in ms since the start. */
let began: number[];
let end: () => void;
let isHeld: boolean;
let rounds: ProbeRounds;

beforeEach(() => {
  clock = new ManualClock(0);
  began = [];
  isHeld = false;
  end = () => undefined;
  rounds = new ProbeRounds(clock, PERIOD_MS, () => {
    began.push(clock.now());
    return isHeld ? new Promise((resolve) => (end = resolve)) : Promise.resolve();
  });
});

async function advance(ms: number): Promise<void> {
  await settled();
  clock.advance(ms);
  await settled();
}

async function settled(): Promise<void> {
  await new Promise((turn) => setImmediate(turn));
}

async function startedAndLater(ms: number): Promise<void> {
  await rounds.run();
  await advance(ms);
}

describe('the probes of a server', () => {
  it('come once a period, each a period after the end of the one before', async () => {
    await rounds.run();
    for (let n = 0; n < 3; n += 1) await advance(PERIOD_MS);
    expect(began).toEqual([0, 30_000, 60_000, 90_000]);
  });

  it('come at once when one is asked for, and a period after that', async () => {
    await startedAndLater(5000);
    await expect(rounds.soon()).resolves.toBe(true);
    await advance(PERIOD_MS - 1);
    expect(began).toEqual([0, 5000]);
    await advance(1);
    expect(began).toEqual([0, 5000, 35_000]);
  });

  it('come at most once a second more, however often they are asked for', async () => {
    await startedAndLater(5000);
    for (let n = 0; n < 40; n += 1) {
      for (let call = 0; call < 100; call += 1) void rounds.soon();
      await advance(50);
    }
    expect(began).toEqual([0, 5000, 6000, 7000]);
    expect(clock.liveTimers).toBe(1);
  });

  it('never overlap; one that is asked for meanwhile follows', async () => {
    await startedAndLater(0);
    isHeld = true;
    await advance(PERIOD_MS);
    let isOver = false;
    void rounds.soon().then(() => (isOver = true));
    await advance(10_000);
    expect([began, isOver]).toEqual([[0, 30_000], false]);
    isHeld = false;
    end();
    await advance(0);
    expect([began, isOver]).toEqual([[0, 30_000, 40_000], true]);
  });

  it('are not put off by one that is asked for when the next is due sooner', async () => {
    rounds = new ProbeRounds(clock, 200, () => Promise.resolve(void began.push(clock.now())));
    await startedAndLater(0);
    void rounds.soon();
    await advance(0);
    void rounds.soon();
    for (let n = 0; n < 3; n += 1) await advance(200);
    expect(began).toEqual([0, 0, 200, 400, 600]);
  });

  it('end when they are stopped, and those asked for resolve to false', async () => {
    await startedAndLater(5000);
    isHeld = true;
    const running = rounds.soon();
    const next = rounds.soon();
    rounds.stop();
    end();
    await expect(Promise.all([running, next, rounds.soon()])).resolves.toEqual([false, false, false]);
    await advance(PERIOD_MS);
    expect([began, clock.liveTimers]).toEqual([[0, 5000], 0]);
  });
});
