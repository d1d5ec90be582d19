import type { FinishReasons } from '../bytes/index.js';
import type { AskedHead } from './refusal.js';
import type { AnswerCount, Verdict } from './attempt-end.js';

/** Under which terms an answer is given to the client. */
export interface ReadTerms {
  /** The client must not see the usage chunk of a stream. */
  readonly stripUsage: boolean;
  /** The usage was asked for by the tracker. */
  readonly isUsageOurs: boolean;
  /** How many choices the client asked for. */
  readonly choices: number;
  readonly finishReasons: FinishReasons;
  /** The client sees an answer once it is whole, or longer than 64 KiB: the route cut answers off lately. */
  readonly holdsWhole: boolean;
  /** An answer without content is held for another route to do better. */
  readonly holdsEmpty: boolean;
}

/** What a reader may do to the call. */
export interface ReaderPort extends AskedHead {
  readonly terms: ReadTerms;
  /** Bytes have reached the client, or are about to. */
  readonly isCommitted: boolean;
  /** When what is being read came, in monotonic ms. */
  readonly readAt: number;
  /** Sends the client status and headers; `length` of the body where it is known. Only the first call does anything. */
  commit(length?: number): void;
  write(bytes: readonly Buffer[]): void;
  /** The head said something that counts. */
  heard(hasContent: boolean): void;
  /** All that a client needs has come; the stream's own end is awaited for a short while. */
  ending(): void;
  /** Ends the attempt: settles it, then gives the client its last bytes. */
  finish(verdict: Verdict, lastBytes?: readonly Buffer[]): void;
}

/** Reads one kind of answer. The attempt calls `broken` instead of `end` when the connection died. */
export interface AnswerReader {
  chunk(bytes: Buffer): void;
  end(): void;
  /** @param verdict what to finish with */
  broken(verdict: Verdict): void;
  readonly count: AnswerCount;
  /** A stream that calls a tool: from there on its pace tells nothing. */
  readonly sawToolCall: boolean;
  /** The client's bytes so far end within an event: nothing of ours can follow. */
  readonly isMidEvent: boolean;
  /** When the answer was complete, in monotonic ms; null: when its last byte came. */
  readonly completeAt: number | null;
}
