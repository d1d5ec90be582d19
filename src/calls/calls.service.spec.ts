import { beforeEach, describe, expect, it } from '@jest/globals';
import { aNode, aProven, MODEL } from '../../test/support/builders.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { SilentLogger } from '../../test/support/silent-logger.js';
import { routeOf } from '../candidate-enumeration/index.js';
import { EventBus, type MeshEvent } from '../kernel/index.js';
import { NOTHING_CONSIDERED, type Decision } from '../routing/index.js';
import { RoutingSettings } from '../settings/index.js';
import type { AttemptEnding } from './call-record.js';
import { NO_TRACES } from '../traces/index.js';
import type { Call, CallEnding } from './call.js';
import { CallsService } from './calls.service.js';
import { AtOnce } from '../../test/support/at-once.js';

const ROUTE = routeOf(MODEL, [{ node: aNode({ wallet: 'w' }), startLayer: 0, endLayer: 0 }]);
const DECISION: Decision = {
  ...{ model: MODEL, route: ROUTE, signature: ROUTE.signature },
  ...{ mode: 'exploit', probability: 1, epoch: 1 },
  considered: NOTHING_CONSIDERED,
};
const ENDING: CallEnding = {
  ...{ outcome: 'completed', cause: null, promptTokens: 1, completionTokens: 9, tokensEstimated: false },
  ...{ tps: 9, sample: 'recorded' },
};
const FAILED: AttemptEnding = {
  ...{ outcome: 'failed', status: null, failedNodeId: 'w:all', cause: 'node_unreachable' },
};

const ORIGIN = { path: '/v1/chat/completions', headers: {} };
const TOLD = { status: 200, cause: null };

let clock: ManualClock;
let logger: SilentLogger;
let calls: CallsService;
let events: MeshEvent[];
beforeEach(() => {
  clock = new ManualClock();
  logger = new SilentLogger();
  events = [];
  const bus = new EventBus(logger);
  bus.all().subscribe((event) => events.push(event));
  calls = new CallsService(clock, logger, bus, new RoutingSettings(), NO_TRACES, new AtOnce(logger));
});

function ended(requestId: string, model = MODEL): void {
  const call = calls.begin(requestId, model, false, ORIGIN);
  calls.decided(call, DECISION);
  calls.finish(call, ENDING, TOLD);
}

function idsOf(model: string | null, limit: number, openOnly = false): string[] {
  return calls.list(model, limit, openOnly).map(({ request_id }) => request_id);
}

