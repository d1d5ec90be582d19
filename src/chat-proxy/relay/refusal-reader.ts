import type { IncomingHttpHeaders } from 'node:http';
import { readAnswer, type InBandError } from '../bytes/index.js';
import type { AnswerReader, ReaderPort } from './answer-reader.js';
import { NO_COUNT, type HeadAnswer } from './attempt-end.js';
import { errorJson, headersOfOurJson, refusalVerdict } from './refusal.js';

/** An error page longer than this is no message to anybody. */
const MOST_BYTES = 1024 * 1024;
/** As much of a text that is no JSON is looked at. */
const MOST_READ_TEXT = 2048;
const NOTHING = Buffer.alloc(0);

/** An answer whose status is no success: held whole, since another route may do better. */
export class RefusalReader implements AnswerReader {
  readonly count = NO_COUNT;
  readonly isMidEvent = false;
  readonly sawToolCall = false;
  readonly completeAt = null;
  private readonly chunks: Buffer[] = [];
  private length = 0;

  constructor(
    private readonly port: ReaderPort,
    private readonly status: number,
    private readonly headers: IncomingHttpHeaders,
  ) {}

  chunk(bytes: Buffer): void {
    this.length += bytes.length;
    if (this.length <= MOST_BYTES) this.chunks.push(bytes);
    // All that it can still say is no message; it may never end.
    else this.end();
  }

  end(): void {
    const body = this.length <= MOST_BYTES ? Buffer.concat(this.chunks) : NOTHING;
    const { error, parsed } = readAnswer(body);
    const { status, headers } = this;
    const message = error?.message ?? body.toString('utf8', 0, MOST_READ_TEXT);
    const answer = parsed && isErrorStatus(status) ? { status, headers, body } : this.wrapped();
    this.finish(message, answer, error);
  }

  /** The status is known, and all that the client will miss is the text. */
  broken(): void {
    this.finish(null, this.wrapped(), null);
  }

  private finish(message: string | null, answer: HeadAnswer, error: InBandError | null): void {
    this.port.finish(refusalVerdict(this.port, { answer, message, error }));
  }

  /** HTML, or nothing at all, in OpenAI's shape. A redirect would lead the client past the tracker. */
  private wrapped(): HeadAnswer {
    const status = isErrorStatus(this.status) ? this.status : 502;
    const message = `The node answered with status ${String(this.status)}.`;
    const body = errorJson({ message, code: null, codeText: null }, status);
    return { status, headers: headersOfOurJson(this.headers), body };
  }
}

/** A redirect is none, and beyond 599 no client knows what is meant. */
function isErrorStatus(status: number): boolean {
  return status >= 400 && status <= 599;
}
