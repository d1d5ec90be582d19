import type { Deadline, Deadlines } from '../../kernel/index.js';
import type { HeaderMap } from '../request/headers.js';
import type { ClientAnswer } from './client-answer.js';

/** One comment line, no event: a parser passes over it, a proxy in between sees that somebody lives. */
const PING = Buffer.from(': ping\n');
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/**
 * Keeps a silent stream alive: whenever the client has had no byte for a period, a comment. The first one begins
 * the answer, though no head has said anything yet; another route may still take over.
 */
export class StreamPinger implements Deadline {
  place = -1;

  constructor(
    private readonly client: ClientAnswer,
    private readonly deadlines: Deadlines,
    private readonly periodMs: number,
    /** The answer's headers as known when they go out. */
    private readonly headers: () => HeaderMap,
  ) {}

  /** Counts from now, when a head is asked. */
  start(): void {
    if (this.periodMs === 0 || this.place >= 0) return;
    this.client.touched();
    this.deadlines.add(this);
  }

  /** No head is asked for now. A stream that has begun is kept alive all the same. */
  pause(): void {
    if (!this.client.begun) this.stop();
  }

  stop(): void {
    this.deadlines.delete(this);
  }

  get dueAt(): number {
    return this.client.lastByteAt + this.periodMs;
  }

  onDue(): void {
    if (!this.client.begun) this.client.beginStream({ ...STREAM_HEADERS, ...this.headers() });
    this.client.ping(PING);
  }

  onFault(fault: unknown): void {
    this.stop();
    this.client.fail(fault);
  }
}
