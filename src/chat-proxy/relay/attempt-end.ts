import type { IncomingHttpHeaders } from 'node:http';
import type { CallOutcome } from '../../calls/index.js';
import type { NodeFailedError, NodeTimeoutError } from '../../kernel/index.js';
import type { Usage } from '../bytes/index.js';

/** A head's answer that nobody has seen yet. */
export interface HeadAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a reader of a head's answer found out when it was over. */
export interface Verdict {
  readonly outcome: Exclude<CallOutcome, 'client_left'>;
  /** To be passed on, where no other route serves the call. */
  readonly answer: HeadAnswer | null;
  /** Why it failed, where there is no answer to pass on. */
  readonly fault: NodeFailedError | NodeTimeoutError | null;
  /** The hop that the head named as the one that failed. */
  readonly failedNodeId: string | null;
}

/** Tokens as far as the answer told them. */
export interface AnswerCount {
  readonly usage: Usage | null;
  readonly contentChunks: number;
}

/** How an attempt came out. */
export interface AttemptEnd extends AnswerCount, Omit<Verdict, 'outcome'> {
  readonly outcome: CallOutcome;
  readonly headStatus: number | null;
  /** Bytes reached the client: no other route can take over. */
  readonly isCommitted: boolean;
  /** False: no connection came about, so the head knows nothing of this call. */
  readonly wasSent: boolean;
  readonly elapsedMs: number;
  readonly heldUpMs: number;
}

export const COMPLETED: Verdict = { outcome: 'completed', answer: null, fault: null, failedNodeId: null };
export const NO_COUNT: AnswerCount = { usage: null, contentChunks: 0 };
