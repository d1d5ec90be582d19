import type { IncomingHttpHeaders } from 'node:http';
import { NodeFailedError } from '../../kernel/index.js';
import { readAnswer, type AnswerFacts, type Usage } from '../bytes/index.js';
import type { AnswerReader, ReaderPort } from './answer-reader.js';
import { COMPLETED, verdict, type AnswerCount, type Verdict } from './attempt-end.js';
import { inBandVerdict } from './refusal.js';

/** A shorter answer is held until it is whole, so that a head that dies over it is replaced unseen. */
const HELD_BYTES = 64 * 1024;
/** A longer answer is relayed, but no longer read for its usage. */
const MOST_READ_BYTES = 16 * 1024 * 1024;

/** A JSON answer. */
export class WholeReader implements AnswerReader {
  /** A JSON answer has no events: once begun, only a broken connection tells that it isn't whole. */
  readonly isMidEvent = true;
  readonly sawToolCall = false;
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
    const facts = this.length > MOST_READ_BYTES ? null : readAnswer(wholeOf(this.chunks));
    this.usage = facts?.usage ?? null;
    const ending = this.endingOf(facts);
    if (ending.outcome === 'completed') this.port.commit(this.length);
    this.port.finish(ending, this.chunks.slice(this.given));
  }

  broken(ending: Verdict): void {
    this.port.finish(ending);
  }

  /** @param facts null where the answer was too long to be read */
  private endingOf(facts: AnswerFacts | null): Verdict {
    if (facts === null) return COMPLETED;
    if (facts.error !== null && !facts.hasChoices) return inBandVerdict(this.port, facts.error, this.headers);
    return facts.parsed ? COMPLETED : verdict('failed', { fault: this.garbage() });
  }

  private garbage(): NodeFailedError {
    return new NodeFailedError(
      `The node ${this.port.nodeId} answered with something that is no JSON object.`,
      'node_failed',
    );
  }
}

function wholeOf(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}
