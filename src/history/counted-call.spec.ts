import { describe, expect, it } from '@jest/globals';
import { aFinishedAttempt, aFinishedCall } from '../../test/support/builders.js';
import { countedCall, countedTurnAway } from './counted-call.js';

const BROKEN = aFinishedAttempt({ outcome: 'failed', failed_node_id: 'bad:all', cause: 'node_unreachable' });
const FULL = aFinishedAttempt({ outcome: 'busy', status: 429 });

describe('a call that is over', () => {
  it.each([
    ['completed', 'succeeded'],
    ['client_left', 'neither'],
    ['refused', 'neither'],
    ['busy', 'failed'],
    ['failed', 'failed'],
    ['misconfigured', 'failed'],
    ['timed_out', 'failed'],
    ['cut_off', 'failed'],
  ])('and came out %s has %s', (outcome, result) => {
    expect(countedCall(aFinishedCall({ outcome })).result).toBe(result);
  });

  it('counts each attempt that failed, though another route served the call', () => {
    const call = aFinishedCall({ attempts: [BROKEN, FULL, aFinishedAttempt()], ttft_ms: 70, queued_ms: 5 });
    expect(countedCall(call)).toEqual({
      ...{ result: 'succeeded', hadToWait: true, ttftMs: 70 },
      failures: [{ nodeId: 'bad:all', cause: 'node_unreachable' }],
    });
  });

  it('failed for its own cause where it got no route in time', () => {
    const call = aFinishedCall({ outcome: 'busy', cause: 'queue_timeout', ttft_ms: null, queued_ms: 60_000 });
    expect(countedCall(call)).toEqual({
      ...{ result: 'failed', hadToWait: true, ttftMs: null },
      failures: [{ nodeId: null, cause: 'queue_timeout' }],
    });
    const after = aFinishedCall({ outcome: 'failed', cause: 'shutting_down', attempts: [BROKEN] });
    expect(countedCall(after).failures).toEqual([
      { nodeId: 'bad:all', cause: 'node_unreachable' },
      { nodeId: null, cause: 'shutting_down' },
    ]);
  });

  it('did not wait where the queue was full', () => {
    const call = aFinishedCall({ outcome: 'busy', cause: 'queue_full', queued_ms: 0.02 });
    expect(countedCall(call)).toMatchObject({ result: 'failed', hadToWait: false });
  });

  it('is never a failure without a row that says so', () => {
    const call = aFinishedCall({ outcome: 'busy', attempts: [FULL, FULL] });
    expect(countedCall(call).failures).toEqual([{ nodeId: null, cause: 'busy' }]);
    expect(countedCall(aFinishedCall({ outcome: 'refused' })).failures).toEqual([]);
  });
});

describe('a chat that was turned away', () => {
  const turnedAway = { request_id: 'r', model: 'm', code: 'no_route', status: 503, at: 0 };

  it.each([
    ['no_route', 503],
    ['overloaded', 503],
    ['queue_full', 429],
    ['internal_error', 500],
  ])('for %s is a failure of nobody in particular', (code, status) => {
    expect(countedTurnAway({ ...turnedAway, code, status })).toEqual({
      ...{ result: 'failed', hadToWait: false, ttftMs: null },
      failures: [{ nodeId: null, cause: code }],
    });
  });

  it('does not count where its client asked for nonsense, or for what nobody knows', () => {
    expect(countedTurnAway({ ...turnedAway, code: 'invalid_request', status: 400 })).toBeNull();
    expect(countedTurnAway({ ...turnedAway, code: 'model_not_found', status: 404 })).toBeNull();
    expect(countedTurnAway({ ...turnedAway, model: null })).toBeNull();
  });
});
