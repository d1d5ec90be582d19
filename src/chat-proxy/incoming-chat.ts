import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from '../calls/index.js';
import type { MeshNode } from '../registry/index.js';
import type { Decision } from '../routing/index.js';
import type { OpenAttempt } from './learning.service.js';
import type { Passage } from './loops.service.js';
import { LONG_BYTES, type Demand } from './node-limits.service.js';
import type { ReadTerms } from './relay/answer-reader.js';
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

/** What a chat asks of a node. Its body is searched for media only where that decides. */
export function demandOf({ path, request: { model, body } }: IncomingChat): Demand {
  return {
    model,
    path,
    bodyBytes: body.length,
    get hasMedia() {
      return body.length > LONG_BYTES && (body.includes(';base64,') || body.includes('"input_audio"'));
    },
  };
}

/** One attempt at answering a chat. */
export interface AttemptContext {
  readonly chat: IncomingChat;
  readonly call: Call;
  readonly decision: Decision;
  /** The route's head. */
  readonly head: MeshNode;
  /** Its ticket, taken with the decision. */
  readonly open: OpenAttempt;
  readonly terms: ReadTerms;
  /** The head had no recent completion when the attempt began. */
  readonly isUnproven: boolean;
  /** The head's last attempts in a row gave no completion. */
  readonly isFailing: boolean;
  /** What it has to prove before its client sees anything of it; null: nothing. */
  readonly trial: TrialTerms | null;
  /** 1 for the first. */
  readonly number: number;
  /** When the call began, in monotonic ms. */
  readonly startedAt: number;
}
