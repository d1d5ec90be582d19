import type { Route } from '../candidate-enumeration/index.js';
import type { AttemptEnding, CallEnding, CallOutcome, SampleNote } from '../calls/index.js';
import type { NodeFailedError, NodeTimeoutError } from '../kernel/index.js';
import type { Outcome } from '../node-health/index.js';
import type { MeshNode } from '../registry/index.js';
import { judgeSample, tokensPerSecond, type CallFacts, type SampleVerdict } from '../routing-stats/index.js';
import type { AttemptEnd } from './relay/attempt-end.js';

/** Completion tokens as the upstream counted, else the number of content chunks. */
function tokensOf({ usage, contentChunks }: AttemptEnd): number {
  return usage?.completionTokens ?? contentChunks;
}

/** Whether they are only that number. */
function isEstimate({ usage }: AttemptEnd): boolean {
  return (usage?.completionTokens ?? null) === null;
}

/**
 * Of these the node at fault is charged; whatever else ended an attempt was nobody's doing, or the client's. Each with
 * the code of the fault where the head itself told of it.
 */
const FAILURES: ReadonlyMap<CallOutcome, (NodeFailedError | NodeTimeoutError)['code']> = new Map([
  ['failed', 'node_failed'],
  ['misconfigured', 'node_misconfigured'],
  ['timed_out', 'node_timeout'],
  ['cut_off', 'answer_cut_off'],
]);
/** Of these a speed may be taken, or the reason why not is their own name. */
const ENDINGS: ReadonlySet<CallOutcome> = new Set(['completed', 'cut_off', 'client_left']);

const SUCCESS: Outcome = { kind: 'success' };
const NEUTRAL: Outcome = { kind: 'neutral' };

/** Whether the attempt is a sample of its route's speed. */
export function sampleOf(end: AttemptEnd, minTokens: number): SampleVerdict {
  const facts: CallFacts = {
    ending: ENDINGS.has(end.outcome) ? (end.outcome as CallFacts['ending']) : 'failed',
    completionTokens: tokensOf(end),
    isEstimated: isEstimate(end),
    elapsedMs: end.elapsedMs,
    heldUpMs: end.heldUpMs,
  };
  return judgeSample(facts, minTokens);
}

/** What the attempt says of its nodes: a failure is charged to the hop that the head named, else to the head. */
export function outcomeOf(end: AttemptEnd, route: Route): Outcome {
  if (end.outcome === 'completed') return SUCCESS;
  const blame = FAILURES.has(end.outcome) ? blamedNode(end, route) : null;
  return blame === null ? NEUTRAL : { kind: 'failure', blame };
}

/** The node that failed or refused the attempt. */
export function blamedNode({ failedNodeId }: AttemptEnd, route: Route): MeshNode | null {
  const named = route.hops.find(({ node }) => node.nodeId === failedNodeId);
  return (named ?? route.hops[0])?.node ?? null;
}

/** What the attempt's line in the call's record says. Only a failure has a cause, and a node whose doing it was. */
export function attemptEndingOf(end: AttemptEnd, route: Route): AttemptEnding {
  const { outcome, headStatus: status, fault } = end;
  const code = outcome === 'completed' ? undefined : FAILURES.get(outcome);
  if (code === undefined) return { outcome, status, failedNodeId: null, cause: null };
  return {
    outcome,
    status,
    failedNodeId: blamedNode(end, route)?.nodeId ?? null,
    cause: fault?.code ?? code,
  };
}

/** What the call's record says in the end. */
export function endingOf(end: AttemptEnd, verdict: SampleVerdict): CallEnding {
  const tokens = tokensOf(end);
  const isEstimated = isEstimate(end);
  const isKnown = !isEstimated || tokens > 0;
  const sample: SampleNote = verdict.kind === 'sample' ? 'recorded' : verdict.reason;
  return {
    outcome: end.outcome,
    cause: null,
    promptTokens: end.usage?.promptTokens ?? null,
    completionTokens: isKnown ? tokens : null,
    tokensEstimated: isKnown && isEstimated,
    tps: end.outcome === 'completed' && isKnown ? tokensPerSecond(tokens, end.elapsedMs) : null,
    sample,
  };
}
