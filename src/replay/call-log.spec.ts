import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aProven, MODEL } from '../../test/support/builders.js';
import type { CandidateState, Expectation } from '../routing/index.js';
import { CallLog } from './call-log.js';
import type { LoggedCall } from './logged-call.js';

const HOUR_MS = 3_600_000;

function call(endedAt: number, candidates = 1, model = MODEL): LoggedCall {
  const signature = `${model}|w:all[0-0]`;
  return {
    ...{ model, endedAt, standing: 'counted', seconds: 1, tokens: 10, signature, probability: 1 },
    ...{ lastSignature: signature, lastMs: 1000 },
    candidates: Array.from({ length: candidates }, () => aProven(signature, 10)),
  };
}

const TEXT = fc.constantFrom('a', 'b|w:all[0-0]', 'c d', '');
const NUMBER = fc.double();
const COUNT = fc.integer({ min: 0, max: 60_000 });
const NOTHINGS = fc.constantFrom(0, 0, 1, 7);
const STEADINESS = fc.constantFrom(1, 1, 0.5, 1e-9);

const EXPECTED = fc.record<Expectation, 'seconds' | 'harmSeconds' | 'optimisticSeconds' | 'inFlight'>(
  {
    ...{ seconds: NUMBER, harmSeconds: NUMBER, optimisticSeconds: fc.option(NUMBER), inFlight: COUNT },
    ...{ shownSeconds: NUMBER, nodeLoads: fc.array(COUNT, { maxLength: 9 }) },
  },
  { requiredKeys: ['seconds', 'harmSeconds', 'optimisticSeconds', 'inFlight'] },
);

const CANDIDATE = fc.record<CandidateState, keyof Omit<CandidateState, 'expected'>>(
  {
    ...{ signature: TEXT, hopCount: COUNT, priorTps: NUMBER, tps: fc.option(NUMBER), mass: NUMBER },
    status: fc.constantFrom('proven', 'unsampled', 'stale', 'decayed'),
    ...{ scoutsInFlight: COUNT, barred: fc.boolean(), nothings: NOTHINGS, steadiness: STEADINESS },
    expected: EXPECTED,
  },
  {
    requiredKeys: [
      ...(['signature', 'hopCount', 'priorTps', 'tps', 'mass', 'status'] as const),
      ...(['scoutsInFlight', 'barred', 'nothings', 'steadiness'] as const),
    ],
  },
);

const CALL = {
  ...{ model: TEXT, endedAt: fc.constant(0), seconds: NUMBER, tokens: NUMBER, signature: TEXT },
  ...{ probability: NUMBER, lastSignature: TEXT, lastMs: NUMBER, candidates: fc.array(CANDIDATE) },
  standing: fc.constantFrom<LoggedCall['standing']>(
    ...(['counted', 'not_chosen', 'failed', 'client_left', 'no_sample'] as const),
  ),
};

const endsOf = (calls: readonly LoggedCall[]): number[] => calls.map(({ endedAt }) => endedAt);

