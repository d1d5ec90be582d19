import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from '../calls/index.js';
import type { Decision } from '../routing/index.js';
import type { OpenAttempt } from './learning.service.js';
import type { Passage } from './loops.service.js';
import type { ClientAnswer } from './relay/client-answer.js';
import type { TrialTerms } from './relay/scout-trial.js';
import type { ChatRequest } from './request/chat-request.js';

/** A chat as it came in. */
export interface IncomingChat {
  readonly requestId: string;
  /** The head's path is the same. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly request: ChatRequest;
  /** The client's own Authorization, where it goes on to nodes; null: it does not. Never a key of this tracker. */
  readonly forwarded: string | null;
  /** The name of the key that it came with; null: none. */
  readonly keyName: string | null;
  readonly client: ClientAnswer;
  readonly passage: Passage;
}

/** One attempt at answering a chat. */
export interface AttemptContext {
  readonly chat: IncomingChat;
  readonly call: Call;
  readonly decision: Decision;
  /** Its ticket, taken with the decision. */
  readonly open: OpenAttempt;
  /** What it has to prove before its client sees anything of it; null: nothing. */
  readonly trial: TrialTerms | null;
  /** 1 for the first. */
  readonly number: number;
  /** When the call began, in monotonic ms. */
  readonly startedAt: number;
}
