import { beforeEach, describe, expect, it } from '@jest/globals';
import { aFinishedAttempt, aFinishedCall, MODEL } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import { CallsService } from '../calls/index.js';
import { ModelNotFoundError, type FinishedCall } from '../kernel/index.js';
import { IncidentsService } from './incidents.service.js';
import { RouteHistoryService } from './route-history.service.js';
import { TimelineService } from './timeline.service.js';
import { NO_TRACES } from '../traces/index.js';
import { AtOnce } from '../../test/support/at-once.js';

const DAY_MS = 24 * 3_600_000;
const ORIGIN = { path: '/v1/chat/completions', headers: {} };
const NOBODY = { failed_node_id: null, cause: null };
let rooms: Rooms;
let calls: CallsService;
let routes: RouteHistoryService;
let incidents: IncidentsService;
let timeline: TimelineService;
beforeEach(() => {
  rooms = new Rooms();
  const { clock, topology, bus, logger, settings } = rooms;
  calls = new CallsService(clock, logger, bus, settings.routing, NO_TRACES, new AtOnce(logger));
  routes = new RouteHistoryService(clock, topology, bus);
  incidents = new IncidentsService(clock, topology, calls, bus);
  timeline = new TimelineService(bus);
});

function finish(stated: Partial<FinishedCall> = {}): void {
  const call = aFinishedCall(stated);
  const { request_id, model } = call;
  rooms.bus.publish('call.finished', { request_id, model, call, at: rooms.clock.wallMs() });
}

function turnAway(model: string | null, code: string, status: number): void {
  rooms.bus.publish('chat.turned_away', { request_id: 'r', model, code, status, at: 0 });
}

describe("a route's history", () => {
  it('has a point for each minute with samples, at its beginning, with what was learned after them', () => {
    rooms.join({ wallet: 'w' });
    const decision = rooms.decide(MODEL, null);
    const minuteMs = Math.floor(rooms.clock.wallMs() / 60_000) * 60_000;
    rooms.record(decision, 10);
    rooms.record(decision, 20);
    rooms.clock.advance(120_000);
    rooms.record(decision, 60);
    const learned = rooms.stats.estimate(MODEL, decision.signature).tps;
    expect(routes.of(MODEL, null)).toEqual([
      {
        signature: decision.signature,
        points: [
          { at: minuteMs / 1000, tps: 15, learned_tps: expect.closeTo(15), samples: 2 },
          { at: minuteMs / 1000 + 120, tps: 60, learned_tps: learned, samples: 1 },
        ],
      },
    ]);
    expect(routes.of(MODEL, decision.signature)).toHaveLength(1);
    expect(routes.of(MODEL, 'another')).toEqual([]);
    rooms.live(58 * 60_000);
    expect(routes.of(MODEL, null)[0]?.points).toHaveLength(1);
    rooms.live(2 * 60_000);
    expect(routes.of(MODEL, null)).toEqual([]);
  });

  it('is not torn by a wall clock that is set', () => {
    rooms.join({ wallet: 'w' });
    const decision = rooms.decide(MODEL, null);
    rooms.record(decision, 10);
    rooms.clock.advance(60_000);
    rooms.clock.stepWall(-3 * DAY_MS + 7_000);
    rooms.record(decision, 20);
    const points = routes.of(MODEL, null)[0]?.points ?? [];
    expect(points.map(({ tps }) => tps)).toEqual([10, 20]);
    expect(points[1]!.at - points[0]!.at).toBe(60);
    expect(Math.abs(points[1]!.at * 1000 - rooms.clock.wallMs())).toBeLessThan(90_000);
  });

  it('is of known models only, and is gone with its model', () => {
    expect(() => routes.of(MODEL, null)).toThrow(ModelNotFoundError);
    rooms.join({ wallet: 'w' });
    expect(routes.of(MODEL, null)).toEqual([]);
    const sample = { model: MODEL, signature: `${MODEL}|w`, tps: 1, weight: 1, learned_tps: 1, at: 0 };
    rooms.bus.publish('sample.recorded', sample);
    rooms.bus.publish('model.forgotten', { model: MODEL, at: 0 });
    rooms.bus.publish('sample.recorded', sample);
    expect(() => routes.of(MODEL, null)).toThrow(ModelNotFoundError);
    rooms.bus.publish('node.joined', {
      ...{ model: MODEL, node_id: 'w:all', shard_start: null, shard_end: null },
      ...{ cause: 'registered', at: 0 },
    });
    expect(routes.of(MODEL, null)).toEqual([]);
  });
});

