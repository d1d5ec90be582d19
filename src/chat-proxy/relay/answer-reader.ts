import type { AskedHead } from './refusal.js';
import type { AnswerCount, Verdict } from './attempt-end.js';

/** What a reader may do to the call. */
export interface ReaderPort extends AskedHead {
  /** Bytes have reached the client, or are about to. */
  readonly isCommitted: boolean;
  /** Sends the client status and headers; `length` of the body where it is known. Only the first call does anything. */
  commit(length?: number): void;
  write(bytes: readonly Buffer[]): void;
  /** The head said something that counts. */
  heard(hasContent: boolean): void;
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
}
