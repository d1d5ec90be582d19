import { beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import type { MeshNode } from '../registry/index.js';
import { RequestFaultsService, type HeldCharge } from './request-faults.service.js';

const HELD_MS = 2_000;

let rooms: Rooms;
let faults: RequestFaultsService;
let node: MeshNode;
let timers: number;
beforeEach(() => {
  rooms = new Rooms();
  faults = new RequestFaultsService(rooms.clock, rooms.logger, rooms.health, rooms.bus);
  node = rooms.join({ wallet: 'w' }).node;
  timers = rooms.clock.liveTimers;
});

function hold(on = node): HeldCharge {
  return faults.hold({ node: on, incarnation: on.incarnation });
}

/** How many failures count against the node. */
function failures(of = node): number {
  return 1 / rooms.health.reputation(of) - 1;
}

/** Adds `count` calls of the model that two nodes answered alike, each with one charge. */
function requestsFailed(count: number, model = MODEL): void {
  for (let n = 0; n < count; n += 1) faults.requestFailed(model, `r${n}`, [hold()]);
}

describe('a held charge', () => {
  it('counts after two seconds', () => {
    hold();
    rooms.clock.advance(HELD_MS - 1);
    expect(failures()).toBe(0);
    rooms.clock.advance(1);
    expect(failures()).toBeCloseTo(1, 2);
    expect(rooms.clock.liveTimers).toBe(timers);
  });

  it('counts at once where it is to, and only once', () => {
    const held = hold();
    held.count();
    held.count();
    rooms.clock.advance(HELD_MS);
    expect(failures()).toBeCloseTo(1, 2);
    expect(rooms.clock.liveTimers).toBe(timers);
  });

  it('never counts once it was taken back', () => {
    const held = hold();
    held.takeBack();
    held.count();
    rooms.clock.advance(HELD_MS);
    expect([failures(), rooms.clock.liveTimers]).toEqual([0, timers]);
  });

  it('counts no longer where it was taken back after it had counted, once', () => {
    const [first, second] = [hold(), hold()];
    rooms.clock.advance(HELD_MS);
    expect(failures()).toBeCloseTo(2, 2);
    first.takeBack();
    first.takeBack();
    first.count();
    expect(failures()).toBeCloseTo(1, 2);
    second.takeBack();
    expect(failures()).toBeCloseTo(0, 2);
  });

  it('leaves no timer when the tracker stops', () => {
    hold();
    hold().count();
    hold();
    faults.onModuleDestroy();
    expect(rooms.clock.liveTimers).toBe(timers);
    rooms.clock.advance(HELD_MS);
    expect(failures()).toBeCloseTo(1, 2);
  });
});

describe('a request at fault', () => {
  it('takes its charges back, and is logged without its text', () => {
    const counted = hold();
    counted.count();
    faults.requestFailed(MODEL, 'r1', [counted, hold()]);
    rooms.clock.advance(HELD_MS);
    expect(failures()).toBe(0);
    expect(rooms.logger.of('request.at_fault')).toEqual([
      { level: 'info', event: 'request.at_fault', fields: { request_id: 'r1', model: MODEL } },
    ]);
  });

  it('may have no charges', () => {
    faults.requestFailed(MODEL, 'r1', []);
    expect(rooms.logger.of('request.at_fault')).toHaveLength(1);
  });
});

describe('an outage', () => {
  const outages = (): unknown => rooms.logger.of('request.faults_are_an_outage');

  it('is the tenth such call without a completion, and counts all that was taken back', () => {
    requestsFailed(9);
    expect([failures(), outages()]).toEqual([0, []]);
    requestsFailed(1);
    expect(failures()).toBeCloseTo(10, 6);
    expect(outages()).toEqual([
      { level: 'warn', event: 'request.faults_are_an_outage', fields: { model: MODEL, calls: 10 } },
    ]);
  });

  it('counts each node’s own failures', () => {
    const other = rooms.join({ wallet: 'other' }).node;
    for (let n = 0; n < 10; n += 1) faults.requestFailed(MODEL, 'r', [hold(), hold(other)]);
    expect([failures(), failures(other)]).toEqual([expect.closeTo(10, 6), expect.closeTo(10, 6)]);
  });

  it('is none where a completion came between', () => {
    faults.completed(MODEL);
    requestsFailed(9);
    faults.completed(MODEL);
    requestsFailed(9);
    expect([failures(), outages()]).toEqual([0, []]);
    requestsFailed(1);
    expect(failures()).toBeCloseTo(10, 6);
  });

  it('begins to count anew after it was found', () => {
    requestsFailed(19);
    expect(failures()).toBeCloseTo(10, 6);
    requestsFailed(1);
    expect(failures()).toBeCloseTo(20, 6);
  });

  it('is of one model, and no completion of another ends it', () => {
    requestsFailed(9);
    requestsFailed(9, 'other');
    faults.completed('third');
    expect(failures()).toBe(0);
    faults.completed('other');
    requestsFailed(1);
    expect(failures()).toBeCloseTo(10, 6);
  });

  it('is forgotten with its model', () => {
    requestsFailed(9);
    rooms.bus.publish('model.forgotten', { model: MODEL, at: rooms.clock.wallMs() });
    requestsFailed(9);
    expect(failures()).toBe(0);
  });
});