describe('the call log', () => {
  it('gives the calls of one model within a time, oldest first', () => {
    const log = new CallLog();
    for (const endedAt of [1000, 2000, 3000]) log.add(call(endedAt));
    log.add(call(2500, 1, 'other'));
    expect(endsOf(log.within(MODEL, 1000, 3000))).toEqual([2000, 3000]);
    expect(endsOf(log.within(MODEL, HOUR_MS, 3000))).toEqual([1000, 2000, 3000]);
    expect(endsOf(log.within('other', HOUR_MS, 3000))).toEqual([2500]);
    expect(log.within('unknown', HOUR_MS, 3000)).toEqual([]);
  });

  it('remembers a whole day, and little more', () => {
    const log = new CallLog();
    log.add(call(0));
    log.add(call(24 * HOUR_MS));
    expect(log.size).toBe(2);
    log.add(call(26 * HOUR_MS));
    expect(endsOf(log.within(MODEL, 99 * HOUR_MS, 26 * HOUR_MS))).toEqual([24 * HOUR_MS, 26 * HOUR_MS]);
  });

  it('is bounded by the calls and candidates in it', () => {
    const log = new CallLog(100);
    for (let at = 0; at < 1000; at += 1) log.add(call(at, 8));
    expect(endsOf(log.within(MODEL, HOUR_MS, 1000))).toEqual(Array.from({ length: 11 }, (_, n) => 989 + n));
    for (let at = 1000; at < 3000; at += 1) log.add(call(at, 0));
    expect(log.size).toBe(100);
    expect(endsOf(log.within(MODEL, HOUR_MS, 3000))[0]).toBe(2900);
  });

  it('counts what was expected of candidates too', () => {
    const log = new CallLog(100);
    const expected = { seconds: 1, harmSeconds: 0, optimisticSeconds: null, inFlight: 0 };
    for (let at = 0; at < 1000; at += 1) {
      const plain = call(at, 8);
      log.add({ ...plain, candidates: plain.candidates.map((state) => ({ ...state, expected })) });
    }
    expect(log.size).toBe(5);
  });

  it('drops a model that is forgotten, and counts on without it', () => {
    const log = new CallLog(40);
    for (let at = 0; at < 10; at += 1) log.add(call(at, 1, at % 2 === 0 ? MODEL : 'other'));
    log.forget('other');
    expect(log.size).toBe(5);
    for (let at = 10; at < 25; at += 1) log.add(call(at));
    expect(endsOf(log.within(MODEL, HOUR_MS, 25))).toHaveLength(20);
  });

  it('gives calls back as they were, to the last bit', () => {
    fc.assert(
      fc.property(fc.array(fc.record(CALL), { minLength: 1, maxLength: 40 }), (calls) => {
        const log = new CallLog();
        for (const each of calls) log.add(each);
        for (const model of new Set(calls.map((each) => each.model))) {
          expect(log.within(model, Infinity, 0)).toEqual(calls.filter((each) => each.model === model));
        }
      }),
    );
  });

  it('keeps to its bound, its order and its values over many pages', () => {
    const log = new CallLog(20_000);
    const made = Array.from({ length: 30_000 }, (_, at) => call(at, at % 3, at % 5 === 0 ? 'other' : MODEL));
    for (const each of made) log.add(each);
    const kept = made.slice(-log.size);
    const entries = kept.reduce((sum, { candidates }) => sum + 1 + candidates.length, 0);
    expect(entries).toBeGreaterThan(20_000 - 3);
    expect(entries).toBeLessThanOrEqual(20_000);
    expect(log.within(MODEL, HOUR_MS, 30_000)).toEqual(kept.filter(({ model }) => model === MODEL));
    log.forget(MODEL);
    expect(log.within(MODEL, HOUR_MS, 30_000)).toEqual([]);
    expect(log.within('other', HOUR_MS, 30_000)).toEqual(kept.filter(({ model }) => model === 'other'));
    expect(log.size).toBe(kept.filter(({ model }) => model === 'other').length);
  });

  it('has room for a call that is longer than a page', () => {
    const log = new CallLog();
    log.add(call(0));
    log.add({ ...call(1), candidates: [{ ...aProven('wide', 1), expected: manyLoads(50_000) }] });
    log.add(call(2));
    expect(endsOf(log.within(MODEL, HOUR_MS, 2))).toEqual([0, 1, 2]);
    expect(log.within(MODEL, HOUR_MS, 2)[1]?.candidates[0]?.expected?.nodeLoads).toHaveLength(50_000);
  });
});

function manyLoads(length: number): Expectation {
  const nodeLoads = Array.from({ length }, (_, at) => at);
  return { seconds: 1, harmSeconds: 0, optimisticSeconds: 1, inFlight: 0, shownSeconds: 2, nodeLoads };
}