describe('the calls', () => {
  it('announce each route that was chosen, with the number of its attempt', () => {
    const call = calls.begin('r', MODEL, true, ORIGIN);
    calls.decided(call, DECISION);
    calls.attemptEnded(call, FAILED);
    calls.decided(call, DECISION);
    expect(events.map(({ type }) => type)).toEqual(['route.selected', 'route.selected']);
    expect(events.map(({ fact }) => fact)).toMatchObject([
      { request_id: 'r', model: MODEL, attempt: 1, routing: { mode: 'exploit', probability: 1 } },
      { attempt: 2 },
    ]);
  });

  it('that got no route and waited for none leave no trace', () => {
    calls.finish(calls.begin('r', MODEL, true, ORIGIN), { ...ENDING, outcome: 'failed' }, TOLD);
    expect([calls.openCount, calls.get('r'), events, logger.lines]).toEqual([0, null, [], []]);
    const waiting = calls.begin('w', MODEL, true, ORIGIN);
    calls.queued(waiting);
    calls.finish(waiting, { ...ENDING, outcome: 'client_left' }, TOLD);
    expect(calls.get('w')).toMatchObject({ outcome: 'client_left', attempts: [] });
  });

  it('end once: one record, one event, one line, whatever comes later', () => {
    const call = calls.begin('r', MODEL, true, ORIGIN);
    calls.decided(call, DECISION);
    expect(calls.openCount).toBe(1);
    clock.advance(500);
    calls.finish(call, ENDING, TOLD);
    calls.finish(call, { ...ENDING, outcome: 'failed' }, TOLD);
    expect(calls.openCount).toBe(0);
    expect(events.filter(({ type }) => type === 'call.finished')).toHaveLength(1);
    expect(logger.of('call.finished')).toHaveLength(1);
    expect(logger.of('call.finished')[0]).toMatchObject({
      level: 'info',
      fields: { request_id: 'r', outcome: 'completed', total_ms: 500 },
    });
    expect(calls.list(null, 10, false)).toHaveLength(1);
    expect(calls.get('r')).toMatchObject({ outcome: 'completed', total_ms: 500 });
  });

  it('tell of what each route was chosen from when asked for one, and nowhere else', () => {
    const call = calls.begin('r', MODEL, true, ORIGIN);
    const [a, b] = [aProven(ROUTE.signature, 30), aProven('other', 10)];
    calls.decided(call, { ...DECISION, considered: { eligible: [a, b], leftOut: [] } });
    const shares = (): unknown =>
      calls.get('r')?.attempts.map(({ candidates }) => candidates.map((each) => each.traffic_share));
    expect(shares()).toEqual([[0.75, 0.25]]);
    calls.attemptEnded(call, FAILED);
    calls.decided(call, { ...DECISION, considered: { eligible: [b], leftOut: [] } });
    calls.finish(call, ENDING, TOLD);
    expect(shares()).toEqual([[0.75, 0.25], [1]]);
    const told = JSON.stringify([calls.list(null, 10, false), events, logger.lines]);
    expect(told).toContain('node_unreachable');
    expect(told).not.toContain('candidates');
  });

  it('tell what was measured of them, and keep it out of record and log', () => {
    const call = calls.begin('r', MODEL, true, ORIGIN);
    calls.decided(call, DECISION);
    for (const pauseMs of [0, 20, 20]) {
      clock.advance(pauseMs);
      call.heard(clock.now(), true);
    }
    calls.finish(call, ENDING, TOLD);
    expect(events.map(({ type }) => type)).toEqual(['route.selected', 'call.measured', 'call.finished']);
    expect(events[1]?.fact).toMatchObject({
      model: MODEL,
      token_gaps: { counts: expect.arrayContaining([2]), sum_seconds: 0.04 },
      scout_seconds: null,
    });
    expect(JSON.stringify([calls.get('r'), logger.lines])).not.toMatch(/gaps|scout_seconds/);
  });

  it('without anything measured are finished and no more', () => {
    ended('r');
    expect(events.map(({ type }) => type)).toEqual(['route.selected', 'call.finished']);
  });

  it('are counted by model while they are open, and those that wait among them', () => {
    const waiting = calls.begin('1', MODEL, true, ORIGIN);
    calls.queued(waiting);
    calls.begin('2', MODEL, true, ORIGIN);
    ended('3', 'other');
    expect(Object.fromEntries(calls.openByModel())).toEqual({ [MODEL]: { open: 2, queued: 1 } });
    calls.decided(waiting, DECISION);
    expect(calls.openByModel().get(MODEL)).toEqual({ open: 2, queued: 0 });
  });

  it('are listed newest first, open ones before finished ones', () => {
    ended('1');
    calls.begin('2', MODEL, false, ORIGIN);
    ended('3', 'other');
    calls.begin('4', 'other', false, ORIGIN);
    expect(idsOf(null, 10)).toEqual(['4', '2', '3', '1']);
    expect(idsOf(null, 3)).toEqual(['4', '2', '3']);
    expect(idsOf('other', 10)).toEqual(['4', '3']);
    expect(idsOf('other', 1)).toEqual(['4']);
    expect(idsOf(null, 10, true)).toEqual(['4', '2']);
    expect(idsOf('nobody', 10)).toEqual([]);
  });

  it('are found by an id that was used again: the open one first, then the newest', () => {
    ended('same', 'first');
    ended('same', 'second');
    expect(calls.get('same')).toMatchObject({ model: 'second' });
    const open = calls.begin('same', 'third', false, ORIGIN);
    const newer: Call = calls.begin('same', 'fourth', false, ORIGIN);
    expect(calls.get('same')).toMatchObject({ model: 'fourth', outcome: null });
    calls.finish(newer, ENDING, TOLD);
    expect(calls.get('same')).toMatchObject({ model: 'third', outcome: null });
    calls.decided(open, DECISION);
    calls.finish(open, ENDING, TOLD);
    expect(calls.get('same')).toMatchObject({ model: 'third', outcome: 'completed' });
    expect(calls.get('unknown')).toBeNull();
  });

  it('are forgotten beyond the newest thousand', () => {
    for (let n = 0; n < 1_001; n += 1) ended(String(n));
    expect(calls.list(null, 2_000, false)).toHaveLength(1_000);
    expect([calls.get('0'), calls.get('1')?.request_id]).toEqual([null, '1']);
  });
});
