import type { IncomingHttpHeaders } from 'node:http';
import type { NodeTimeoutError } from '../../kernel/index.js';
import { NodeFailedError, type Deadlines } from '../../kernel/index.js';
import type { HeaderMap } from '../request/headers.js';
import { isConnectTimeout, verdictOnFault } from './connection-fault.js';
import type { HeadPool } from '../upstream/head-pool.js';
import { HeadRequest, type HeadCall, type HeadSink } from '../upstream/head-request.js';
import type { AnswerReader, ReaderPort, ReadTerms } from './answer-reader.js';
import { CLIENT_LEFT, NO_COUNT, verdict, type AttemptEnd, type Verdict } from './attempt-end.js';
import type { ClientAnswer, ClientWatcher } from './client-answer.js';
import { faultEvent } from './fault-event.js';
import { isEventStream } from './refusal.js';
import { RefusalReader } from './refusal-reader.js';
import { ScoutTrial, type OnTrial, type TrialTerms } from './scout-trial.js';
import { StreamReader } from './stream-reader.js';
import { Watchdog, type CallLimits, type TimeoutKind, type Watched } from './watchdog.js';
import { WholeReader } from './whole-reader.js';

/** Whose attempt it is: what is to be sent under which terms, and who is told of it. */
export interface AttemptOwner {
  /** The route's head, for messages. */
  readonly nodeId: string;
  readonly asked: HeadCall;
  readonly limits: CallLimits;
  readonly terms: ReadTerms;
  /** What the head has to prove before the client sees anything of a stream; null: nothing. */
  readonly trial: TrialTerms | null;
  /** Whether a text stands in the client's request and is not the model's name. */
  isClients(text: string): boolean;
  /** What the client's answer begins with, given the head's headers. */
  clientHeaders(head: IncomingHttpHeaders): HeaderMap;
  /** What a timeout is told as. */
  timeoutFault(kind: TimeoutKind, afterMs: number): NodeTimeoutError;
  /** Any bytes of the head came. */
  onSign(now: number): void;
  /**
   * A data event of a stream came; unless it is shown, its client has to wait for it. When that is over, one more with content
   * is told of for those that were held.
   */
  onHeard(now: number, hasContent: boolean, isShown: boolean): void;
  /** The head has been silent for longer than {@link CallLimits.silentMs}. Called at most once. */
  onSilent(): void;
  /** The attempt is over. Called once, before the client's last byte. */
  onSettled(end: AttemptEnd): void;
  /** All is done that was to be done for the client. Must not throw; exactly one of this and {@link onFailed} comes last, once. */
  onEnded(end: AttemptEnd): void;
  /** The tracker itself threw. Must not throw. */
  onFailed(fault: unknown): void;
}

/**
 * One request to the head of one route, from sending it until the client has its last byte or another route may
 * try. Whatever head and client do, `onSettled` is called exactly once, and then `onEnded`. What the tracker
 * itself throws, in whichever callback, closes the head's connection and is told to `onFailed` instead.
 *
 * Callbacks, no promise: most chats are one attempt, and on their way each promise costs more than what it waits for.
 */
export class Attempt implements HeadSink, ClientWatcher, ReaderPort, Watched, OnTrial {
  private readonly head: HeadRequest;
  private readonly watchdog: Watchdog;
  private readonly trial: ScoutTrial | null;
  private readonly startedAt: number;
  private readonly heldUpBefore: number;
  private reader: AnswerReader | null = null;
  private headStatus: number | null = null;
  private headHeaders: IncomingHttpHeaders = NO_HEADERS;
  private committed = false;
  private isBroken = false;
  private over = false;
  private isTold = false;
  /** When what is being read came: the clock is asked once for all that it tells. */
  readAt: number;

  constructor(
    private readonly owner: AttemptOwner,
    private readonly client: ClientAnswer,
    private readonly deadlines: Deadlines,
  ) {
    const { limits, trial } = owner;
    const now = deadlines.now();
    this.startedAt = now;
    this.readAt = now;
    this.heldUpBefore = client.heldUpMs;
    this.head = new HeadRequest(this, deadlines);
    this.watchdog = new Watchdog(deadlines, limits, this, now);
    this.trial = trial === null ? null : new ScoutTrial(deadlines, trial, this);
  }

  run(pool: HeadPool): void {
    try {
      this.client.watch(this);
      if (this.client.left) this.onLeft();
      else this.head.send(pool, this.owner.asked);
    } catch (fault) {
      this.onFault(fault);
    }
  }

  get contentChunks(): number {
    return this.reader?.count.contentChunks ?? 0;
  }

  get sawToolCall(): boolean {
    return this.reader?.sawToolCall ?? false;
  }

  get heldUpMs(): number {
    return this.client.heldUpMs - this.heldUpBefore;
  }

  /** The tracker itself failed. */
  onFault(fault: unknown): void {
    this.over = true;
    this.stopWaiting();
    this.client.watch(null);
    this.head.destroy();
    if (this.isTold) return;
    this.isTold = true;
    this.owner.onFailed(fault);
  }

  get nodeId(): string {
    return this.owner.nodeId;
  }

  get path(): string {
    return this.owner.asked.path;
  }

  get terms(): ReadTerms {
    return this.owner.terms;
  }

  isClients(text: string): boolean {
    return this.owner.isClients(text);
  }

  onStart(status: number, headers: IncomingHttpHeaders): void {
    try {
      this.started(status, headers);
    } catch (fault) {
      this.onFault(fault);
    }
  }

  onChunk(chunk: Buffer): void {
    try {
      this.readAt = this.deadlines.now();
      this.owner.onSign(this.readAt);
      this.reader?.chunk(chunk);
    } catch (fault) {
      this.onFault(fault);
    }
  }

