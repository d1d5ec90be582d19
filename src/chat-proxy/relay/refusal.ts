import type { IncomingHttpHeaders } from 'node:http';
import { NodeFailedError } from '../../kernel/index.js';
import { isJsonObject, readAnswer, statusOfError, type InBandError } from '../bytes/index.js';
import { classifyResponse } from '../upstream/classify-response.js';
import { verdict, type HeadAnswer, type Verdict } from './attempt-end.js';

/** Describe the head's own body, or lead the client past the tracker. */
const NOT_WITH_OUR_BODY = new Set(['content-encoding', 'content-type', 'location']);

/** As much of a body of unknown shape is quoted. */
const MOST_QUOTED_BYTES = 2048;

/** The head that answers, and what it was asked. */
export interface AskedHead {
  readonly nodeId: string;
  readonly path: string;
  /** Whether a text stands in the client's request and is not the model's name. */
  isClients(text: string): boolean;
}

/** An answer that is no success, before it is known who is responsible. */
interface ErrorAnswer {
  readonly answer: HeadAnswer;
  /** In the head's own words; null: it gave no reason. */
  readonly message: string | null;
  readonly error: InBandError | null;
}

/** Returns what an error answer means for the attempt. A node's quarrel with the tracker is not the client's. */
export function refusalVerdict(head: AskedHead, { answer, message, error }: ErrorAnswer): Verdict {
  const { status, headers } = answer;
  const outcome = classifyResponse({
    status,
    headers,
    message,
    names: namesOf(error),
    param: error?.param ?? null,
    path: head.path,
    isClients: (text) => head.isClients(text),
  });
  const failedNodeId = error?.nodeId ?? null;
  if (outcome !== 'misconfigured') return verdict(outcome, { answer, message, failedNodeId });
  const said =
    status === 401 || status === 403 ? 'refuses the tracker' : 'lacks the model that it registered';
  const text = `The node ${head.nodeId} ${said} (status ${String(status)}).`;
  return verdict(outcome, { fault: new NodeFailedError(text, 'node_misconfigured'), failedNodeId });
}

/**
 * Returns what an error inside a 200 means. It is classified by its numeric code, or its name, as if that were the
 * status; without one it is a 502.
 */
export function inBandVerdict(head: AskedHead, error: InBandError, headers: IncomingHttpHeaders): Verdict {
  const status = statusOfError(error);
  const answer = { status, headers: headersOfOurJson(headers), body: errorJson(error, status) };
  return refusalVerdict(head, { answer, message: error.message, error });
}

function namesOf(error: InBandError | null): readonly string[] {
  return [error?.codeText, error?.type].filter((name) => typeof name === 'string');
}

/** What remains of a head's headers when its body is replaced by JSON of ours. */
export function headersOfOurJson(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !NOT_WITH_OUR_BODY.has(name));
  return { ...Object.fromEntries(kept), 'content-type': 'application/json' };
}

/** OpenAI's error object. The text is the head's own. */
export function errorJson(
  { message, codeText, code }: Pick<InBandError, 'message' | 'codeText' | 'code'>,
  status: number,
): Buffer {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  const shown = message ?? 'The node answered with an error.';
  return Buffer.from(
    JSON.stringify({
      error: { message: shown, type, param: null, code: codeText ?? code?.toString() ?? null },
    }),
  );
}

/**
 * A head's answer as the rest of a stream that a ping has begun. An error goes out within it as OpenAI's clients know
 * one; what is a stream itself, held until now, passes as it is.
 */
export function answerEvent({ status, headers, body }: HeadAnswer): Buffer {
  if (status === 200) return isEventStream(headers) ? body : errorEvent(body);
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

/** An error inside a 200 as the last event of a stream, in the shape that clients know. */
export function inBandEvent(error: InBandError): Buffer {
  return errorEvent(errorJson(error, statusOfError(error)));
}

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && /^text\/event-stream\b/i.test(type);
}
