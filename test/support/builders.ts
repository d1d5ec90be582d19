import {
  nodeIdOf,
  identityKey,
  type FinishedAttempt,
  type FinishedCall,
  type LayerSpan,
} from '../../src/kernel/index.js';
import type { MeshNode, NodeSpec } from '../../src/registry/index.js';
import type { CandidateState } from '../../src/routing/index.js';
import type { RouteEstimate } from '../../src/routing-stats/index.js';
import { viewOf, type ModelView } from '../../src/topology/index.js';

export const MODEL = 'Qwen/Qwen3.6-35B-A3B';

/** Layers `start..end`. */
export function span(start: number, end: number): LayerSpan {
  return { start, end };
}

/** What a node says of itself; without more it serves all of {@link MODEL} at an endpoint of its own. */
export function aSpec(stated: Partial<NodeSpec> & { readonly wallet: string }): NodeSpec {
  return {
    name: null,
    model: MODEL,
    numLayers: null,
    shard: null,
    source: 'registered',
    endpoint: `http://${stated.wallet}.test:8000`,
    throughputTps: null,
    queueDepth: 0,
    maxConcurrent: null,
    upstreamModel: null,
    firstByteTimeoutSeconds: null,
    finishReasons: 'sent',
    access: { headers: {} },
    ...stated,
  };
}

/** A node that no registry knows, for what is pure. */
export function aNode(stated: Partial<MeshNode> & { readonly wallet: string }): MeshNode {
  const whole = { ...aSpec(stated), ...stated };
  return {
    key: identityKey(whole.wallet, whole.name, whole.model),
    nodeId: nodeIdOf(whole.wallet, whole.name, whole.shard),
    incarnation: 1,
    drainedByOperator: false,
    drainedByNode: false,
    lastSignAt: 0,
    contextTokens: null,
    heardAt: 0,
    lastProbe: null,
    present: true,
    ...whole,
  };
}

/** A model as its nodes serve it. */
export function aView(numLayers: number | null, nodes: readonly MeshNode[], epoch = 1): ModelView {
  return viewOf(MODEL, epoch, numLayers, nodes);
}

/** A route nobody has measured. */
export function anEstimate(stated: Partial<RouteEstimate> = {}): RouteEstimate {
  return {
    status: 'unsampled',
    tps: null,
    mass: 0,
    sampleCount: 0,
    lastSampleAt: null,
    scoutsInFlight: 0,
    barred: false,
    nothings: 0,
    ...stated,
  };
}

/** What a policy sees of a route; without more it is unsampled. */
export function aCandidate(stated: Partial<CandidateState> & { readonly signature: string }): CandidateState {
  return {
    hopCount: 1,
    priorTps: 10,
    status: 'unsampled',
    tps: null,
    mass: 0,
    scoutsInFlight: 0,
    barred: false,
    nothings: 0,
    steadiness: 1,
    ...stated,
  };
}

/** A route proven to give so many tokens/s. */
export function aProven(
  signature: string,
  tps: number,
  stated: Partial<CandidateState> = {},
): CandidateState {
  return aCandidate({ signature, status: 'proven', tps, mass: 1, ...stated });
}

/** A call as the bus tells of it when it is over; without more it was completed at the first attempt. */
export function aFinishedCall(stated: Partial<FinishedCall> = {}): FinishedCall {
  return {
    ...{ request_id: 'r', model: MODEL, stream: true, key_name: null, routing: null, attempts: [] },
    ...{ outcome: 'completed', cause: null, prompt_tokens: 5, completion_tokens: 10, tps: 10 },
    ...{ queued_ms: 0, ttft_ms: 100, total_ms: 1000, sample: 'recorded' },
    ...stated,
  };
}

/** One attempt of a {@link aFinishedCall}; without more it served the call. */
export function aFinishedAttempt(stated: Partial<FinishedAttempt> = {}): FinishedAttempt {
  return {
    ...{ signature: `${MODEL}|w:all[0-0]`, mode: 'exploit', probability: 1, outcome: 'completed' },
    ...{ status: 200, ms: 1000, failed_node_id: null, cause: null },
    ...stated,
  };
}
