import type { IncomingHttpHeaders } from 'node:http';
import type { InBandError } from '../bytes/index.js';
import type { HeadAnswer, Verdict } from './attempt-end.js';

/** Describe the head's own body, or lead the client past the tracker. */
const NOT_WITH_OUR_BODY = new Set(['content-encoding', 'content-type', 'location']);

/** An error inside a 200 is judged by its numeric code as if that were the status; without one it is a 502. */
export function statusOfInBand({ code }: InBandError): number {
  return code !== null && Number.isInteger(code) && code >= 400 && code <= 599 ? code : 502;
}

/** Whose doing a head's error is. */
export function verdictOnStatus(status: number): 'refused' | 'failed' {
  return status >= 400 && status < 500 ? 'refused' : 'failed';
}

/** What came in a 200 and should have been an error, as one. */
export function inBandVerdict(error: InBandError, headers: IncomingHttpHeaders): Verdict {
  const status = statusOfInBand(error);
  const answer: HeadAnswer = {
    status,
    headers: headersOfOurJson(headers),
    body: errorJson(error, status),
  };
  return { outcome: verdictOnStatus(status), answer, fault: null, failedNodeId: error.nodeId };
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

/** An error as the last event of a stream that can't be finished. */
export function errorEvent(json: Buffer): Buffer {
  return Buffer.concat([Buffer.from('data: '), json, Buffer.from('\n\n')]);
}
