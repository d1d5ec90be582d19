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
 * The outcomes that charge the node at fault, each with the code of the fault where the head itself told of it. Any
 * other outcome is the client's, or no fault at all.
 */
const FAILURES: ReadonlyMap<CallOutcome, (NodeFailedError | NodeTimeoutError)['code']> = new Map([
  ['failed', 'node_failed'],
  ['misconfigured', 'node_misconfigured'],
  ['timed_out', 'node_timeout'],
  ['cut_off', 'answer_cut_off'],
]);
/** Outcomes of attempts that a call ends with under another name: the client has the head's answer. */
const CALL_OUTCOMES: ReadonlyMap<CallOutcome, CallOutcome> = new Map([
  ['empty', 'completed'],
  ['too_long', 'refused'],
  ['unsupported', 'refused'],
]);

const SUCCESS: Outcome = { kind: 'success' };
const NEUTRAL: Outcome = { kind: 'neutral' };

/**
 * Whether the attempt is a sample of its route's speed.
 *
 * @param isOtherModel the head answered as another model than the one it is known to serve
 */
export function sampleOf(end: AttemptEnd, minTokens: number, isOtherModel = false): SampleVerdict {
  const facts: CallFacts = {
    ending: isOtherModel ? 'model_changed' : speedEnding(end),
    completionTokens: tokensOf(end),
    isEstimated: isEstimate(end),
    elapsedMs: end.elapsedMs,
    heldUpMs: end.heldUpMs,
  };
  return judgeSample(facts, minTokens);
}

function speedEnding({ outcome, completeness }: AttemptEnd): CallFacts['ending'] {
  if (outcome === 'empty') return 'no_content';
  if (outcome === 'cut_off' || outcome === 'client_left') return outcome;
  if (outcome !== 'completed') return 'failed';
  if (completeness === 'empty') return 'no_content';
  return completeness === 'no_reason' ? 'no_finish_reason' : 'completed';
}

/** Whether the head ended its answer well and said nothing. */
export function isEmptyAnswer({ outcome, completeness }: AttemptEnd): boolean {
  return outcome === 'empty' || (outcome === 'completed' && completeness === 'empty');
}

/** What the attempt says of its nodes: a failure is charged to the hop that the head named, else to the head. */
export function outcomeOf(end: AttemptEnd, route: Route): Outcome {
  const { outcome, isCommitted } = end;
  const blame = blamedNode(end, route);
  if (blame === null) return NEUTRAL;
  if (isEmptyAnswer(end) || outcome === 'refused') return { kind: 'nothing', by: blame };
  if (outcome === 'completed') return SUCCESS;
  return FAILURES.has(outcome) ? { kind: 'failure', blame, isCut: isCommitted } : NEUTRAL;
}

/** The node that failed or refused the attempt. */
export function blamedNode({ failedNodeId }: AttemptEnd, route: Route): MeshNode | null {
  const named = route.hops.find(({ node }) => node.nodeId === failedNodeId);
  return (named ?? route.hops[0])?.node ?? null;
}

/** What the attempt's line in the call's record says. Only a failure, or an empty answer, has a cause and a node. */
export function attemptEndingOf(end: AttemptEnd, route: Route): AttemptEnding {
  const { outcome, headStatus: status, fault } = end;
  const code = isEmptyAnswer(end) ? 'empty_answer' : FAILURES.get(outcome);
  if (code === undefined) return { outcome, status, failedNodeId: null, cause: null };
  return {
    outcome,
    status,
    failedNodeId: blamedNode(end, route)?.nodeId ?? null,
    cause: fault?.code ?? code,
  };
}

/**
 * What the call's record says in the end.
 *
 * @param isRequests the request was at fault, whatever status the heads told it by
 */
export function endingOf(end: AttemptEnd, verdict: SampleVerdict, isRequests = false): CallEnding {
  const tokens = tokensOf(end);
  const isEstimated = isEstimate(end);
  const isKnown = !isEstimated || tokens > 0;
  const sample: SampleNote = verdict.kind === 'sample' ? 'recorded' : verdict.reason;
  return {
    outcome: isRequests ? 'refused' : (CALL_OUTCOMES.get(end.outcome) ?? end.outcome),
    cause: isRequests ? 'request_at_fault' : null,
    promptTokens: end.usage?.promptTokens ?? null,
    completionTokens: isKnown ? tokens : null,
    tokensEstimated: isKnown && isEstimated,
    tps: end.outcome === 'completed' && isKnown ? tokensPerSecond(tokens, end.elapsedMs) : null,
    sample,
  };
}
