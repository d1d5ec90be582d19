import type { IncomingHttpHeaders } from 'node:http';
import { NodeFailedError } from '../../kernel/index.js';
import { SseRelay, type RelayPiece } from '../bytes/index.js';
import type { AnswerReader, ReaderPort } from './answer-reader.js';
import { COMPLETED, type AnswerCount, type Verdict } from './attempt-end.js';
import { inBandVerdict } from './in-band-answer.js';

/** Comments before the first event are held, up to this much. */
const HELD_BYTES = 64 * 1024;

/**
 * A stream. Its first data event commits it; an event is given to the client whole or not at all, so that an error
 * event of ours can always follow.
 */
export class StreamReader implements AnswerReader {
  private readonly relay: SseRelay;
  private held: Buffer[] = [];
  private heldLength = 0;
  private isOver = false;

  /** @param stripUsage usage was asked for on the tracker's behalf: the client must not see its chunk */
  constructor(
    private readonly port: ReaderPort,
    private readonly headers: IncomingHttpHeaders,
    stripUsage: boolean,
  ) {
    this.relay = new SseRelay({ stripUsage });
  }

  get count(): AnswerCount {
    const { usage, contentChunks } = this.relay.tap;
    return { usage, contentChunks };
  }

  chunk(bytes: Buffer): void {
    this.take(this.relay.feed(bytes));
  }

  end(): void {
    this.take(this.relay.end());
    if (this.isOver) return;
    const { sawFinish, firstError } = this.relay.tap;
    if (firstError !== null) this.finish(inBandVerdict(firstError, this.headers), this.held);
    else if (sawFinish) this.finish(COMPLETED, this.held);
    else this.finish(CUT_OFF);
  }

  broken(verdict: Verdict): void {
    const { firstError } = this.relay.tap;
    this.finish(firstError === null ? verdict : { ...verdict, failedNodeId: firstError.nodeId });
  }

  private take(pieces: readonly RelayPiece[]): void {
    const ready: Buffer[] = [];
    for (const piece of pieces) {
      if (piece.facts.error !== null && !this.port.isCommitted) {
        this.finish(inBandVerdict(piece.facts.error, this.headers));
        return;
      }
      this.hold(piece.bytes);
      if (piece.kind === 'done') {
        this.port.commit();
        this.finish(this.verdictWhenDone(), [...ready, ...this.held]);
        return;
      }
      if (piece.kind === 'data' || piece.kind === 'overflow') {
        this.port.commit();
        this.port.heard(piece.facts.hasContent || piece.kind === 'overflow');
      }
      if (piece.kind !== 'partial' && (this.port.isCommitted || this.heldLength > HELD_BYTES)) {
        this.port.commit();
        ready.push(...this.release());
      }
    }
    if (ready.length > 0) this.port.write(ready);
  }

  private hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.held.push(bytes);
    this.heldLength += bytes.length;
  }

  private release(): Buffer[] {
    const released = this.held;
    this.held = [];
    this.heldLength = 0;
    return released;
  }

  private verdictWhenDone(): Verdict {
    const { firstError } = this.relay.tap;
    return firstError === null ? COMPLETED : inBandVerdict(firstError, this.headers);
  }

  private finish(verdict: Verdict, lastBytes: readonly Buffer[] = []): void {
    if (this.isOver) return;
    this.isOver = true;
    this.port.finish(verdict, lastBytes);
  }
}

const CUT_OFF: Verdict = {
  outcome: 'cut_off',
  answer: null,
  fault: new NodeFailedError('The node ended its answer before it was complete.', 'answer_cut_off'),
  failedNodeId: null,
};
