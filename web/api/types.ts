/** What the tracker's REST answers look like, as far as the page reads them. A test holds these against the rooms' own types. */

export type RouteStatus = 'proven' | 'unsampled' | 'stale' | 'decayed';
export type RouteMode = 'scout' | 'exploit' | 'control' | 'pinned' | 'greedy-fallback';
export type BreakerState = 'closed' | 'open' | 'half_open';
export type CallPhase = 'queued' | 'prefill' | 'streaming' | 'silent';
export type CallOutcome =
  | 'completed'
  | 'refused'
  | 'busy'
  | 'failed'
  | 'misconfigured'
  | 'timed_out'
  | 'cut_off'
  | 'too_long'
  | 'unsupported'
  | 'empty'
  | 'abandoned'
  | 'client_left';

export interface Hop {
  readonly node_id: string;
  readonly start_layer: number;
  readonly end_layer: number;
}

export interface LayerGap {
  readonly start_layer: number;
  readonly end_layer: number;
}

export interface RoutingConfig {
  readonly policy: string;
  readonly enumeration: string;
  readonly explore_share: number;
  readonly weight_alpha: number;
  readonly stats_half_life_seconds: number;
  readonly min_sample_tokens: number;
  readonly max_candidates: number;
}

export interface Candidate {
  readonly signature: string;
  readonly hops: readonly Hop[];
  readonly status: RouteStatus;
  readonly tps: number | null;
  readonly coefficient: number | null;
  readonly traffic_share: number;
  readonly sample_count: number;
  readonly weight: number;
  readonly prior_tps: number;
  readonly in_flight: number;
  /** Under a policy that predicts. */
  readonly recent_share?: number | null;
  readonly predicted_seconds_200?: number | null;
  readonly last_sample_seconds_ago: number | null;
}

export interface ModelRouting {
  readonly model: string;
  readonly epoch: number;
  readonly num_layers: number;
  readonly gaps: readonly LayerGap[];
  readonly candidates: readonly Candidate[];
  /** Routes that were found beyond them. */
  readonly candidates_left_out: number;
}

/** `GET /v1/routing` */
export interface RoutingTable {
  readonly config: RoutingConfig;
  readonly models: readonly ModelRouting[];
}

/** One point of `GET /v1/routing/history`: a minute that has samples. */
export interface HistoryPoint {
  /** Unix seconds of the minute's start. */
  readonly at: number;
  /** Mean of the samples in it, tokens/s. */
  readonly tps: number;
  /** What the arm held after the last of them. */
  readonly learned_tps: number;
  readonly samples: number;
}

export interface RouteHistory {
  readonly signature: string;
  readonly points: readonly HistoryPoint[];
}

/** `GET /v1/routing/history?model=` */
export interface RoutingHistory {
  readonly model: string;
  readonly bucket_seconds: number;
  readonly routes: readonly RouteHistory[];
}

/** What the policy earned in a span of time. */
export interface Earnings {
  readonly calls: number;
  readonly control_calls: number;
  readonly seconds_saved: number | null;
  readonly plus_minus_seconds: number | null;
  readonly scout_calls: number;
  readonly scout_seconds: number;
  readonly cannot_tell: string | null;
}

/** One row of `GET /v1/routing/earnings`. */
export interface ModelEarnings {
  readonly model: string;
  readonly day: Earnings;
  readonly week: Earnings;
}

export interface ListOf<T> {
  readonly data: readonly T[];
}

