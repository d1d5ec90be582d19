import { beforeEach, describe, expect, it } from '@jest/globals';
import { aFinishedAttempt, aFinishedCall, MODEL } from '../../test/support/builders.js';
import { Rooms } from '../../test/support/rooms.js';
import { ModelNotFoundError, seededRng, type FinishedCall, type Rng } from '../kernel/index.js';
import { LEAST_CONTROL_CALLS, ModelEarnings, RateSums } from './earnings.js';
import { EarningsService } from './earnings.service.js';

interface Given {
  readonly mode?: string;
  readonly tokens?: number;
  readonly ms?: number;
}

function aCall({ mode = 'exploit', tokens = 100, ms = 1000 }: Given, more: Partial<FinishedCall> = {}) {
  return aFinishedCall({
    completion_tokens: tokens,
    attempts: [aFinishedAttempt({ mode, ms })],
    ...more,
  });
}

function earningsOf(calls: readonly FinishedCall[]) {
  const model = new ModelEarnings();
  for (const call of calls) model.add(0, call);
  return model.row(0).day;
}

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

const MANY = LEAST_CONTROL_CALLS;

describe('what a policy earned', () => {
  it('is what its calls would have taken at the pace of the control group, less what they took', () => {
    const policy = times(200, () => aCall({ tokens: 100, ms: 1000 }));
    const control = times(MANY, () => aCall({ mode: 'control', tokens: 50, ms: 1000 }));
    const { calls, control_calls, seconds_saved, plus_minus_seconds, cannot_tell } = earningsOf([
      ...policy,
      ...control,
    ]);
    expect({ calls, control_calls, cannot_tell }).toEqual({
      calls: 200,
      control_calls: MANY,
      cannot_tell: null,
    });
    expect(seconds_saved).toBeCloseTo(200 * (2 - 1));
    // All alike: nothing is uncertain.
    expect(plus_minus_seconds).toBeCloseTo(0);
  });

  it('is a loss where the control group was faster', () => {
    const policy = times(MANY, () => aCall({ ms: 2000 }));
    const control = times(MANY, () => aCall({ mode: 'control', ms: 1000 }));
    expect(earningsOf([...policy, ...control]).seconds_saved).toBeCloseTo(-MANY);
  });

  it('counts scouts for the policy, and all attempts of a call for the side that drew its first route', () => {
    const failedOver = aFinishedCall({
      completion_tokens: 10,
      attempts: [
        aFinishedAttempt({ mode: 'control', ms: 4000 }),
        aFinishedAttempt({ mode: 'exploit', ms: 1000 }),
      ],
    });
    const { calls, control_calls, seconds_saved } = earningsOf([
      ...times(MANY, () => aCall({ mode: 'scout', tokens: 10, ms: 1000 })),
      ...times(MANY, () => failedOver),
    ]);
    expect([calls, control_calls]).toEqual([MANY, MANY]);
    expect(seconds_saved).toBeCloseTo(MANY * 4);
  });

  it.each([
    ['pinned', aCall({ mode: 'pinned' })],
    ['a last resort', aCall({ mode: 'greedy-fallback' })],
    ['not completed', aCall({}, { outcome: 'failed' })],
    ['one of nobody knows how many tokens', aCall({}, { completion_tokens: null })],
    ['empty', aCall({ tokens: 0 })],
    ['without a route', aCall({}, { attempts: [] })],
  ])('leaves out a call that was %s', (_, call) => {
    expect(earningsOf([call])).toMatchObject({ calls: 0, control_calls: 0 });
  });

  it('is not told by too few calls, and says so', () => {
    expect(earningsOf([aCall({})]).cannot_tell).toBe('No call was routed by least in-flight for comparison.');
    const few = earningsOf([
      ...times(99, () => aCall({})),
      aCall({ mode: 'control' }),
      aCall({ mode: 'control' }),
    ]);
    expect(few).toMatchObject({ seconds_saved: null, plus_minus_seconds: null });
    expect(few.cannot_tell).toBe(
      'Only 2 calls were routed by least in-flight for comparison; 30 are needed.',
    );
    const other = earningsOf(times(MANY, () => aCall({ mode: 'control' })));
    expect(other.cannot_tell).toBe('Only 0 calls were routed by the policy; 30 are needed.');
  });

  it('covers the truth in at least 90 % of 200 runs, long tails and all', () => {
    const truth = { policy: 0.05, control: 0.08 };
    const covered = times(200, (seed) => {
      const rng = seededRng(seed + 1);
      const calls = times(1500, () => {
        const mode = rng() < 0.1 ? 'control' : 'exploit';
        const pace = mode === 'control' ? truth.control : truth.policy;
        const tokens = Math.ceil(Math.exp(4.5 + 0.9 * normal(rng)));
        // Mean 1, so that the pace is that of all together.
        const ms = 1000 * pace * tokens * Math.exp(0.6 * normal(rng) - 0.18);
        return aCall({ mode, tokens, ms });
      });
      const { seconds_saved, plus_minus_seconds } = earningsOf(calls);
      const tokens = calls
        .filter(({ attempts }) => attempts[0]?.mode === 'exploit')
        .reduce((sum, { completion_tokens }) => sum + (completion_tokens ?? 0), 0);
      const should = (truth.control - truth.policy) * tokens;
      return Math.abs((seconds_saved ?? NaN) - should) <= (plus_minus_seconds ?? NaN);
    });
    expect(covered.filter(Boolean).length).toBeGreaterThanOrEqual(180);
  });

  it('is the same whether hours are summed first', () => {
    const [whole, morning, evening] = [new RateSums(), new RateSums(), new RateSums()];
    times(20, (at) => {
      whole.add(10 + at, 1 + (at % 3));
      (at < 7 ? morning : evening).add(10 + at, 1 + (at % 3));
    });
    morning.merge(evening);
    expect(morning.rate).toBeCloseTo(whole.rate, 12);
    expect(morning.rateVariance).toBeCloseTo(whole.rateVariance, 12);
  });
});

