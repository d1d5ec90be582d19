import type { Cancel, Clock } from '../../kernel/index.js';
import type { HeaderMap } from '../request/headers.js';
import type { ClientAnswer } from './client-answer.js';
import { guardTimers } from './guarded-timers.js';

/** One comment line, no event: a parser passes over it, a proxy in between sees that somebody lives. */
const PING = Buffer.from(': ping\n');
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/**
 * Keeps a silent stream alive: whenever the client has had no byte for a period, a comment. The first one begins
 * the answer, though no head has said anything yet; another route may still take over.
 */
export class StreamPinger {
  private readonly clock: Clock;
  private cancel: Cancel | null = null;

  constructor(
    private readonly client: ClientAnswer,
    clock: Clock,
    private readonly periodMs: number,
    /** The answer's headers as known when they go out. */
    private readonly headers: () => HeaderMap,
  ) {
    this.clock = guardTimers(clock, (fault) => client.fail(fault));
  }

  /** Counts from now, when a head is asked. */
  start(): void {
    if (this.periodMs === 0 || this.cancel !== null) return;
    this.client.touched();
    this.lookIn(this.periodMs);
  }

  /** No head is asked for now. A stream that has begun is kept alive all the same. */
  pause(): void {
    if (!this.client.begun) this.stop();
  }

  stop(): void {
    this.cancel?.();
    this.cancel = null;
  }

  private lookIn(delayMs: number): void {
    this.cancel = this.clock.after(Math.max(1, delayMs), () => {
      const silentMs = this.clock.now() - this.client.lastByteAt;
      if (silentMs >= this.periodMs) this.ping();
      this.lookIn(silentMs >= this.periodMs ? this.periodMs : this.periodMs - silentMs);
    });
  }

  private ping(): void {
    if (!this.client.begun) this.client.beginStream({ ...STREAM_HEADERS, ...this.headers() });
    this.client.ping(PING);
  }
}
