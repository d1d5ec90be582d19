import type { BreakerState } from '../node-health/index.js';
import type { SpeedBelief } from '../node-speeds/index.js';
import type { MeshNode } from '../registry/index.js';

/** One row of `GET /v1/nodes`: nothing secret, no lease. */
export interface NodeRow {
  readonly node_id: string;
  readonly wallet: string;
  readonly name: string | null;
  readonly endpoint: string;
  readonly model: string;
  readonly upstream_model: string | null;
  readonly shard_start: number | null;
  readonly shard_end: number | null;
  readonly source: MeshNode['source'];
  readonly status: 'ready' | 'draining';
  readonly probe: MeshNode['lastProbe'];
  readonly throughput_tps: number | null;
  readonly speed_factor: number | null;
  readonly speed_sigma: number | null;
  /** A route through it was measured to be faster than can well be true. */
  readonly speed_suspect: boolean;
  readonly queue_depth: number;
  readonly max_concurrent: number | null;
  readonly in_flight: number;
  readonly reputation: number;
  readonly breaker: BreakerState;
  /** Left of the rest that it asked for; null: it does not rest. */
  readonly resting_seconds: number | null;
  readonly last_seen_seconds_ago: number;
}

/** What others than the registry know of a node. */
export interface NodeHealthFacts {
  readonly inFlight: number;
  readonly reputation: number;
  readonly breaker: BreakerState;
  /** 0: it does not rest. */
  readonly restMs: number;
  readonly isSpeedSuspect: boolean;
}

/**
 * Endpoints never carry credentials or queries: registering refuses those.
 *
 * @param speed null where nothing was learned of it
 */
export function nodeRow(
  node: MeshNode,
  health: NodeHealthFacts,
  speed: SpeedBelief | null,
  now: number,
): NodeRow {
  return {
    node_id: node.nodeId,
    wallet: node.wallet,
    name: node.name,
    endpoint: node.endpoint,
    model: node.model,
    upstream_model: node.upstreamModel,
    shard_start: node.shard?.start ?? null,
    shard_end: node.shard?.end ?? null,
    source: node.source,
    status: node.drainedByOperator || node.drainedByNode ? 'draining' : 'ready',
    probe: node.lastProbe,
    throughput_tps: node.throughputTps,
    speed_factor: speed === null ? null : finite(1 / speed.secondsFactor),
    speed_sigma: speed === null ? null : finite(speed.sigma),
    speed_suspect: health.isSpeedSuspect,
    queue_depth: node.queueDepth,
    max_concurrent: node.maxConcurrent,
    in_flight: health.inFlight,
    reputation: health.reputation,
    breaker: health.breaker,
    resting_seconds: health.restMs === 0 ? null : health.restMs / 1000,
    last_seen_seconds_ago: Math.max(0, now - node.lastSignAt) / 1000,
  };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
