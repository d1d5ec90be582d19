import type { ServerResponse } from 'node:http';
import type { Clock } from '../../kernel/index.js';
import type { HeaderMap } from '../request/headers.js';

/** What the present attempt wants to know of the client. */
export interface ClientWatcher {
  /** The client left before its answer was complete. */
  onLeft(): void;
  /** The client has read what held the relay up. */
  onDrain(): void;
  /** The client's stream was begun for the sake of a ping: from now on nothing but a stream can follow. */
  onStreamBegun?(): void;
  /** The tracker itself failed while it looked after the client. */
  onFault(fault: unknown): void;
}

/** The client's side of a call: says when it leaves, and for how long its reading holds the relay up. */
export class ClientAnswer {
  private watcher: ClientWatcher | null = null;
  private heldSince: number | null = null;
  private heldMs = 0;
  private isLeft = false;
  private isMidEvent = false;
  private lastWriteAt = 0;

  constructor(
    private readonly response: ServerResponse,
    private readonly clock: Clock,
  ) {
    response.on('close', () => {
      if (response.writableFinished) return;
      this.isLeft = true;
      this.watcher?.onLeft();
    });
    response.on('drain', () => this.drained());
    // A broken pipe is a client that left; `close` tells.
    response.on('error', () => undefined);
  }

  /** One watcher at a time: that of the attempt under way. */
  watch(watcher: ClientWatcher | null): void {
    this.watcher = watcher;
  }

  get left(): boolean {
    return this.isLeft;
  }

  get begun(): boolean {
    return this.response.headersSent;
  }

  /** How long the client's reading has held the relay up so far, in ms. */
  get heldUpMs(): number {
    return this.heldMs + (this.heldSince === null ? 0 : this.clock.now() - this.heldSince);
  }

  begin(status: number, headers: HeaderMap): void {
    if (!this.isLeft) this.response.writeHead(status, headers);
  }

  /** Begins a stream of which no head has said anything yet. */
  beginStream(headers: HeaderMap): void {
    this.begin(200, headers);
    this.watcher?.onStreamBegun?.();
  }

  /** When the client was last given a byte, in monotonic ms. */
  get lastByteAt(): number {
    return this.lastWriteAt;
  }

  /** From now on silence counts. */
  touched(): void {
    this.lastWriteAt = this.clock.now();
  }

  /** The bytes so far end within an event that is still coming: nothing else may be written. */
  midEvent(isMidEvent: boolean): void {
    this.isMidEvent = isMidEvent;
  }

  /** A sign of life, unless it would fall into an event or on bytes that the client hasn't read yet. */
  ping(comment: Buffer): void {
    this.touched();
    if (!this.isLeft && !this.isMidEvent && this.heldSince === null) this.response.write(comment);
  }

  /** @returns false when the client has to read first; `onDrain` follows */
  write(bytes: readonly Buffer[]): boolean {
    if (this.isLeft) return true;
    let flows = true;
    this.touched();
    // Node gathers a tick's writes by itself; corked, some of its versions never say that the client is behind.
    for (const part of bytes) if (part.length > 0) flows = this.response.write(part);
    if (!flows) this.heldSince ??= this.clock.now();
    return flows;
  }

  end(bytes: readonly Buffer[] = []): void {
    if (this.isLeft) return;
    for (const part of bytes) if (part.length > 0) this.response.write(part);
    this.response.end();
  }

  /** Breaks the connection: the one way to say that a begun answer is not whole. */
  break(): void {
    this.response.destroy();
  }

  /** A fault of the tracker's own ends the call to which this client belongs, and no other. */
  fail(fault: unknown): void {
    if (this.watcher === null) this.break();
    else this.watcher.onFault(fault);
  }

  private drained(): void {
    try {
      this.heldMs = this.heldUpMs;
      this.heldSince = null;
      this.watcher?.onDrain();
    } catch (fault) {
      this.fail(fault);
    }
  }
}
