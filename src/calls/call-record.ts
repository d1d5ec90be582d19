import type { Hop } from '../candidate-enumeration/index.js';
import { spanLength, type FinishedAttempt, type FinishedCall } from '../kernel/index.js';
import type { Decision, RouteMode } from '../routing/index.js';
import type { SampleRejection } from '../routing-stats/index.js';

/** How an attempt, and in the end the call, came out. */
export type CallOutcome =
  /** The client got a whole answer. */
  | 'completed'
  /** The head refused what the client sent; its answer was passed on. */
  | 'refused'
  /** The request is longer than the head takes; one with more room was asked. */
  | 'too_long'
  /** The head lacks the endpoint or the feature; another route was asked. */
  | 'unsupported'
  /** The head ended its answer without content; another route was asked to do better. */
  | 'empty'
  /** The head, or every node that could serve the call, had too much to do. */
  | 'busy'
  /** A node or the way to it failed. */
  | 'failed'
  /** A node refused the tracker itself, or a model that it had registered. */
  | 'misconfigured'
  /** A node took longer than a setting allows. */
  | 'timed_out'
  /** The answer ended before each choice that had begun had its finish reason. */
  | 'cut_off'
  /** A scout that was too slow; a proven route took over before its client had seen anything. */
  | 'abandoned'
  | 'client_left';

/** Whether the call became a sample of its route's speed, or why not. */
export type SampleNote = 'recorded' | SampleRejection;

export interface RoutingNote {
  readonly mode: RouteMode;
  readonly signature: string;
  readonly probability: number;
}

export interface AttemptNote extends FinishedAttempt {
  readonly mode: RouteMode;
  /** null while it is under way. */
  readonly outcome: CallOutcome | null;
}

/** What is known of an attempt when it ends. */
export interface AttemptEnding {
  readonly outcome: CallOutcome;
  readonly status: number | null;
  readonly failedNodeId: string | null;
  readonly cause: string | null;
}

/** What one hop did for a call: completion tokens × its layers. */
export interface WorkUnits {
  readonly node_id: string;
  readonly start_layer: number;
  readonly end_layer: number;
  readonly work_units: number;
}

export type CallPhase = 'queued' | 'prefill' | 'streaming' | 'silent';

/** One row of `GET /v1/calls`. No prompt, no key, no answer. */
export interface CallRecord extends FinishedCall {
  readonly started_at: string;
  readonly routing: RoutingNote | null;
  readonly attempts: readonly AttemptNote[];
  /** null while the call is open. */
  readonly outcome: CallOutcome | null;
  /** Whether `completion_tokens` is the number of chunks, for lack of usage. */
  readonly tokens_estimated: boolean;
  /** How long it waited in the queue; part of `total_ms`, charged to nobody. */
  readonly queued_ms: number;
  readonly sample: SampleNote | null;
  readonly work_units: readonly WorkUnits[];
  /** Of an open call: how long it has been, and what it is doing. */
  readonly age_ms?: number;
  readonly phase?: CallPhase;
}

type Tried = Pick<Decision, 'signature' | 'mode' | 'probability'>;
type Ended = Omit<AttemptNote, keyof Tried>;

const NOT_ENDED: Ended = { outcome: null, status: null, ms: null, failed_node_id: null, cause: null };

/** The line of an attempt, that has begun or that has ended. */
export function attemptNote({ signature, mode, probability }: Tried, ended = NOT_ENDED): AttemptNote {
  const { outcome, status, ms, failed_node_id, cause } = ended;
  return { signature, mode, probability, outcome, status, ms, failed_node_id, cause };
}

export function routingNote({ mode, signature, probability }: Decision): RoutingNote {
  return { mode, signature, probability };
}

/** A call's hops always add up to completion tokens × the model's layers. */
export function workUnits(hops: readonly Hop[], completionTokens: number): WorkUnits[] {
  return hops.map(({ node, startLayer, endLayer }) => ({
    node_id: node.nodeId,
    start_layer: startLayer,
    end_layer: endLayer,
    work_units: completionTokens * spanLength({ start: startLayer, end: endLayer }),
  }));
}
