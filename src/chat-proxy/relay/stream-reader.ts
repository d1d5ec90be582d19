import type { IncomingHttpHeaders } from 'node:http';
import {
  badReasonOf,
  SseRelay,
  type Completeness,
  type InBandError,
  type RelayPiece,
} from '../bytes/index.js';
import type { AnswerReader, ReaderPort } from './answer-reader.js';
import { COMPLETED, verdict, type AnswerCount, type Verdict } from './attempt-end.js';
import { EventHold } from './event-hold.js';
import { brokenOff, brokenOffInside, cutOff, noCompletion } from './no-completion.js';
import { inBandEvent, inBandVerdict } from './refusal.js';
import type { ScoutTrial } from './scout-trial.js';

/** A stream whose route is on trial or doubted is held up to this much; so are comments before the first event. */
const HELD_BYTES = 64 * 1024;
/** Events without content are held up to this much: some engines send a prompt's tokens back before the answer. */
const MOST_HELD_BYTES = 256 * 1024;
const DONE = Buffer.from('data: [DONE]\n\n');

/**
 * A stream. Its first event with content or with a finish reason commits it, or that which ends a scout's trial. An
 * event is given to the client whole or not at all, so that an error event of ours can always follow.
 */
export class StreamReader implements AnswerReader {
  completeAt: number | null = null;
  private readonly relay: SseRelay;
  private readonly hold = new EventHold();
  /** Something is held, or was, that commits. */
  private hasAnswer = false;
  private hasHeldContent = false;
  private isOver = false;
  private heardAt = 0;

  constructor(
    private readonly port: ReaderPort,
    private readonly headers: IncomingHttpHeaders,
    private readonly trial: ScoutTrial | null = null,
  ) {
    const { stripUsage, isUsageOurs } = port.terms;
    this.relay = new SseRelay({ stripUsage, isUsageOurs });
  }

  get count(): AnswerCount {
    const { usage, contentChunks, model } = this.relay.tap;
    return { usage, contentChunks, model, completeness: this.completeness };
  }

  get sawToolCall(): boolean {
    return this.relay.tap.sawToolCall;
  }

  /** Unfinished events are held, so this is only so within one that is too long for that. */
  get isMidEvent(): boolean {
    return this.relay.midOverflow;
  }

  chunk(bytes: Buffer): void {
    const isFlowing = this.hold.isEmpty && this.port.isCommitted;
    const events = isFlowing ? this.relay.contentIn(bytes) : 0;
    if (events === 0) {
      this.take(this.relay.feed(bytes));
      return;
    }
    for (let event = 0; event < events; event += 1) this.port.heard(true);
    this.heardAt = this.port.readAt;
    this.port.write([bytes]);
  }

  end(): void {
    this.take(this.relay.end());
    if (this.isOver) return;
    const { firstError } = this.relay.tap;
    if (firstError !== null) this.finish(this.passedOn(firstError), this.hold.release());
    else if (this.isWhole) this.finishWhole([]);
    else this.finish(cutOff(this.port));
  }

  /** The trial is over: what is held and whole goes to the client. */
  letGo(): void {
    if (!this.hasAnswer || this.isOver || this.isHeld()) return;
    const whole = this.hold.releaseWhole();
    this.show();
    this.port.write(whole);
  }

  /** A whole answer stays one when its connection breaks, or its end does not come: the tracker writes the end. */
  broken(ending: Verdict): void {
    const { firstError } = this.relay.tap;
    if (firstError !== null) this.finish(this.passedOn(firstError));
    else if (ending.outcome !== 'client_left' && this.mayEndWell) {
      this.hold.dropUnfinished();
      this.completeAt = this.heardAt === 0 ? null : this.heardAt;
      this.finishWhole([DONE]);
    } else this.finish(ending);
  }

  /** Within an event that is too long to be held, nothing of ours can follow. */
  private get mayEndWell(): boolean {
    return this.relay.tap.choices.areEnded && this.isWhole && !this.isMidEvent;
  }

  private take(pieces: readonly RelayPiece[]): void {
    const ready: Buffer[] = [];
    for (const piece of pieces) {
      if (piece.facts.error !== null && this.failedWith(piece, ready)) return;
      if (piece.facts.finished && this.isAborted(piece, ready)) return;
      if (piece.kind === 'data' && this.hold.isEmpty && this.port.isCommitted) {
        this.heard(piece.facts.hasContent);
        if (piece.bytes.length > 0) ready.push(piece.bytes);
      } else if (piece.kind === 'done') {
        this.done(piece.bytes, ready);
        return;
      } else this.takeHeld(piece, ready);
    }
    if (ready.length > 0) this.port.write(ready);
    this.lookForEnd();
  }

