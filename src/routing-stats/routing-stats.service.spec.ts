import { beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import type { RouteEstimate } from './index.js';

const HALF_LIFE_MS = 600_000;
const DAY_MS = 24 * 3_600_000;
const SIGNATURE = `${MODEL}|w:all[0-0]`;

let rooms: Rooms;
beforeEach(() => {
  rooms = new Rooms();
  rooms.join({ wallet: 'w' });
});

function estimate(): RouteEstimate {
  return rooms.stats.estimate(MODEL, SIGNATURE);
}

function record(tps: number, stated: { epoch?: number; weight?: number; isPinned?: boolean } = {}): void {
  rooms.stats.record({
    model: MODEL,
    signature: SIGNATURE,
    tps,
    weight: 1,
    epoch: 1,
    isPinned: false,
    ...stated,
  });
}

describe('an estimate', () => {
  it('of a route that nobody measured is a state of its own, not a speed of nothing', () => {
    expect(estimate()).toEqual({
      status: 'unsampled',
      tps: null,
      mass: 0,
      sampleCount: 0,
      lastSampleAt: null,
      scoutsInFlight: 0,
      barred: false,
      nothings: 0,
    });
  });

  it('learns from samples and loses mass by the clock', () => {
    record(10);
    record(20);
    expect(estimate()).toMatchObject({ status: 'proven', tps: 15, mass: 2, sampleCount: 2 });
    rooms.live(2 * HALF_LIFE_MS);
    expect(estimate()).toMatchObject({ status: 'proven', tps: 15, sampleCount: 2 });
    expect(estimate().mass).toBeCloseTo(0.5, 12);
    rooms.live(1000);
    expect(estimate()).toMatchObject({ status: 'decayed', tps: 15 });
  });

  it('tells of each sample, with what the arm holds after it', () => {
    const told = (): unknown =>
      rooms.events.filter(({ type }) => type === 'sample.recorded').map(({ fact }) => fact);
    rooms.stats.scoutStarted(SIGNATURE);
    rooms.stats.scoutEnded(SIGNATURE, false);
    expect(told()).toEqual([]);
    record(10);
    record(30, { weight: 0.5 });
    const of = { model: MODEL, signature: SIGNATURE, at: rooms.clock.wallMs() };
    expect(told()).toEqual([
      { ...of, tps: 10, weight: 1, learned_tps: 10 },
      { ...of, tps: 30, weight: 0.5, learned_tps: expect.closeTo(50 / 3, 9) },
    ]);
  });

  it('proves a route by one estimated sample, but for less long', () => {
    record(10, { weight: 0.6 });
    expect(estimate()).toMatchObject({ status: 'proven', mass: 0.6 });
    rooms.live(HALF_LIFE_MS * 0.27);
    expect(estimate().status).toBe('decayed');
  });

  it('becomes stale by a bump, keeps its speed for display, and is proven anew by one fresh sample', () => {
    record(10);
    record(10);
    rooms.join({ wallet: 'v' });
    expect(estimate()).toMatchObject({ status: 'stale', tps: 10, mass: 2, sampleCount: 2 });
    record(30, { epoch: 2 });
    expect(estimate()).toMatchObject({ status: 'proven', tps: 30, mass: 1, sampleCount: 3 });
  });

  it('is never re-proven by a sample that was decided under an older epoch', () => {
    rooms.join({ wallet: 'v' });
    record(10, { epoch: 1 });
    expect(estimate()).toMatchObject({ status: 'stale', tps: 10, sampleCount: 1 });
    record(30, { epoch: 2 });
    record(99, { epoch: 1 });
    expect(estimate()).toMatchObject({ status: 'proven', tps: 30, sampleCount: 3 });
  });

  it('has forgotten everything 24 h after the newest sample, also between two sweeps', () => {
    rooms.live(1234);
    record(10);
    rooms.live(DAY_MS - 1);
    expect(estimate()).toMatchObject({ status: 'decayed', tps: 10, sampleCount: 1 });
    rooms.live(1);
    expect(estimate()).toMatchObject({ status: 'unsampled', tps: null, mass: 0, lastSampleAt: null });
  });

  it('goes with its model when that is forgotten', () => {
    record(10);
    rooms.clock.advance(90_000);
    record(10);
    rooms.clock.advance(DAY_MS);
    expect(rooms.registry.isKnown(MODEL)).toBe(false);
    rooms.join({ wallet: 'w' });
    expect(estimate()).toMatchObject({ status: 'unsampled', tps: null, sampleCount: 0 });
  });
});

describe('scouting', () => {
  it('is seen while under way', () => {
    rooms.stats.scoutStarted(SIGNATURE);
    expect(estimate().scoutsInFlight).toBe(1);
    rooms.stats.scoutEnded(SIGNATURE, true);
    expect(estimate()).toMatchObject({ scoutsInFlight: 0, barred: false });
  });

  it('in vain bars the route for 30 s of the clock, and any sample lifts that', () => {
    rooms.stats.scoutStarted(SIGNATURE);
    rooms.stats.scoutEnded(SIGNATURE, false);
    rooms.live(29_999);
    expect(estimate().barred).toBe(true);
    rooms.live(1);
    expect(estimate().barred).toBe(false);
    rooms.stats.scoutStarted(SIGNATURE);
    rooms.stats.scoutEnded(SIGNATURE, false);
    expect(estimate().barred).toBe(true);
    record(10, { isPinned: true });
    expect(estimate().barred).toBe(false);
  });
});

describe('the service', () => {
  it('sweeps by the clock until it is destroyed', () => {
    rooms.registry.onModuleDestroy();
    expect(rooms.clock.liveTimers).toBe(1);
    rooms.clock.advance(10 * HALF_LIFE_MS);
    expect(rooms.clock.liveTimers).toBe(1);
    rooms.stats.onModuleDestroy();
    expect(rooms.clock.liveTimers).toBe(0);
  });
});
