import type { IncomingHttpHeaders } from 'node:http';
import { NodeFailedError } from '../../kernel/index.js';
import { readAnswer, type Usage } from '../bytes/index.js';
import type { AnswerReader, ReaderPort } from './answer-reader.js';
import { COMPLETED, type AnswerCount, type Verdict } from './attempt-end.js';
import { inBandVerdict } from './in-band-answer.js';

/** A shorter answer is held until it is whole, so that a head that dies over it is replaced unseen. */
const HELD_BYTES = 64 * 1024;
/** A longer answer is relayed, but no longer read for its usage. */
const MOST_READ_BYTES = 16 * 1024 * 1024;

/** A JSON answer. */
export class WholeReader implements AnswerReader {
  private readonly chunks: Buffer[] = [];
  private length = 0;
  /** Chunks already given to the client; the last one stays back until the call is settled. */
  private given = 0;
  private usage: Usage | null = null;

  constructor(
    private readonly port: ReaderPort,
    private readonly headers: IncomingHttpHeaders,
  ) {}

  get count(): AnswerCount {
    return { usage: this.usage, contentChunks: 0 };
  }

  chunk(bytes: Buffer): void {
    this.chunks.push(bytes);
    this.length += bytes.length;
    if (this.length <= HELD_BYTES) return;
    this.port.commit();
    this.port.heard(false);
    this.port.write(this.chunks.slice(this.given, -1));
    this.given = this.chunks.length - 1;
    if (this.length > MOST_READ_BYTES) {
      this.chunks.splice(0, this.given);
      this.given = 0;
    }
  }

  end(): void {
    const facts = readAnswer(this.length > MOST_READ_BYTES ? Buffer.alloc(0) : Buffer.concat(this.chunks));
    this.usage = facts.usage;
    if (this.port.isCommitted) {
      this.port.finish(COMPLETED, this.chunks.slice(this.given));
    } else if (facts.error !== null && !facts.hasChoices) {
      this.port.finish(inBandVerdict(facts.error, this.headers));
    } else if (!facts.parsed) {
      this.port.finish(
        failed(
          new NodeFailedError('The node answered with something that is no JSON object.', 'node_failed'),
        ),
      );
    } else {
      this.port.commit(this.length);
      this.port.finish(COMPLETED, this.chunks);
    }
  }

  broken(verdict: Verdict): void {
    this.port.finish(verdict);
  }
}

function failed(fault: NodeFailedError): Verdict {
  return { outcome: 'failed', answer: null, fault, failedNodeId: null };
}
