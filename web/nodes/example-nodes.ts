import type { NodeRow } from '../api/types.js';

/** A node for specs; without more it registered itself, serves the whole model and is well. */
export function aNode(stated: Partial<NodeRow> = {}): NodeRow {
  return {
    node_id: 'w.gpu:all',
    wallet: 'w',
    name: 'gpu',
    endpoint: 'http://10.0.0.1:8000',
    model: 'm',
    upstream_model: null,
    shard_start: null,
    shard_end: null,
    source: 'registered',
    status: 'ready',
    probe: null,
    throughput_tps: 20,
    speed_factor: null,
    speed_sigma: null,
    speed_suspect: false,
    queue_depth: 0,
    max_concurrent: null,
    in_flight: 0,
    reputation: 1,
    breaker: 'closed',
    resting_seconds: null,
    last_seen_seconds_ago: 1,
    ...stated,
  };
}
