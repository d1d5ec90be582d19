import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { NodeTimeoutError } from '../../kernel/index.js';
import { NodeFailedError, type Clock } from '../../kernel/index.js';
import { toHttpFault } from '../../http/index.js';
import type { HeaderMap } from '../request/headers.js';
import { HeadRequest, type HeadCall, type HeadSink } from '../upstream/head-request.js';
import type { AnswerReader, ReaderPort } from './answer-reader.js';
import { NO_COUNT, type AttemptEnd, type Verdict } from './attempt-end.js';
import type { ClientAnswer, ClientWatcher } from './client-answer.js';
import { errorEvent } from './in-band-answer.js';
import { RefusalReader } from './refusal-reader.js';
import { StreamReader } from './stream-reader.js';
import { Watchdog, type CallLimits, type TimeoutKind } from './watchdog.js';
import { WholeReader } from './whole-reader.js';

export interface AttemptInput {
  readonly pool: Dispatcher;
  readonly call: HeadCall;
  readonly client: ClientAnswer;
  readonly clock: Clock;
  readonly limits: CallLimits;
  /** The client must not see the usage chunk of a stream. */
  readonly stripUsage: boolean;
  /** What the client's answer begins with, given the head's headers. */
  readonly clientHeaders: (head: IncomingHttpHeaders) => HeaderMap;
  /** What a timeout is told as. */
  readonly timeoutFault: (kind: TimeoutKind | 'connect', afterMs: number) => NodeTimeoutError;
  /** Any bytes of the head came. */
  readonly onSign: () => void;
  /** A data event of a stream came. */
  readonly onHeard: (hasContent: boolean) => void;
  /** The attempt is over. Called once, before the client's last byte. */
  readonly onSettled: (end: AttemptEnd) => void;
}

/** What undici says when the connect timeout of its pool is over. */
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

/**
 * One request to the head of one route, from sending it until the client has its last byte or another route may
 * try. Whatever happens, `onSettled` is called exactly once and the returned promise resolves.
 */
export class Attempt implements HeadSink, ClientWatcher, ReaderPort {
  private readonly head = new HeadRequest(this);
  private readonly watchdog: Watchdog;
  private readonly startedAt: number;
  private readonly heldUpBefore: number;
  private reader: AnswerReader | null = null;
  private headStatus: number | null = null;
  private headHeaders: IncomingHttpHeaders = {};
  private committed = false;
  private wasSent = true;
  private over = false;
  private resolve: (end: AttemptEnd) => void = () => undefined;

  constructor(private readonly input: AttemptInput) {
    const { clock, limits, client } = input;
    this.startedAt = clock.now();
    this.heldUpBefore = client.heldUpMs;
    this.watchdog = new Watchdog(clock, limits, (kind, afterMs) => this.timedOut(kind, afterMs));
  }

  async run(): Promise<AttemptEnd> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.input.client.watch(this);
      if (this.input.client.left) this.onLeft();
      else this.head.send(this.input.pool, this.input.call);
    });
  }

  onStart(status: number, headers: IncomingHttpHeaders): void {
    this.headStatus = status;
    this.headHeaders = headers;
    this.input.onSign();
    if (status < 200 || status > 299) this.reader = new RefusalReader(this, status, headers);
    else if (isEventStream(headers)) this.reader = new StreamReader(this, headers, this.input.stripUsage);
    else this.reader = new WholeReader(this, headers);
  }

  onChunk(chunk: Buffer): void {
    this.input.onSign();
    this.reader?.chunk(chunk);
  }

  onEnd(): void {
    this.reader?.end();
  }

  onFault(fault: Error, sent: boolean): void {
    this.wasSent = sent;
    this.breakWith(this.faultOf(codeOf(fault)));
  }

  onLeft(): void {
    this.settle({ outcome: 'client_left', answer: null, fault: null, failedNodeId: null });
    this.head.destroy();
  }

  onDrain(): void {
    this.watchdog.resume();
    this.head.resume();
  }

  get isCommitted(): boolean {
    return this.committed;
  }

  commit(length?: number): void {
    if (this.committed || this.over) return;
    this.committed = true;
    const headers = this.input.clientHeaders(this.headHeaders);
    if (length !== undefined) headers['content-length'] = String(length);
    this.input.client.begin(this.headStatus ?? 200, headers);
  }

  write(bytes: readonly Buffer[]): void {
    if (this.over || this.input.client.write(bytes)) return;
    this.watchdog.suspend();
    this.head.pause();
  }

  heard(hasContent: boolean): void {
    if (this.over) return;
    this.watchdog.heard();
    this.input.onHeard(hasContent);
  }

  finish(verdict: Verdict, lastBytes: readonly Buffer[] = []): void {
    if (this.over) return;
    this.settle(verdict);
    if (verdict.outcome === 'completed') this.head.release(this.input.clock);
    else this.head.destroy();
    if (this.committed) this.endClient(verdict, lastBytes);
  }

  /** A begun stream that failed ends with an error event, a begun JSON answer with a broken connection. */
  private endClient(verdict: Verdict, lastBytes: readonly Buffer[]): void {
    const { client } = this.input;
    if (verdict.fault === null) client.end(lastBytes);
    else if (isEventStream(this.headHeaders)) client.end([...lastBytes, faultEvent(verdict.fault)]);
    else client.break();
  }

  private faultOf(code: string): NodeFailedError | NodeTimeoutError {
    const { clock, timeoutFault } = this.input;
    if (code === CONNECT_TIMEOUT) return timeoutFault('connect', clock.now() - this.startedAt);
    return this.wasSent
      ? new NodeFailedError(`The connection to the node broke: ${code}.`, 'node_failed')
      : new NodeFailedError(`The node could not be reached: ${code}.`, 'node_unreachable');
  }

  private timedOut(kind: TimeoutKind, afterMs: number): void {
    this.breakWith(this.input.timeoutFault(kind, afterMs));
  }

  private breakWith(fault: NodeFailedError | NodeTimeoutError): void {
    const verdict: Verdict = { outcome: 'failed', answer: null, fault, failedNodeId: null };
    if (this.reader === null) this.finish(verdict);
    else this.reader.broken(verdict);
  }

  private settle(verdict: Verdict | (Omit<Verdict, 'outcome'> & { outcome: 'client_left' })): void {
    if (this.over) return;
    this.over = true;
    this.watchdog.stop();
    this.input.client.watch(null);
    const { clock, client } = this.input;
    const end: AttemptEnd = {
      ...(this.reader?.count ?? NO_COUNT),
      ...verdict,
      headStatus: this.headStatus,
      isCommitted: this.committed,
      wasSent: this.wasSent,
      elapsedMs: clock.now() - this.startedAt,
      heldUpMs: client.heldUpMs - this.heldUpBefore,
    };
    this.input.onSettled(end);
    this.resolve(end);
  }
}

function isEventStream(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && /^text\/event-stream\b/i.test(type);
}

function faultEvent(fault: NodeFailedError | NodeTimeoutError): Buffer {
  return errorEvent(Buffer.from(JSON.stringify(toHttpFault(fault).body)));
}

/** A library's code such as ECONNREFUSED; its message may hold addresses. */
function codeOf(fault: Error): string {
  return 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name;
}