describe('incidents', () => {
  it('have a row for each known model, in the order in which they became known', () => {
    expect(incidents.rows(null)).toEqual([]);
    for (const model of ['b', 'a']) rooms.join({ wallet: 'w', model });
    finish({ model: 'a' });
    expect(incidents.rows(null).map(({ model, now }) => [model, now.calls])).toEqual([
      ['b', 0],
      ['a', 1],
    ]);
    expect(incidents.rows('a')).toHaveLength(1);
    expect(() => incidents.rows('nobody')).toThrow(ModelNotFoundError);
  });

  it('count finished calls, and chats turned away for what was not their own fault', () => {
    rooms.join({ wallet: 'w' });
    finish({ ttft_ms: 200 });
    finish({ outcome: 'client_left', ttft_ms: null });
    const attempts = [
      aFinishedAttempt({ outcome: 'failed', failed_node_id: 'w:all', cause: 'node_failed' }),
      aFinishedAttempt({ outcome: 'completed', ...NOBODY }),
    ];
    finish({ attempts, queued_ms: 3 });
    turnAway(MODEL, 'no_route', 503);
    turnAway(MODEL, 'invalid_request', 400);
    turnAway(null, 'shutting_down', 503);
    expect(incidents.rows(MODEL)).toEqual([
      {
        ...{ model: MODEL, waiting: 0 },
        now: {
          ...{ calls: 4, succeeded: 2, success_ratio: expect.closeTo(2 / 3), queued: 1 },
          p95_ttft_ms: expect.closeTo(200, -1),
        },
        hour_ago: { calls: 0, succeeded: 0, success_ratio: null, p95_ttft_ms: null, queued: 0 },
        failures: [
          { node_id: null, cause: 'no_route', count: 1 },
          { node_id: 'w:all', cause: 'node_failed', count: 1 },
        ],
      },
    ]);
  });

  it('come to be those of an hour ago, whatever the wall clock is set to meanwhile', () => {
    rooms.join({ wallet: 'w' });
    finish();
    rooms.live(1_800_000);
    rooms.clock.stepWall(5 * DAY_MS);
    rooms.live(1_800_000);
    finish({ outcome: 'failed' });
    const [row] = incidents.rows(MODEL);
    expect([row?.now.success_ratio, row?.hour_ago.success_ratio]).toEqual([0, 1]);
  });

  it('tell how many calls wait this moment', () => {
    for (const model of [MODEL, 'other']) rooms.join({ wallet: 'w', model });
    const [first, second, elsewhere] = [MODEL, MODEL, 'other'].map((model) =>
      calls.begin('r', model, true, ORIGIN),
    );
    for (const call of [first!, second!, elsewhere!]) calls.queued(call);
    calls.begin('under way', MODEL, true, ORIGIN);
    const waiting = (): unknown => incidents.rows(null).map((row) => row.waiting);
    expect(waiting()).toEqual([2, 1]);
    calls.decided(first!, rooms.decide(MODEL, null));
    expect(waiting()).toEqual([1, 1]);
  });

  it('keep nothing of models that are not known, nor of those without calls for long', () => {
    const kept = (): number => (incidents as unknown as { models: Map<string, unknown> }).models.size;
    finish({ model: 'stranger' });
    turnAway('stranger', 'no_route', 503);
    expect(kept()).toBe(0);
    for (const model of ['quiet', 'forgotten', 'busy']) {
      rooms.join({ wallet: 'w', model });
      finish({ model });
    }
    expect(kept()).toBe(3);
    rooms.bus.publish('model.forgotten', { model: 'forgotten', at: 0 });
    expect(kept()).toBe(2);
    rooms.live(65 * 60_000);
    finish({ model: 'busy' });
    expect(kept()).toBe(1);
  });
});

describe('the timeline', () => {
  it('tells epochs, breakers and the nodes file, and nothing else', () => {
    const { node } = rooms.join({ wallet: 'w' });
    rooms.bus.publish('nodes_file.read', { entries: 2, at: 5 });
    rooms.bus.publish('nodes_file.refused', { faults: 1, at: 6 });
    rooms.bus.publish('breaker.changed', {
      model: MODEL,
      node_id: 'w:all',
      from: 'closed',
      to: 'open',
      at: 7,
    });
    rooms.answer(rooms.decide(MODEL, null));
    expect(timeline.newest(null, 10)).toEqual([
      { type: 'breaker.changed', model: MODEL, node_id: 'w:all', from: 'closed', to: 'open', at: 7 },
      { type: 'nodes_file.refused', faults: 1, at: 6 },
      { type: 'nodes_file.read', entries: 2, at: 5 },
      {
        ...{ type: 'epoch.bumped', model: MODEL, epoch: 1, node_id: node.nodeId },
        ...{ cause: 'registered', at: expect.any(Number) },
      },
    ]);
  });
});
