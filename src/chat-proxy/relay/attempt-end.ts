import type { IncomingHttpHeaders } from 'node:http';
import type { CallOutcome } from '../../calls/index.js';
import type { NodeFailedError, NodeTimeoutError } from '../../kernel/index.js';
import type { Completeness, Usage } from '../bytes/index.js';
import type { TimeoutKind } from './watchdog.js';

/** A head's answer that nobody has seen yet. */
export interface HeadAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What an attempt came to. */
export interface Verdict {
  readonly outcome: CallOutcome;
  /** To be passed on, where no other route serves the call. */
  readonly answer: HeadAnswer | null;
  /** The message of the answer's error in the head's own words; null where it said nothing. */
  readonly message: string | null;
  /** Why it failed, where there is no answer to pass on. */
  readonly fault: NodeFailedError | NodeTimeoutError | null;
  /** The hop that the head named as the one that failed. */
  readonly failedNodeId: string | null;
  /** Which limit it ran into. */
  readonly timeout: TimeoutKind | null;
}

/** What the answer said of itself so far. */
export interface AnswerCount {
  readonly usage: Usage | null;
  readonly contentChunks: number;
  /** The model's name as the head gave it. */
  readonly model: string | null;
  /** Of a completed answer: `whole`, or why it teaches nothing. */
  readonly completeness: Completeness;
}

/** How an attempt came out. */
export interface AttemptEnd extends AnswerCount, Verdict {
  readonly headStatus: number | null;
  /** The connection was refused, or broke before the answer was whole. */
  readonly isBroken: boolean;
  /** The client got something of this head's answer: no other route can take over. */
  readonly isCommitted: boolean;
  readonly elapsedMs: number;
  readonly heldUpMs: number;
}

export const NO_COUNT: AnswerCount = { usage: null, contentChunks: 0, model: null, completeness: 'none' };

export function verdict(outcome: CallOutcome, more: Partial<Omit<Verdict, 'outcome'>> = {}): Verdict {
  return { outcome, answer: null, message: null, fault: null, failedNodeId: null, timeout: null, ...more };
}

export const COMPLETED = verdict('completed');
export const CLIENT_LEFT = verdict('client_left');
