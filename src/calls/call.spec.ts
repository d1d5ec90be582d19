import { describe, expect, it } from '@jest/globals';
import { aCandidate, aNode, aProven, MODEL, span } from '../../test/support/builders.js';
import { routeOf } from '../candidate-enumeration/index.js';
import { NOTHING_CONSIDERED, type Decision } from '../routing/index.js';
import { Call, type CallEnding } from './call.js';
import { workUnits, type AttemptEnding } from './call-record.js';

const GPU = aNode({ wallet: 'w', name: 'gpu', shard: span(0, 21) });
const CPU = aNode({ wallet: 'w', name: 'cpu', shard: span(0, 39) });
const ROUTE = routeOf(MODEL, [
  { node: GPU, startLayer: 0, endLayer: 21 },
  { node: CPU, startLayer: 22, endLayer: 39 },
]);
const DECISION: Decision = {
  ...{ model: MODEL, route: ROUTE, signature: ROUTE.signature },
  ...{ mode: 'scout', probability: 0.3, epoch: 2 },
  considered: NOTHING_CONSIDERED,
};
const FAILED: AttemptEnding = { outcome: 'failed', status: null, failedNodeId: null, cause: 'node_failed' };
const SERVED: AttemptEnding = { outcome: 'completed', status: 200, failedNodeId: null, cause: null };
const BROKEN: AttemptEnding = {
  ...{ outcome: 'failed', status: null, failedNodeId: GPU.nodeId, cause: 'node_failed' },
};
const COMPLETED: CallEnding = {
  ...{ outcome: 'completed', cause: null, promptTokens: 5, completionTokens: 10, tokensEstimated: false },
  ...{ tps: 50, sample: 'recorded' },
};

function aCall(): Call {
  return new Call({ requestId: 'r', model: MODEL, stream: true, at: 1_000, wallMs: 0 });
}

describe('a call', () => {
  it('is open, of this age and in prefill until its first content comes', () => {
    const call = aCall();
    call.decided(DECISION, 1_100);
    call.heard(1_200, false);
    expect(call.record(1_500)).toMatchObject({
      outcome: null,
      age_ms: 500,
      phase: 'prefill',
      ttft_ms: null,
      total_ms: null,
      sample: null,
    });
  });

  it('streams, and is silent when nothing came for over five seconds', () => {
    const call = aCall();
    call.decided(DECISION, 1_100);
    call.heard(1_200, true);
    call.heard(2_000, false);
    expect(call.record(7_000)).toMatchObject({ phase: 'streaming', ttft_ms: 200 });
    expect(call.record(7_001)).toMatchObject({ phase: 'silent', ttft_ms: 200 });
    call.heard(7_002, true);
    expect(call.record(7_003)).toMatchObject({ phase: 'streaming', ttft_ms: 200 });
  });

  it('tells each attempt with its own time, and the route of the last', () => {
    const call = aCall();
    const other = { ...DECISION, signature: 'other', mode: 'exploit' as const };
    call.decided(other, 1_100);
    expect(call.record(1_150).attempts).toEqual([
      {
        ...{ signature: 'other', mode: 'exploit', probability: 0.3, outcome: null, status: null },
        ...{ ms: null, failed_node_id: null, cause: null },
      },
    ]);
    call.attemptEnded(BROKEN, 1_130);
    call.decided(DECISION, 1_200);
    call.attemptEnded(SERVED, 1_450);
    expect(call.attemptCount).toBe(2);
    expect(call.record(1_500)).toMatchObject({
      routing: { mode: 'scout', signature: ROUTE.signature, probability: 0.3 },
      attempts: [
        {
          ...{ signature: 'other', mode: 'exploit', outcome: 'failed', status: null, ms: 30 },
          ...{ failed_node_id: 'w.gpu:0-21', cause: 'node_failed' },
        },
        {
          ...{ signature: ROUTE.signature, mode: 'scout', outcome: 'completed', status: 200, ms: 250 },
          ...{ failed_node_id: null, cause: null },
        },
      ],
    });
  });

  it('has no attempt to end before it got a route', () => {
    const call = aCall();
    call.attemptEnded(BROKEN, 1_100);
    expect(call.record(1_100)).toMatchObject({ attempts: [], routing: null, work_units: [] });
  });

  it('is what it was once it has ended, however much later one looks', () => {
    const call = aCall();
    call.decided(DECISION, 1_000);
    call.attemptEnded(SERVED, 1_300);
    expect(call.isOpen).toBe(true);
    call.finished(COMPLETED, 1_400);
    expect(call.isOpen).toBe(false);
    const record = call.record(9_999);
    expect(record).toEqual(call.record(1_400));
    expect(record).toMatchObject({ total_ms: 400, tps: 50, completion_tokens: 10, sample: 'recorded' });
    expect(record).not.toHaveProperty('phase');
    expect(record).not.toHaveProperty('age_ms');
    expect(record.started_at).toBe('1970-01-01T00:00:00.000Z');
  });

  it('that scouted and completed cost what its last attempt took beyond the best proven candidate', () => {
    const considered = { eligible: [aProven('fast', 50), aCandidate({ signature: 'new' })], leftOut: [] };
    const costOf = (decision: Partial<Decision>, ending: Partial<CallEnding> = {}): number | null => {
      const call = aCall();
      call.decided({ ...DECISION, mode: 'exploit' }, 1_000);
      call.attemptEnded(FAILED, 9_000);
      call.decided({ ...DECISION, considered, ...decision }, 9_000);
      call.attemptEnded(SERVED, 10_500);
      call.finished({ ...COMPLETED, ...ending }, 10_500);
      return call.measures.scoutSeconds;
    };
    expect(costOf({})).toBeCloseTo(1.3, 9);
    expect(costOf({ mode: 'exploit' })).toBeNull();
    expect(costOf({ considered: NOTHING_CONSIDERED })).toBeNull();
    expect(costOf({}, { outcome: 'cut_off' })).toBeNull();
    expect(costOf({}, { completionTokens: null })).toBeNull();
  });

  it('that came after scouts too slow cost all that these took', () => {
    const call = aCall();
    call.decided(DECISION, 1_000);
    call.attemptEnded({ ...SERVED, outcome: 'abandoned' }, 6_000);
    call.decided({ ...DECISION, mode: 'exploit' }, 6_000);
    call.attemptEnded(SERVED, 7_000);
    call.finished(COMPLETED, 7_000);
    expect(call.measures.scoutSeconds).toBe(5);
  });

  it('measures the pauses between content events, whatever else comes in between', () => {
    const call = aCall();
    call.decided(DECISION, 1_000);
    expect(call.measures.tokenGaps).toBeNull();
    call.heard(1_100, false);
    call.heard(1_200, true);
    call.heard(1_250, false);
    call.heard(1_300, true);
    const gaps = call.measures.tokenGaps;
    expect(gaps?.counts.reduce((total, count) => total + count, 0)).toBe(1);
    expect(gaps?.sumSeconds).toBeCloseTo(0.1, 9);
  });

  it('gives each hop its tokens times its layers, and nothing for tokens that nobody knows', () => {
    const units = workUnits(ROUTE.hops, 10).map(({ work_units }) => work_units);
    expect(units).toEqual([220, 180]);
    const call = aCall();
    call.decided(DECISION, 1_000);
    call.finished({ ...COMPLETED, completionTokens: null }, 1_100);
    expect(call.record(1_100).work_units.map(({ work_units }) => work_units)).toEqual([0, 0]);
  });
});
