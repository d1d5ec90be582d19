import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** What is asked, as it is known before the body. */
export interface Asked {
  readonly method?: string | undefined;
  /** As it was sent; a lane sees none but `/path?query`. */
  readonly url?: string | undefined;
  /** Names in lower case. How long the body is stands in `declaredLength` alone, for whoever asks a lane's request. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly socket: Pick<Socket, 'remoteAddress'>;
}

/** Takes a request's body as it comes. Exactly one of `onBodyEnd` and `onBodyBroken` comes last. */
export interface BodySink {
  onBodyPart(bytes: Buffer): void;
  onBodyEnd(): void;
  /** The request ended before its body was whole. */
  onBodyBroken(): void;
}

export interface LaneRequest extends Asked {
  /** Bytes of the body, as its sender says beforehand; null where that isn't told. */
  readonly declaredLength: number | null;
  /** To be called in the turn in which the request came: what has been read by then is lost. */
  takeBody(sink: BodySink): void;
  /** What is still to come is read away, and nobody told of it. */
  letBodyGo(): void;
}

/** Told once when an answer is over, be it whole or not. */
export interface CloseWatcher {
  onClosed(): void;
}

/** Values are latin1 without line ends; of a list each stands on a line of its own. */
export type AnswerHeaders = Readonly<Record<string, string | string[]>>;

/** What a gate may do to an answer that has not begun. */
export interface Answering {
  /** @param name in lower case */
  setHeader(name: string, value: string): void;
  onceClosed(listener: () => void): void;
}

/** The answer to one request. Texts are latin1: each character is one byte on the wire. */
export interface LaneResponse extends Answering {
  /** It has begun. */
  readonly headersSent: boolean;
  /** It has ended, and all of it has been handed to the system. */
  readonly writableFinished: boolean;
  /** Whoever answers: one for each response. */
  watchClose(watcher: CloseWatcher): void;
  /** From now on the client is told of by this when it has read what it was behind with. */
  onDrain(listener: () => void): void;
  /**
   * Its head leaves with whatever is written next.
   *
   * @param headers where they tell no length, what is written has to be in chunks (RFC 9112, 7.1) if {@link isChunked} says so
   * @param wallMs the time of day
   */
  begin(status: number, headers: AnswerHeaders, wallMs: number): void;
  /** Once it has begun: whoever writes has to put what he writes into chunks. */
  readonly isChunked: boolean;
  /** @returns false where the client is behind: `onDrain` tells when it no longer is */
  write(text: string, encoding: 'latin1'): boolean;
  write(bytes: Buffer): boolean;
  endWith(text: string): void;
  /** Breaks the connection; what was written before is still sent, if the client takes it at once. */
  break(): void;
}

/** Takes a request away from Nest and Express. */
export interface Lane {
  /** Whether a request is the lane's; `path` is its path without query. Changes nothing. */
  serves(path: string, request: LaneRequest): boolean;
  handle(request: LaneRequest, response: LaneResponse): void;
}

/** A body as {@link LaneResponse} writes it, each byte of its UTF-8 one character, and what an answer's headers say of it. */
export interface WrittenBody {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

const NO_BODY: WrittenBody = { text: '', headers: {} };

/** @param body null: none */
export function jsonBody(body: object | null): WrittenBody {
  if (body === null) return NO_BODY;
  const json = JSON.stringify(body);
  const text = Buffer.byteLength(json) === json.length ? json : Buffer.from(json).toString('latin1');
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(text.length),
  };
  return { text, headers };
}
