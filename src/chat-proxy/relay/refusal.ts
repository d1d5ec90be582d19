import type { IncomingHttpHeaders } from 'node:http';
import { NodeFailedError } from '../../kernel/index.js';
import { isJsonObject, readAnswer, type InBandError } from '../bytes/index.js';
import { judge, type RefusalFacts } from '../upstream/judge.js';
import { verdict, type HeadAnswer, type Verdict } from './attempt-end.js';

/** Describe the head's own body, or lead the client past the tracker. */
const NOT_WITH_OUR_BODY = new Set(['content-encoding', 'content-type', 'location']);

/** As much of a body of unknown shape is quoted. */
const MOST_QUOTED_BYTES = 2048;

/** The head that answers, and what it was asked. */
export interface AskedHead {
  readonly nodeId: string;
  readonly path: string;
}

/** What an answer that is no success means for the attempt. A node's quarrel with the tracker is not the client's. */
export function refusalVerdict(
  head: AskedHead,
  facts: Omit<RefusalFacts, keyof AskedHead>,
  answer: HeadAnswer,
  failedNodeId: string | null,
): Verdict {
  const outcome = judge({ ...facts, path: head.path });
  if (outcome !== 'misconfigured') return verdict(outcome, { answer, failedNodeId });
  const said = facts.status === 404 ? 'lacks the model that it registered' : 'refuses the tracker';
  const message = `The node ${head.nodeId} ${said} (status ${String(facts.status)}).`;
  return verdict(outcome, { fault: new NodeFailedError(message, 'node_misconfigured'), failedNodeId });
}

/**
 * What came in a 200 and should have been an error, as one. It is judged by its numeric code as if that were the
 * status; without one it is a 502.
 */
export function inBandVerdict(
  head: AskedHead,
  error: InBandError,
  headers: RefusalFacts['headers'],
): Verdict {
  const status = statusOfInBand(error);
  const answer = { status, headers: headersOfOurJson(headers), body: errorJson(error, status) };
  return refusalVerdict(head, { status, headers, message: error.message }, answer, error.nodeId);
}

export function statusOfInBand({ code }: InBandError): number {
  return code !== null && Number.isInteger(code) && code >= 400 && code <= 599 ? code : 502;
}

/** What remains of a head's headers when its body is replaced by JSON of ours. */
export function headersOfOurJson(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !NOT_WITH_OUR_BODY.has(name));
  return { ...Object.fromEntries(kept), 'content-type': 'application/json' };
}

/** OpenAI's error object. The text is the head's own. */
export function errorJson({ message, codeText, code }: Omit<InBandError, 'nodeId'>, status: number): Buffer {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  const shown = message ?? 'The node answered with an error.';
  return Buffer.from(
    JSON.stringify({
      error: { message: shown, type, param: null, code: codeText ?? code?.toString() ?? null },
    }),
  );
}

/**
 * A head's error answer as the last event of a stream. As an answer it is told by its status, whatever its shape;
 * within a stream clients know none but OpenAI's shape for an error.
 */
export function answerEvent({ status, body }: HeadAnswer): Buffer {
  const answer: unknown = JSON.parse(body.toString('utf8'));
  if (isJsonObject(answer) && isJsonObject(answer.error)) return errorEvent(body);
  const { error } = readAnswer(body);
  const message = error?.message ?? body.toString('utf8', 0, MOST_QUOTED_BYTES);
  return errorEvent(errorJson({ code: null, codeText: null, ...error, message }, status));
}

/** An error, given as JSON, as the last event of a stream that can't be finished. */
export function errorEvent(json: Buffer): Buffer {
  // Printed anew: a line break in it would end the event's data.
  return Buffer.from(`data: ${JSON.stringify(JSON.parse(json.toString('utf8')))}\n\n`);
}
