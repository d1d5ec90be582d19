import type { IncomingHttpHeaders } from 'node:http';
import { readAnswer } from '../bytes/index.js';
import type { AnswerReader, ReaderPort } from './answer-reader.js';
import { NO_COUNT, type HeadAnswer, type Verdict } from './attempt-end.js';
import { errorJson, headersOfOurJson, verdictOnStatus } from './in-band-answer.js';

/** An error page longer than this is no message to anybody. */
const MOST_BYTES = 1024 * 1024;

/** An answer whose status is no success: held whole, since another route may do better. */
export class RefusalReader implements AnswerReader {
  readonly count = NO_COUNT;
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
  }

  end(): void {
    const body = this.length <= MOST_BYTES ? Buffer.concat(this.chunks) : Buffer.alloc(0);
    const { error, parsed } = readAnswer(body);
    const isRefusal = parsed && this.status >= 400;
    this.port.finish({
      outcome: verdictOnStatus(this.status),
      answer: isRefusal ? { status: this.status, headers: this.headers, body } : this.wrapped(),
      fault: null,
      failedNodeId: error?.nodeId ?? null,
    });
  }

  /** The status is known, and all that the client will miss is the text. */
  broken({ failedNodeId }: Verdict): void {
    this.port.finish({
      outcome: verdictOnStatus(this.status),
      answer: this.wrapped(),
      fault: null,
      failedNodeId,
    });
  }

  /** HTML, or nothing at all, in OpenAI's shape. A redirect would lead the client past the tracker. */
  private wrapped(): HeadAnswer {
    const status = this.status < 400 ? 502 : this.status;
    const message = `The node answered with status ${String(this.status)}.`;
    const body = errorJson({ message, code: null, codeText: null }, status);
    return { status, headers: headersOfOurJson(this.headers), body };
  }
}
