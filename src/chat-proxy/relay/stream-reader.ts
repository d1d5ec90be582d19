import type { IncomingHttpHeaders } from 'node:http';
import { NodeFailedError } from '../../kernel/index.js';
import { SseRelay, type InBandError, type RelayPiece } from '../bytes/index.js';
import type { AnswerReader, ReaderPort } from './answer-reader.js';
import { COMPLETED, verdict, type AnswerCount, type Verdict } from './attempt-end.js';
import { inBandVerdict } from './refusal.js';
import type { ScoutTrial } from './scout-trial.js';

/** Comments before the first event, and what a scout says before it has proven its speed, are held up to this much. */
const HELD_BYTES = 64 * 1024;

/**
 * A stream. Its first data event commits it, or that which ends a scout's trial; an event is given to the client whole
 * or not at all, so that an error event of ours can always follow.
 */
export class StreamReader implements AnswerReader {
  private readonly relay: SseRelay;
  private held: Buffer[] = [];
  private heldLength = 0;
  /** Where in `held` the event begins that isn't whole yet. */
  private wholeUntil = 0;
  /** Something is held, or was, that commits. */
  private hasAnswer = false;
  private hasHeldContent = false;
  private isOver = false;

  /** @param stripUsage usage was asked for on the tracker's behalf: the client must not see its chunk */
  constructor(
    private readonly port: ReaderPort,
    private readonly headers: IncomingHttpHeaders,
    stripUsage: boolean,
    private readonly trial: ScoutTrial | null = null,
  ) {
    this.relay = new SseRelay({ stripUsage });
  }

  get count(): AnswerCount {
    const { usage, contentChunks } = this.relay.tap;
    return { usage, contentChunks };
  }

  get sawToolCall(): boolean {
    return this.relay.tap.sawToolCall;
  }

  chunk(bytes: Buffer): void {
    const isFlowing = this.held.length === 0 && this.port.isCommitted;
    const events = isFlowing ? this.relay.contentIn(bytes) : 0;
    if (events === 0) {
      this.take(this.relay.feed(bytes));
      return;
    }
    for (let event = 0; event < events; event += 1) this.port.heard(true);
    this.port.write([bytes]);
  }

  /** Unfinished events are held, so this is only so within one that is too long for that. */
  get isMidEvent(): boolean {
    return this.relay.midOverflow;
  }

  end(): void {
    this.take(this.relay.end());
    if (this.isOver) return;
    const { sawFinish, firstError } = this.relay.tap;
    if (firstError !== null) this.finish(this.passedOn(firstError), this.held);
    else if (sawFinish) {
      this.show();
      this.finish(COMPLETED, this.held);
    } else this.finish(verdict('cut_off', { fault: this.cutOff() }));
  }

  /** The trial is over: what is held and whole goes to the client. */
  letGo(): void {
    if (!this.hasAnswer || this.isOver) return;
    const begun = this.held.splice(this.wholeUntil);
    const whole = this.release();
    begun.forEach((part) => this.hold(part));
    this.show();
    this.port.write(whole);
  }

  broken(ending: Verdict): void {
    const { firstError } = this.relay.tap;
    this.finish(firstError === null ? ending : this.passedOn(firstError));
  }

  private take(pieces: readonly RelayPiece[]): void {
    const ready: Buffer[] = [];
    for (const { kind, bytes, facts } of pieces) {
      if (facts.error !== null && !this.port.isCommitted) {
        this.finish(inBandVerdict(this.port, facts.error, this.headers));
        return;
      }
      if (kind === 'data' && this.held.length === 0 && this.port.isCommitted) {
        this.port.heard(facts.hasContent);
        if (bytes.length > 0) ready.push(bytes);
        continue;
      }
      this.hold(bytes);
      if (kind === 'done') {
        const { firstError } = this.relay.tap;
        this.show();
        this.finish(firstError === null ? COMPLETED : this.passedOn(firstError), [...ready, ...this.held]);
        return;
      }
      if (kind === 'partial') continue;
      if (kind === 'data' || kind === 'overflow') this.answered(kind, bytes.length > 0, facts.hasContent);
      this.wholeUntil = this.held.length;
      if (this.hasAnswer && !this.isOnTrial()) this.show();
      if (this.port.isCommitted) ready.push(...this.release());
      // Comments without end before the first event: the tracker's own tell the client that somebody lives.
      else if (this.heldLength > HELD_BYTES) this.release();
    }
    if (ready.length > 0) this.port.write(ready);
  }

  private answered(kind: 'data' | 'overflow', isSeen: boolean, hasContent: boolean): void {
    // A usage chunk that is left out reaches nobody.
    if (isSeen) this.hasAnswer = true;
    // Of what is too long to be held, nothing more can be.
    if (kind === 'overflow') this.trial?.close();
    if (hasContent && this.isOnTrial()) this.trial?.heard(Buffer.concat(this.held.slice(this.wholeUntil)));
    this.hasHeldContent = this.isOnTrial() && (this.hasHeldContent || hasContent);
    this.port.heard(hasContent || kind === 'overflow');
  }

  private isOnTrial(): boolean {
    if (this.hasAnswer && this.heldLength > HELD_BYTES) this.trial?.close();
    return this.trial?.isOpen === true;
  }

  /** From now on the client sees what comes; a token that it had to wait for comes now. */
  private show(): void {
    this.trial?.close();
    if (this.hasHeldContent) this.port.heard(true);
    this.hasHeldContent = false;
    this.port.commit();
  }

  /** The head told the client itself, within the stream. */
  private passedOn(error: InBandError): Verdict {
    const { outcome } = inBandVerdict(this.port, error, this.headers);
    return verdict(outcome, { failedNodeId: error.nodeId });
  }

  private cutOff(): NodeFailedError {
    const message = `The node ${this.port.nodeId} ended its answer before it was complete.`;
    return new NodeFailedError(message, 'answer_cut_off');
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
    this.wholeUntil = 0;
    return released;
  }

  private finish(ending: Verdict, lastBytes: readonly Buffer[] = []): void {
    if (this.isOver) return;
    this.isOver = true;
    this.port.finish(ending, lastBytes);
  }
}
