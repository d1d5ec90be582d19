import type { Attempt, CallRecord, ConsideredRoute } from '../api/types.js';

/** A call for specs; without more it was completed at the first attempt. */
export function aCall(stated: Partial<CallRecord> = {}): CallRecord {
  return {
    request_id: 'r',
    started_at: '2026-01-01T00:00:00.000Z',
    model: 'm',
    stream: true,
    key_name: null,
    routing: { mode: 'exploit', signature: 'm|w.gpu:all[0-0]', probability: 0.7 },
    attempts: [anAttempt()],
    outcome: 'completed',
    cause: null,
    prompt_tokens: 12,
    completion_tokens: 40,
    tokens_estimated: false,
    tps: 20,
    queued_ms: 0,
    ttft_ms: 200,
    total_ms: 2000,
    sample: 'recorded',
    work_units: [],
    ...stated,
  };
}

/** The same call while it is open. */
export function anOpenCall(stated: Partial<CallRecord> = {}): CallRecord {
  return aCall({
    ...{ outcome: null, completion_tokens: null, tps: null, total_ms: null, sample: null },
    ...{ age_ms: 500, phase: 'prefill', ttft_ms: null, attempts: [anAttempt({ outcome: null, ms: null })] },
    ...stated,
  });
}

export function anAttempt(stated: Partial<Attempt> = {}): Attempt {
  return {
    signature: 'm|w.gpu:all[0-0]',
    mode: 'exploit',
    probability: 0.7,
    outcome: 'completed',
    status: 200,
    ms: 2000,
    failed_node_id: null,
    cause: null,
    ...stated,
  };
}

export function aConsidered(stated: Partial<ConsideredRoute> = {}): ConsideredRoute {
  return {
    signature: 'm|w.gpu:all[0-0]',
    status: 'proven',
    tps: 20,
    prior_tps: 30,
    weight: 2,
    traffic_share: 0.7,
    scouts_in_flight: 0,
    barred: false,
    predicted_seconds: null,
    predicted_seconds_200: null,
    node_loads: null,
    left_out: null,
    ...stated,
  };
}
