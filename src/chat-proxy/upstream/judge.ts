import type { IncomingHttpHeaders } from 'node:http';
import { TRACKER_HEADER } from '../request/headers.js';

/**
 * Whose doing an answer is that is no success. `refused`: the client's. `busy`: nobody's, the head has too much to
 * do. `misconfigured`: the node refuses the tracker, or a model that it registered. `failed`: the node's.
 */
export type Refusal = 'refused' | 'busy' | 'misconfigured' | 'failed';

export interface RefusalFacts {
  /** Of the answer, or the numeric code of an error inside a 200. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** What the answer says, or null. */
  readonly message: string | null;
  /** What the head was asked. */
  readonly path: string;
}

export function judge(facts: RefusalFacts): Refusal {
  const { status } = facts;
  if (status === 429) return 'busy';
  // It can answer other chats.
  if (isLoop(facts)) return 'busy';
  if (status === 503) return isBusy(facts) ? 'busy' : 'failed';
  if (status === 401 || status === 403 || (status === 404 && lacksModel(facts))) return 'misconfigured';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
}

/** Another tracker, or this one, says that it has had the chat before. */
export function isLoop({ status, headers }: Pick<RefusalFacts, 'status' | 'headers'>): boolean {
  return status === 508 && headers[TRACKER_HEADER] !== undefined;
}

/** A 503 that is to be tried again later, or that comes from a server still loading its model. */
function isBusy({ headers, message }: RefusalFacts): boolean {
  return headers['retry-after'] !== undefined || /\bload(ing)?\b/i.test(message ?? '');
}

/** Every node serves chats; one that lacks the older completions is only asked for something it hasn't got. */
function lacksModel({ message, path }: RefusalFacts): boolean {
  return path.endsWith('/chat/completions') || /model/i.test(message ?? '');
}
