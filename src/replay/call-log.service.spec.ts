import { beforeEach, describe, expect, it } from '@jest/globals';
import { MODEL } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import { CallsService, type CallEnding } from '../calls/index.js';
import { ModelNotFoundError, TooFewCallsError } from '../kernel/index.js';
import { NO_TRACES } from '../traces/index.js';
import { CallLogService } from './call-log.service.js';
import { ReplayService } from './replay.service.js';
import { AtOnce } from '../../test/support/at-once.js';

const ORIGIN = { path: '/v1/chat/completions', headers: {} };
const ENDING: CallEnding = {
  ...{ outcome: 'completed', cause: null, promptTokens: 1, completionTokens: 20, tokensEstimated: false },
  ...{ tps: 10, sample: 'recorded' },
};

let rooms: Rooms;
let calls: CallsService;
let log: CallLogService;
let replays: ReplayService;
beforeEach(() => {
  rooms = new Rooms({ nodes: { leaseSeconds: 1e6 } });
  const { clock, topology, bus, logger, settings } = rooms;
  calls = new CallsService(clock, logger, bus, settings.routing, NO_TRACES, new AtOnce(logger));
  log = new CallLogService(clock, calls, bus);
  replays = new ReplayService(settings.routing, topology, log);
  rooms.join({ wallet: 'a' });
  rooms.join({ wallet: 'b' });
});

/** A call of two seconds, as the policy routes it. */
function chat(pin: readonly string[] | null = null): void {
  const call = calls.begin('r', MODEL, false, ORIGIN);
  const decision = rooms.decide(MODEL, pin);
  calls.decided(call, decision);
  rooms.clock.advance(2000);
  rooms.record(decision, 10);
  calls.attemptEnded(call, { outcome: 'completed', status: 200, failedNodeId: null, cause: null });
  calls.finish(call, ENDING, { status: 200, cause: null });
}

describe('the log of calls', () => {
  it('has each finished call with its candidates as they stood when its route was chosen', () => {
    chat();
    chat();
    const [first, second] = log.within(MODEL, 60);
    expect(first).toMatchObject({ standing: 'counted', seconds: 2, tokens: 20, probability: 1 });
    expect(first?.candidates.map(({ status }) => status)).toEqual(['unsampled', 'unsampled']);
    expect(second?.candidates.filter(({ status }) => status === 'proven')).toHaveLength(1);
  });

  it('counts a pinned call as load alone', () => {
    chat(['a:all']);
    expect(log.within(MODEL, 60)).toMatchObject([{ standing: 'not_chosen', candidates: [], lastMs: 2000 }]);
  });

  it('forgets what lies before the window, and what the mesh forgets', () => {
    chat();
    rooms.clock.advance(10_000);
    chat();
    expect(log.within(MODEL, 5)).toHaveLength(1);
    rooms.bus.publish('model.forgotten', { model: MODEL, at: 0 });
    expect(log.within(MODEL, 60)).toEqual([]);
  });
});

describe('a replay of the log', () => {
  it('judges a setting by the calls within its window', async () => {
    for (let times = 0; times < 150; times += 1) chat();
    const proposed = Object.assign({}, rooms.settings.routing, { weightAlpha: 2 });
    const [whole, half] = await Promise.all([
      replays.replay(MODEL, proposed, 86_400),
      replays.replay(MODEL, proposed, 240),
    ]);
    expect(whole).toMatchObject({ verdict: 'estimated', calls: 150 });
    expect(half.calls).toBeGreaterThanOrEqual(119);
    expect(half.calls).toBeLessThan(150);
    expect(whole.estimates?.doubly_robust.seconds.mean).toBeCloseTo(2, 6);
  });

  it('is refused over too few calls, and of a model that nobody knows, and goes on after that', async () => {
    for (let times = 0; times < 99; times += 1) chat();
    const refused = replays.replay(MODEL, rooms.settings.routing, 86_400);
    await expect(refused).rejects.toThrow(TooFewCallsError);
    await expect(replays.replay('unknown', rooms.settings.routing, 60)).rejects.toThrow(ModelNotFoundError);
    chat();
    await expect(replays.replay(MODEL, rooms.settings.routing, 86_400)).resolves.toMatchObject({
      ...{ calls: 100, verdict: 'estimated' },
    });
  });
});
