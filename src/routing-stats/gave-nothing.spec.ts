import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
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

function estimate(signature = SIGNATURE): RouteEstimate {
  return rooms.stats.estimate(MODEL, signature);
}

/** Records `count` samples of 10 tokens/s. */
function record(count: number, mesh = rooms): void {
  for (let n = 0; n < count; n += 1) {
    const sample = { model: MODEL, signature: SIGNATURE, tps: 10, weight: 1, epoch: 1, isPinned: false };
    mesh.stats.record(sample);
  }
}

function gaveNothing(count: number): void {
  for (let n = 0; n < count; n += 1) rooms.stats.gaveNothing(MODEL, SIGNATURE);
}

describe('a route that gives a chat nothing', () => {
  it('loses half of its evidence, and neither speed nor count', () => {
    record(4);
    gaveNothing(1);
    expect(estimate()).toMatchObject({ status: 'proven', tps: 10, mass: 2, sampleCount: 4, nothings: 1 });
  });

  it('loses all but four samples’ worth where it had more than eight', () => {
    record(100);
    gaveNothing(1);
    expect(estimate()).toMatchObject({ mass: 4, sampleCount: 100 });
  });

  it('loses half of what time has left', () => {
    record(4);
    rooms.live(HALF_LIFE_MS);
    gaveNothing(1);
    expect(estimate().mass).toBeCloseTo(1, 12);
    rooms.live(HALF_LIFE_MS);
    expect(estimate().mass).toBeCloseTo(0.5, 12);
  });

  it('is decayed by five such chats in a row, however much evidence it had', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 300 }), (samples) => {
        const mesh = new Rooms();
        mesh.join({ wallet: 'w' });
        record(samples, mesh);
        const statuses = Array.from({ length: 5 }, () => {
          mesh.stats.gaveNothing(MODEL, SIGNATURE);
          return mesh.stats.estimate(MODEL, SIGNATURE).status;
        });
        expect(statuses).toEqual(['proven', 'proven', 'proven', 'proven', 'decayed']);
      }),
      { numRuns: 20 },
    );
  });

  it('is decayed sooner with little evidence', () => {
    record(1);
    gaveNothing(1);
    expect(estimate().status).toBe('proven');
    gaveNothing(1);
    expect(estimate()).toMatchObject({ status: 'decayed', nothings: 2 });
  });

  it('counts such chats also where it has no evidence', () => {
    gaveNothing(3);
    expect(estimate()).toMatchObject({ status: 'unsampled', tps: null, mass: 0, nothings: 3 });
    expect(estimate('other')).toMatchObject({ nothings: 0 });
  });

  it('leaves other routes and other models', () => {
    record(4);
    rooms.stats.gaveNothing(MODEL, `${MODEL}|v:all[0-0]`);
    rooms.stats.gaveNothing('other', SIGNATURE.replace(MODEL, 'other'));
    expect(estimate()).toMatchObject({ mass: 4, nothings: 0 });
  });

  it('publishes no sample', () => {
    record(1);
    gaveNothing(1);
    rooms.stats.completed(SIGNATURE);
    expect(rooms.events.filter(({ type }) => type === 'sample.recorded')).toHaveLength(1);
  });
});

describe('a completion', () => {
  it('ends the row, and leaves a doubt and the evidence as it is', () => {
    record(4);
    gaveNothing(2);
    rooms.stats.completed(SIGNATURE);
    expect(estimate()).toMatchObject({ mass: 1, nothings: 1 });
  });

  it('of a route in no doubt changes nothing', () => {
    const before = estimate();
    rooms.stats.completed(SIGNATURE);
    expect(estimate()).toEqual(before);
  });
});

describe('a sample', () => {
  it('ends the doubt and adds its evidence', () => {
    record(4);
    gaveNothing(3);
    record(1);
    expect(estimate()).toMatchObject({ status: 'proven', mass: 1.5, nothings: 0 });
  });
});

describe('the sweep', () => {
  it('keeps doubts of routes whose model is known', () => {
    gaveNothing(2);
    rooms.live(2 * HALF_LIFE_MS);
    expect(estimate().nothings).toBe(2);
  });

  it('drops doubts a day after the route last gave nothing', () => {
    gaveNothing(2);
    rooms.live(DAY_MS - 1);
    expect(estimate().nothings).toBe(2);
    rooms.live(HALF_LIFE_MS + 1);
    expect(estimate().nothings).toBe(0);
  });
});

describe('a model that is forgotten', () => {
  it('takes the doubts of its routes along at once, and those of no other model', () => {
    const other = `${MODEL}/old|w:all[0-0]`;
    rooms.stats.gaveNothing(`${MODEL}/old`, other);
    gaveNothing(2);
    rooms.bus.publish('model.forgotten', { model: `${MODEL}/old`, at: rooms.clock.wallMs() });
    expect([estimate(other).nothings, estimate().nothings]).toEqual([0, 2]);
    rooms.bus.publish('model.forgotten', { model: MODEL, at: rooms.clock.wallMs() });
    expect(estimate().nothings).toBe(0);
  });
});
