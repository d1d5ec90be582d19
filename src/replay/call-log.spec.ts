import { describe, expect, it } from '@jest/globals';
import { aProven, MODEL } from '../../test/support/builders.js';
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
});