describe('EarningsService', () => {
  const HOUR_MS = 3_600_000;
  let rooms: Rooms;
  let earnings: EarningsService;
  beforeEach(() => {
    rooms = new Rooms();
    earnings = new EarningsService(rooms.clock, rooms.topology, rooms.bus);
  });

  function finish(call: FinishedCall): void {
    const { request_id, model } = call;
    rooms.bus.publish('call.finished', { request_id, model, call, at: rooms.clock.wallMs() });
  }

  it('has a day and a week, by the hour', () => {
    rooms.join({ wallet: 'w' });
    finish(aCall({}));
    rooms.bus.publish('call.measured', { model: MODEL, token_gaps: null, scout_seconds: 2.5 });
    rooms.bus.publish('call.measured', { model: MODEL, token_gaps: null, scout_seconds: null });
    expect(earnings.rows(MODEL)[0]?.day).toMatchObject({ calls: 1, scout_calls: 1, scout_seconds: 2.5 });
    rooms.live(24 * HOUR_MS);
    finish(aCall({}));
    const [row] = earnings.rows(null);
    expect(row?.day).toMatchObject({ calls: 1, scout_calls: 0, scout_seconds: 0 });
    expect(row?.week).toMatchObject({ calls: 2, scout_calls: 1, scout_seconds: 2.5 });
    rooms.live(7 * 24 * HOUR_MS);
    expect(earnings.rows(MODEL)[0]?.week).toMatchObject({ calls: 0, scout_seconds: 0 });
  });

  it('is of known models alone, and gone with its model', () => {
    finish(aCall({}));
    expect(earnings.rows(null)).toEqual([]);
    expect(() => earnings.rows(MODEL)).toThrow(ModelNotFoundError);
    rooms.join({ wallet: 'w' });
    finish(aCall({}));
    rooms.bus.publish('model.forgotten', { model: MODEL, at: 0 });
    expect(() => earnings.rows(MODEL)).toThrow(ModelNotFoundError);
  });
});

/** Box–Muller. */
function normal(rng: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - rng())) * Math.cos(2 * Math.PI * rng());
}