  onEnd(): void {
    try {
      this.readAt = this.deadlines.now();
      this.reader?.end();
    } catch (fault) {
      this.onFault(fault);
    }
  }

  onBroken(fault: Error, sent: boolean): void {
    this.guarded(() => {
      this.isBroken = true;
      if (isConnectTimeout(fault)) this.timedOut('connect', this.deadlines.now() - this.startedAt);
      else this.breakWith(verdictOnFault(fault, sent, this.nodeId));
    });
  }

  onLeft(): void {
    this.guarded(() => this.finish(CLIENT_LEFT));
  }

  onStreamBegun(): void {
    if (this.reader instanceof WholeReader) this.guarded(() => this.breakWith(this.noStream()));
  }

  onDrain(): void {
    this.watchdog.resume();
    this.head.resume();
  }

  private started(status: number, headers: IncomingHttpHeaders): void {
    this.headStatus = status;
    this.headHeaders = headers;
    this.readAt = this.deadlines.now();
    this.owner.onSign(this.readAt);
    if (status < 200 || status > 299) this.reader = new RefusalReader(this, status, headers);
    else if (isEncoded(headers)) this.breakWith(this.unfit('encoded its answer, though asked not to'));
    else if (isEventStream(headers)) this.reader = new StreamReader(this, headers, this.trial);
    else if (this.client.begun) this.breakWith(this.noStream());
    else this.reader = new WholeReader(this, headers);
    // Whatever else it answers is held until it is whole anyway.
    if (!(this.reader instanceof StreamReader)) this.trial?.close();
  }

  get isCommitted(): boolean {
    return this.committed;
  }

  commit(length?: number): void {
    if (this.committed || this.over) return;
    this.committed = true;
    const { client } = this;
    // A ping may have begun the stream already.
    if (client.begun) return;
    const headers = this.owner.clientHeaders(this.headHeaders);
    if (length !== undefined) headers['content-length'] = String(length);
    // Whichever 2xx the head chose: some clients accept no other.
    client.begin(200, headers);
  }

  write(bytes: readonly Buffer[]): void {
    if (this.over) return;
    this.client.midEvent(this.reader?.isMidEvent ?? false);
    if (this.client.write(bytes)) return;
    this.watchdog.suspend();
    this.head.pause();
  }

  heard(hasContent: boolean): void {
    if (this.over) return;
    const now = this.readAt;
    this.watchdog.heard(now);
    this.owner.onHeard(now, hasContent, this.trial?.isOpen !== true);
  }

  ending(): void {
    if (!this.over) this.watchdog.ending(this.readAt);
  }

  silent(): void {
    this.owner.onSilent();
  }

  finish(ending: Verdict, lastBytes: readonly Buffer[] = []): void {
    if (this.over) return;
    const end = this.settle(ending);
    if (ending.outcome === 'completed') this.head.release();
    else this.head.destroy();
    if (this.committed) this.endClient(ending, lastBytes);
    this.isTold = true;
    this.owner.onEnded(end);
  }

  /** A begun stream that failed ends with an error event, a begun JSON answer with a broken connection. */
  private endClient({ fault }: Verdict, lastBytes: readonly Buffer[]): void {
    const { client } = this;
    if (fault === null) client.end(lastBytes);
    else if (this.reader?.isMidEvent === true) client.break();
    else client.end([...lastBytes, faultEvent(fault)]);
  }

  timedOut(kind: TimeoutKind, afterMs: number): void {
    this.breakWith(verdict('timed_out', { fault: this.owner.timeoutFault(kind, afterMs), timeout: kind }));
  }

  onTrialOver(): void {
    if (!(this.reader instanceof StreamReader)) return;
    this.readAt = this.deadlines.now();
    this.reader.letGo();
  }

  onTooSlow(): void {
    this.finish(verdict('abandoned'));
  }

  private stopWaiting(): void {
    this.watchdog.stop();
    this.trial?.close();
  }

  private breakWith(ending: Verdict): void {
    if (this.reader === null) this.finish(ending);
    else this.reader.broken(ending);
  }

  private noStream(): Verdict {
    return this.unfit('answered a stream with something else');
  }

  /** What the client can't be given, whatever it says. */
  private unfit(said: string): Verdict {
    return verdict('failed', {
      fault: new NodeFailedError(`The node ${this.nodeId} ${said}.`, 'node_failed'),
    });
  }

  private settle(ending: Verdict): AttemptEnd {
    this.over = true;
    this.stopWaiting();
    const { deadlines, client } = this;
    client.watch(null);
    const { usage, contentChunks, model, completeness } = this.reader?.count ?? NO_COUNT;
    // Spelled out: spreads with more fields behind them make V8 build the object's shape anew each time.
    const { outcome, answer, message, fault, failedNodeId, timeout } = ending;
    const end: AttemptEnd = {
      usage,
      contentChunks,
      model,
      completeness,
      outcome,
      answer,
      message,
      fault,
      failedNodeId,
      timeout,
      headStatus: this.headStatus,
      isBroken: this.isBroken,
      isCommitted: this.committed,
      elapsedMs: (this.reader?.completeAt ?? deadlines.now()) - this.startedAt,
      heldUpMs: this.heldUpMs,
    };
    this.owner.onSettled(end);
    return end;
  }

  private guarded(act: () => void): void {
    try {
      act();
    } catch (fault) {
      this.onFault(fault);
    }
  }
}

const NO_HEADERS: IncomingHttpHeaders = {};

/** Compressed, or said to be. */
function isEncoded(headers: IncomingHttpHeaders): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}
