import type { IncomingHttpHeaders } from 'node:http';
import { CHAT_PATHS } from '../../http/index.js';
import { TRACKER_HEADER } from '../request/headers.js';
import { saysTooLong } from './context-limit.js';

/**
 * Who is responsible for a response that is no completion.
 *
 * - `refused`: the client, by what it sent. The response is passed on.
 * - `too_long`: no node and no client; the request is larger than this node takes. One route with more room may serve it.
 * - `busy`: no node and no client; the node has too much to do. Another route may serve it.
 * - `unsupported`: no node and no client; the node lacks the endpoint or the feature. Another route may serve it.
 * - `misconfigured`: the node, which refuses the tracker or lacks the model that it registered.
 * - `failed`: the node.
 */
export type ResponseClass = 'refused' | 'too_long' | 'busy' | 'unsupported' | 'misconfigured' | 'failed';

export interface ResponseFacts {
  /** Of the response, or what an error inside a 200 stands for. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** What the response says, or null. */
  readonly message: string | null;
  /** The error's `code` and `type`, where it has them. */
  readonly names?: readonly string[];
  /** The field of the request that the error names, or null. */
  readonly param?: string | null;
  /** What the head was asked. */
  readonly path: string;
  /** Whether a text stands in the client's request and is not the model's name. */
  readonly isClients?: (text: string) => boolean;
}

const CLIENTS: ReadonlySet<number> = new Set([400, 411, 414, 415, 416, 422, 431]);
/** With these, a message about the context's length says that the request is too long. */
const MAY_BE_TOO_LONG: ReadonlySet<number> = new Set([400, 413, 422, 500]);
const QUOTED = /["'`]([^"'`]{1,256})["'`]/g;
const MOST_QUOTES = 8;
const [CHAT] = CHAT_PATHS;

/**
 * Classifies a response by status, path, headers and message; the first row that fits counts.
 *
 * | status                                                          | class           |
 * | --------------------------------------------------------------- | --------------- |
 * | 413; 400, 422 or 500 about the context's length                 | `too_long`      |
 * | 400, 411, 414, 415, 416, 422, 431                               | `refused`       |
 * | 404 for a thing that the client named, other than the model     | `refused`       |
 * | 404 or 405 off /v1/chat/completions, unless about the model; 501 | `unsupported`  |
 * | 401, 403, 404, 405, 410                                         | `misconfigured` |
 * | 429; 503 with Retry-After or about loading; 508 of a tracker    | `busy`          |
 * | any other                                                       | `failed`        |
 *
 * It is the same for an error inside a 200, with the status that its code stands for.
 */
export function classifyResponse(facts: ResponseFacts): ResponseClass {
  const { status, message, names = [] } = facts;
  if (status === 413 || (MAY_BE_TOO_LONG.has(status) && saysTooLong(message, names))) return 'too_long';
  if (CLIENTS.has(status)) return 'refused';
  if (status === 404 && isAboutClients(facts)) return 'refused';
  if (status === 501 || lacksEndpoint(facts)) return 'unsupported';
  if (status === 401 || status === 403 || status === 404 || status === 405 || status === 410)
    return 'misconfigured';
  return isBusy(facts) ? 'busy' : 'failed';
}

/** Whether another tracker, or this one, says that it has had the chat before. */
export function isLoop({ status, headers }: Pick<ResponseFacts, 'status' | 'headers'>): boolean {
  return status === 508 && headers[TRACKER_HEADER] !== undefined;
}

/** A node that is full, one that is still loading its model, or a way that leads back here: each can serve other chats. */
function isBusy(facts: ResponseFacts): boolean {
  const { status, headers, message } = facts;
  if (status === 429 || isLoop(facts)) return true;
  return status === 503 && (saysWhen(headers) || /\bload(ing)?\b/i.test(message ?? ''));
}

function saysWhen(headers: IncomingHttpHeaders): boolean {
  return headers['retry-after'] !== undefined || headers['retry-after-ms'] !== undefined;
}

/** Every node serves chats; not every server has the older completions. */
function lacksEndpoint({ status, path, message }: ResponseFacts): boolean {
  if (path.endsWith(CHAT)) return false;
  return status === 405 || (status === 404 && !/model/i.test(message ?? ''));
}

/** A file, an adapter or an earlier response: named by the error's `param`, or quoted as the client wrote it. */
function isAboutClients({ param = null, message, isClients }: ResponseFacts): boolean {
  if (param !== null && param !== '') return param !== 'model';
  if (message === null || isClients === undefined) return false;
  let quotes = 0;
  for (const [, quoted = ''] of message.matchAll(QUOTED)) {
    if ((quotes += 1) > MOST_QUOTES) return false;
    if (isClients(quoted)) return true;
  }
  return false;
}