  /** @returns whether the attempt is over */
  private failedWith({ facts: { error, isErrorHidden } }: RelayPiece, ready: readonly Buffer[]): boolean {
    if (error === null) return false;
    if (!this.port.isCommitted) {
      this.finish(inBandVerdict(this.port, error, this.headers));
      return true;
    }
    // A client would pass over this error, or take it for a chunk: it gets the error in the shape that it knows.
    if (isErrorHidden)
      this.finish(this.passedOn(error), [...ready, ...this.hold.releaseWhole(), inBandEvent(error)]);
    return isErrorHidden;
  }

  private takeHeld({ kind, bytes, facts }: RelayPiece, ready: Buffer[]): void {
    this.hold.add(bytes);
    if (kind === 'partial') return;
    if (kind === 'comment') this.hold.eventEnded(HELD_BYTES);
    else {
      this.answered(kind === 'overflow', bytes.length > 0, facts.hasContent, facts.finished);
      this.hold.eventEnded();
    }
    if (this.hold.length > MOST_HELD_BYTES) this.hasAnswer = true;
    if (this.hasAnswer && !this.isHeld()) this.show();
    if (this.port.isCommitted) ready.push(...this.hold.release());
  }

  private answered(isOverflow: boolean, isSeen: boolean, hasContent: boolean, isFinished: boolean): void {
    // A usage chunk that is left out reaches no client.
    const isAnswer = hasContent || isOverflow || (isFinished && !this.port.terms.holdsEmpty);
    if (isSeen && isAnswer) this.hasAnswer = true;
    // Of what is too long to be held, nothing more can be.
    if (isOverflow) this.trial?.close();
    if (hasContent && this.isOnTrial()) this.trial?.heard(this.hold.lastEvent());
    this.hasHeldContent = this.isHeld() && (this.hasHeldContent || hasContent);
    if (this.hasAnswer) this.heard(hasContent || isOverflow);
  }

  private done(bytes: Buffer, ready: readonly Buffer[]): void {
    this.hold.add(bytes);
    const { firstError, choices } = this.relay.tap;
    if (firstError !== null) this.finish(this.passedOn(firstError), [...ready, ...this.hold.release()]);
    else if (this.isWhole) this.finishWhole([], ready);
    else if (this.port.isCommitted || choices.haveBegun) this.finish(cutOff(this.port), ready);
    else this.finish(noCompletion(this.port, 'a stream without a completion'));
  }

  /** Each choice that has begun has ended well: what follows is for the client, or was not sent at all. */
  private get isWhole(): boolean {
    return this.completeness === 'whole' || this.completeness === 'empty';
  }

  private get completeness(): Completeness {
    return this.relay.tap.choices.completeness(this.port.terms.finishReasons);
  }

  private finishWhole(end: readonly Buffer[], ready: readonly Buffer[] = []): void {
    const held = [...this.hold.release(), ...end];
    if (this.completeness === 'empty' && this.port.terms.holdsEmpty && !this.port.isCommitted) {
      const answer = { status: 200, headers: this.headers, body: Buffer.concat(held) };
      this.finish(verdict('empty', { answer }));
      return;
    }
    this.show();
    this.finish(COMPLETED, [...ready, ...held]);
  }

  /** @returns whether the event says that its choice was broken off, which ends the attempt */
  private isAborted({ bytes, facts }: RelayPiece, ready: readonly Buffer[]): boolean {
    const reason = badReasonOf(facts.choices);
    if (reason === null) return false;
    if (!this.port.isCommitted) this.finish(brokenOff(this.port, reason));
    else this.finish(brokenOffInside(this.port, reason), [...ready, ...this.hold.release(), bytes]);
    return true;
  }

  /** A client that has all it asked for, or an error, need not wait for a connection that stays open. */
  private lookForEnd(): void {
    if (this.isOver) return;
    const { choices, firstError } = this.relay.tap;
    const isEnded = choices.areEnded && choices.endedCount >= this.port.terms.choices;
    if (isEnded || firstError !== null) this.port.ending();
  }

  private heard(hasContent: boolean): void {
    this.heardAt = this.port.readAt;
    this.port.heard(hasContent);
  }

  /** What comes is not for the client yet. */
  private isHeld(): boolean {
    return (
      this.isOnTrial() ||
      (this.port.terms.holdsWhole && !this.port.isCommitted && this.hold.length <= HELD_BYTES)
    );
  }

  private isOnTrial(): boolean {
    if (this.hasAnswer && this.hold.length > HELD_BYTES) this.trial?.close();
    return this.trial?.isOpen === true;
  }

  /** From now on the client sees what comes; a token that it had to wait for comes now. */
  private show(): void {
    this.trial?.close();
    if (this.hasHeldContent) this.heard(true);
    this.hasHeldContent = false;
    this.port.commit();
  }

  /** The client has the error itself, within the stream. */
  private passedOn(error: InBandError): Verdict {
    const { outcome } = inBandVerdict(this.port, error, this.headers);
    return verdict(outcome, { failedNodeId: error.nodeId });
  }

  private finish(ending: Verdict, lastBytes: readonly Buffer[] = []): void {
    if (this.isOver) return;
    this.isOver = true;
    this.port.finish(ending, lastBytes);
  }
}
