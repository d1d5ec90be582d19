import type { CallRecord, Candidate, Incident, ModelRouting, NodeRow } from '../api/types.js';

/** Answers of a tracker for specs, of which only what matters is said. */
export function aCandidate(more: Partial<Candidate> = {}): Candidate {
  return {
    signature: 'm|w:all[0-3]',
    hops: [{ node_id: 'w:all', start_layer: 0, end_layer: 3 }],
    status: 'proven',
    tps: 10,
    coefficient: 1,
    traffic_share: 1,
    sample_count: 3,
    weight: 2.5,
    prior_tps: 10,
    in_flight: 0,
    last_sample_seconds_ago: 4,
    ...more,
  };
}

export function aModel(more: Partial<ModelRouting> = {}): ModelRouting {
  return { model: 'm', epoch: 1, num_layers: 4, gaps: [], candidates: [], candidates_left_out: 0, ...more };
}

export function aNode(more: Partial<NodeRow> = {}): NodeRow {
  return {
    node_id: 'w:0-3',
    wallet: 'w',
    name: null,
    endpoint: 'http://127.0.0.1:1',
    model: 'm',
    upstream_model: null,
    shard_start: 0,
    shard_end: 3,
    source: 'registered',
    status: 'ready',
    probe: null,
    throughput_tps: null,
    speed_factor: null,
    speed_sigma: null,
    speed_suspect: false,
    queue_depth: 0,
    max_concurrent: null,
    in_flight: 0,
    reputation: 1,
    breaker: 'closed',
    resting_seconds: null,
    last_seen_seconds_ago: 0,
    ...more,
  };
}

export function anIncident(more: Partial<Incident> = {}): Incident {
  const calm = { calls: 10, succeeded: 10, success_ratio: 1, p95_ttft_ms: 300, queued: 0 };
  return { model: 'm', waiting: 0, now: calm, hour_ago: calm, failures: [], ...more };
}

export function aCall(more: Partial<CallRecord> = {}): CallRecord {
  return {
    request_id: 'r',
    started_at: '2026-01-02T03:04:05.000Z',
    model: 'm',
    stream: true,
    key_name: null,
    routing: null,
    attempts: [],
    cause: null,
    outcome: 'completed',
    prompt_tokens: 8,
    completion_tokens: 24,
    tokens_estimated: false,
    tps: 20,
    queued_ms: 0,
    ttft_ms: 100,
    total_ms: 1200,
    sample: 'recorded',
    work_units: [],
    ...more,
  };
}