/** One row of `GET /v1/nodes`. */
export interface NodeRow {
  readonly node_id: string;
  readonly wallet: string;
  readonly name: string | null;
  readonly endpoint: string;
  readonly model: string;
  readonly upstream_model: string | null;
  readonly shard_start: number | null;
  readonly shard_end: number | null;
  readonly source: string;
  readonly status: 'ready' | 'draining';
  readonly probe: 'ok' | 'failed' | null;
  readonly throughput_tps: number | null;
  readonly speed_factor: number | null;
  readonly speed_sigma: number | null;
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

export interface RoutingNote {
  readonly mode: RouteMode;
  readonly signature: string;
  readonly probability: number;
}

/** A candidate as it stood when a route was chosen. */
export interface ConsideredRoute {
  readonly signature: string;
  readonly status: RouteStatus | null;
  readonly tps: number | null;
  readonly prior_tps: number | null;
  readonly weight: number | null;
  readonly traffic_share: number;
  readonly scouts_in_flight: number | null;
  readonly barred: boolean | null;
  readonly predicted_seconds: number | null;
  readonly predicted_seconds_200: number | null;
  readonly node_loads: readonly number[] | null;
  readonly left_out: 'breaker_open' | 'full' | 'resting' | null;
}

export interface Attempt {
  readonly signature: string;
  readonly mode: RouteMode;
  readonly probability: number;
  /** null while it is under way. */
  readonly outcome: CallOutcome | null;
  readonly status: number | null;
  readonly ms: number | null;
  readonly failed_node_id: string | null;
  readonly cause: string | null;
  /** Only in `GET /v1/calls/{id}`: why this route, in words, where the policy predicts. */
  readonly reason?: string | null;
  /** Only in `GET /v1/calls/{id}`. */
  readonly candidates?: readonly ConsideredRoute[];
  /** How many more there were. */
  readonly candidates_not_kept?: number;
}

export interface WorkUnits {
  readonly node_id: string;
  readonly start_layer: number;
  readonly end_layer: number;
  readonly work_units: number;
}

/** One row of `GET /v1/calls`. */
export interface CallRecord {
  readonly request_id: string;
  readonly started_at: string;
  readonly model: string;
  readonly stream: boolean;
  /** The name of the key that it came with. */
  readonly key_name: string | null;
  readonly routing: RoutingNote | null;
  readonly attempts: readonly Attempt[];
  /** null while the call is open. */
  readonly outcome: CallOutcome | null;
  /** Code of the fault that ended it, where no attempt tells. */
  readonly cause: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly tokens_estimated: boolean;
  readonly tps: number | null;
  readonly queued_ms: number;
  readonly ttft_ms: number | null;
  readonly total_ms: number | null;
  readonly sample: string | null;
  readonly work_units: readonly WorkUnits[];
  readonly age_ms?: number;
  readonly phase?: CallPhase;
}

export interface IncidentWindow {
  readonly calls: number;
  readonly succeeded: number;
  readonly success_ratio: number | null;
  readonly p95_ttft_ms: number | null;
  /** Calls of the window that had to wait in the queue. */
  readonly queued: number;
}

/** One model of `GET /v1/incidents`. */
export interface Incident {
  readonly model: string;
  /** Calls that wait this moment. */
  readonly waiting: number;
  readonly now: IncidentWindow;
  readonly hour_ago: IncidentWindow;
  readonly failures: readonly {
    readonly node_id: string | null;
    readonly cause: string;
    readonly count: number;
  }[];
}

export interface Incidents extends ListOf<Incident> {
  readonly window_seconds: number;
}

/** One fact of `GET /v1/timeline`; `at` is Unix ms. */
export type TimelineFact =
  | {
      readonly type: 'epoch.bumped';
      readonly at: number;
      readonly model: string;
      readonly epoch: number;
      readonly node_id: string;
      readonly cause: string;
    }
  | {
      readonly type: 'breaker.changed';
      readonly at: number;
      readonly model: string;
      readonly node_id: string;
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly type: 'node.resting';
      readonly at: number;
      readonly model: string;
      readonly node_id: string;
      readonly seconds: number;
    }
  | { readonly type: 'nodes_file.read'; readonly at: number; readonly entries: number }
  | { readonly type: 'nodes_file.refused'; readonly at: number; readonly faults: number };

/** OpenAI's error object, which every refusal of the tracker has. */
export interface ErrorAnswer {
  readonly error: { readonly message: string; readonly code: string | null };
}
