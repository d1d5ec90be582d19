import { describe, expect, it } from '@jest/globals';
import type { Attempt } from '../api/types.js';
import { aCall } from '../support/answers.js';
import { callsOf } from './route-calls.js';

function attempt(signature: string, more: Partial<Attempt> = {}): Attempt {
  return {
    signature,
    mode: 'scout',
    probability: 1,
    outcome: 'completed',
    status: 200,
    ms: 80,
    failed_node_id: null,
    cause: null,
    ...more,
  };
}

describe('the last calls of a route', () => {
  it('are those it served, with their figures', () => {
    const calls = [
      aCall({ request_id: 'r1', attempts: [attempt('a')], completion_tokens: 24, tps: 30, total_ms: 900 }),
      aCall({ request_id: 'r2', attempts: [attempt('b')] }),
    ];
    expect(callsOf(calls, 'a')).toMatchObject([
      { requestId: 'r1', outcome: 'completed', wentElsewhere: false, tokens: 24, tps: 30, totalMs: 900 },
    ]);
  });

  it('are also those it lost to another, whose figures are not its own', () => {
    const attempts = [attempt('a', { outcome: 'failed', ms: 12 }), attempt('b')];
    const call = aCall({ attempts, tps: 30, completion_tokens: 24, total_ms: 900 });
    expect(callsOf([call], 'a')).toMatchObject([
      { outcome: 'failed', wentElsewhere: true, tokens: null, tps: null, totalMs: 12 },
    ]);
    expect(callsOf([call], 'b')).toMatchObject([{ outcome: 'completed', wentElsewhere: false, tps: 30 }]);
  });

  it('have no outcome while they are under way', () => {
    const call = aCall({ attempts: [attempt('a', { outcome: null })], outcome: null });
    expect(callsOf([call], 'a')).toMatchObject([{ outcome: null, wentElsewhere: false }]);
  });

  it('are no more than the ten newest', () => {
    const calls = Array.from({ length: 30 }, (_, at) =>
      aCall({ request_id: String(at), attempts: [attempt('a')] }),
    );
    expect(callsOf(calls, 'a').map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: 10 }, (_, at) => String(at)),
    );
  });
});
