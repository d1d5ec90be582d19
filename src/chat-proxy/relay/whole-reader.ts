import type { IncomingHttpHeaders } from 'node:http';
import {
  completenessOf,
  badReasonOf,
  readAnswer,
  type AnswerFacts,
  type Completeness,
} from '../bytes/index.js';
import { brokenOff, noCompletion, noJson } from './no-completion.js';
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
  readonly completeAt = null;
  private readonly chunks: Buffer[] = [];
  private length = 0;
  /** Chunks already given to the client; the last one stays back until the call is settled. */
  private given = 0;
  private facts: AnswerFacts | null = null;

  constructor(
    private readonly port: ReaderPort,
    private readonly headers: IncomingHttpHeaders,
  ) {}

  get count(): AnswerCount {
    const { facts } = this;
    if (facts === null) return { usage: null, contentChunks: 0, model: null, completeness: 'whole' };
    return {
      usage: facts.usage,
      contentChunks: 0,
      model: facts.model,
      completeness: this.completeness(facts),
    };
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
    this.facts = this.length > MOST_READ_BYTES ? null : readAnswer(wholeOf(this.chunks));
    const ending = this.endingOf(this.facts);
    if (ending.outcome === 'completed') this.port.commit(this.length);
    this.port.finish(ending, this.chunks.slice(this.given));
  }

  broken(ending: Verdict): void {
    this.port.finish(ending);
  }

  /** @param facts null where the answer was too long to be read */
  private endingOf(facts: AnswerFacts | null): Verdict {
    if (facts === null) return COMPLETED;
    const { port, headers } = this;
    const completeness = this.completeness(facts);
    // Some gateways put a warning beside a whole answer.
    const isWarning = completeness === 'whole' && !facts.isErrorHidden;
    if (facts.error !== null && !isWarning) return inBandVerdict(port, facts.error, headers);
    if (completeness === 'whole' || completeness === 'no_reason') return COMPLETED;
    if (completeness === 'empty')
      return port.terms.holdsEmpty && !port.isCommitted ? this.withheld() : COMPLETED;
    if (completeness === 'aborted') return brokenOff(port, badReasonOf(facts.choices ?? []) ?? '');
    return facts.parsed ? noCompletion(port, 'JSON without a completion') : noJson(port);
  }

  private completeness({ choices }: AnswerFacts): Completeness {
    return completenessOf(choices, this.port.terms.finishReasons);
  }

  private withheld(): Verdict {
    return verdict('empty', { answer: { status: 200, headers: this.headers, body: wholeOf(this.chunks) } });
  }
}

function wholeOf(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}
