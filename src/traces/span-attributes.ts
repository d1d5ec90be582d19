import type { Attributes } from '@opentelemetry/api';
import type {
  AttemptFacts,
  CallFacts,
  ClientTold,
  RouteChoice,
  SampleFacts,
  TurnedAway,
} from './call-tracer.js';

/**
 * What spans say, in the words of OpenTelemetry's semantic conventions (GenAI client spans, HTTP) and, where those
 * have none, in ours, `meshnet.*`. Undefined values are left out by the library. Nothing here comes from a body.
 */

/** The tracker stands for all nodes behind it. */
const PROVIDER = 'meshnet';
/** Ended so, it was a failure of a node's or ours; `refused` was the client's, `client_left` nobody's. */
const FAILURES: ReadonlySet<string> = new Set(['busy', 'failed', 'misconfigured', 'timed_out', 'cut_off']);
const FIRST_ERROR_STATUS = 400;
const FIRST_FAULT_STATUS = 500;
const TOO_MANY = 429;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

export type GenAiOperation = 'chat' | 'text_completion';

export function operationOf(path: string): GenAiOperation {
  return path === '/v1/completions' ? 'text_completion' : 'chat';
}

/** Of a call that has come in. Which model it is for is told once the mesh is known to have it. */
export function callAttributes(requestId: string, path: string, stream: boolean): Attributes {
  return {
    'gen_ai.operation.name': operationOf(path),
    'gen_ai.provider.name': PROVIDER,
    'gen_ai.request.stream': stream,
    'http.request.method': 'POST',
    'http.route': path,
    'meshnet.request_id': requestId,
  };
}

export function decisionAttributes(choice: RouteChoice, queuedMs: number): Attributes {
  const { eligible, leftOut, moreEligible = 0, moreLeftOut = 0 } = choice.considered;
  const leftOutCount = leftOut.length + moreLeftOut;
  return {
    ...routeAttributes(choice),
    'meshnet.route.probability': choice.probability,
    'meshnet.candidates': eligible.length + moreEligible + leftOutCount,
    'meshnet.candidates.left_out': leftOutCount,
    'meshnet.queued_ms': queuedMs,
  };
}

/** Of an attempt that begins. */
export function attemptAttributes(
  choice: RouteChoice,
  operation: GenAiOperation,
  requestId: string,
  number: number,
): Attributes {
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': PROVIDER,
    'gen_ai.request.model': choice.model,
    'http.request.method': 'POST',
    ...serverAttributes(choice),
    ...routeAttributes(choice),
    'meshnet.attempt': number,
    'meshnet.request_id': requestId,
  };
}

/** Of an attempt that is over. */
export function attemptEndAttributes(facts: AttemptFacts, sample: SampleFacts): Attributes {
  return {
    'http.response.status_code': facts.headStatus ?? undefined,
    'gen_ai.usage.input_tokens': facts.usage?.promptTokens ?? undefined,
    'gen_ai.usage.output_tokens': facts.usage?.completionTokens ?? undefined,
    'error.type': attemptError(facts) ?? undefined,
    'meshnet.outcome': facts.outcome,
    'meshnet.failed_node_id': facts.failedNodeId ?? undefined,
    'meshnet.sample': sample.kind === 'sample' ? 'recorded' : sample.reason,
    'meshnet.tps': sample.kind === 'sample' ? sample.tps : undefined,
  };
}

/** Why an attempt failed: a fault's code, else the head's status, else the outcome; null for whatever is no failure. */
export function attemptError({ outcome, fault, headStatus }: AttemptFacts): string | null {
  if (!FAILURES.has(outcome)) return null;
  const told = headStatus !== null && headStatus >= FIRST_ERROR_STATUS ? String(headStatus) : outcome;
  return fault?.code ?? told;
}

/** Of a call that is over. Chunks are no tokens: where the node counted none, nothing is said of them. */
export function callEndAttributes(call: CallFacts, told: ClientTold, attempts: number): Attributes {
  return {
    'gen_ai.request.model': call.model,
    'http.response.status_code': told.status ?? undefined,
    'gen_ai.usage.input_tokens': call.prompt_tokens ?? undefined,
    'gen_ai.usage.output_tokens': call.tokens_estimated ? undefined : (call.completion_tokens ?? undefined),
    'error.type': callError(call, told) ?? undefined,
    'meshnet.outcome': call.outcome ?? undefined,
    'meshnet.attempts': attempts,
    'meshnet.queued_ms': call.queued_ms,
    'meshnet.ttft_ms': call.ttft_ms ?? undefined,
    'meshnet.sample': call.sample ?? undefined,
    'meshnet.tps': call.tps ?? undefined,
  };
}

/** Why a call failed; null for whatever is no failure. */
export function callError({ outcome }: CallFacts, { cause }: ClientTold): string | null {
  return outcome !== null && FAILURES.has(outcome) ? (cause ?? outcome) : null;
}

/** Of a chat that became no call. */
export function turnedAwayAttributes({ model, code, status }: TurnedAway): Attributes {
  return {
    'gen_ai.request.model': model ?? undefined,
    'http.response.status_code': status,
    'error.type': isOurFault(status) ? code : undefined,
    'meshnet.outcome': 'turned_away',
    'meshnet.code': code,
  };
}

/** Whether a chat was turned away for want of a route or room, and not for what it was. */
export function isOurFault(status: number): boolean {
  return status >= FIRST_FAULT_STATUS || status === TOO_MANY;
}

/** The route that served, or tried to. */
export function routeAttributes({ signature, mode }: RouteChoice): Attributes {
  return { 'meshnet.route': signature, 'meshnet.route.mode': mode };
}

/** The head, by where it listens; an endpoint has no credentials. */
function serverAttributes({ route }: RouteChoice): Attributes {
  const head = route.hops[0]?.node;
  if (head === undefined) return {};
  const { hostname, port, protocol } = new URL(head.endpoint);
  return {
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': port === '' ? (protocol === 'https:' ? HTTPS_PORT : HTTP_PORT) : Number(port),
    'meshnet.node_id': head.nodeId,
  };
}
