import type { CloseWatcher, LaneResponse } from '../../http/index.js';
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
export class ClientAnswer implements CloseWatcher {
  private watcher: ClientWatcher | null = null;
  private heldSince: number | null = null;
  private heldMs = 0;
  private isLeft = false;
  private isMidEvent = false;
  /** Most clients are never behind. */
  private isDrainHeard = false;
  private lastWriteAt = 0;

  constructor(
    private readonly response: LaneResponse,
    private readonly clock: Clock,
  ) {
    response.watchClose(this);
  }

  onClosed(): void {
    if (this.response.writableFinished) return;
    this.isLeft = true;
    this.watcher?.onLeft();
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
    if (this.isLeft) return;
    this.response.begin(status, headers, this.clock.wallMs());
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
    if (!this.isLeft && !this.isMidEvent && this.heldSince === null) this.put([comment]);
  }

  /** @returns false when the client has to read first; `onDrain` follows */
  write(bytes: readonly Buffer[]): boolean {
    if (this.isLeft) return true;
    this.touched();
    const flows = this.put(bytes);
    if (!flows) this.hold();
    return flows;
  }

  end(bytes: readonly Buffer[] = []): void {
    if (this.isLeft) return;
    const length = lengthOf(bytes);
    if (length > MOST_AS_TEXT) {
      this.put(bytes);
      this.response.endWith(this.response.isChunked ? LAST_CHUNK : '');
    } else this.endWith(textOf(bytes));
  }

  private endWith(text: string): void {
    const { response } = this;
    if (!response.isChunked) response.endWith(text);
    else response.endWith((text === '' ? '' : chunkOf(text)) + LAST_CHUNK);
  }

  /** Breaks the connection: the one way to say that a begun answer is not whole. */
  break(): void {
    this.response.break();
  }

  /** A fault of the tracker's own ends the call to which this client belongs, and no other. */
  fail(fault: unknown): void {
    if (this.watcher === null) this.break();
    else this.watcher.onFault(fault);
  }

  /** @returns false when the client has to read first */
  private put(bytes: readonly Buffer[]): boolean {
    const length = lengthOf(bytes);
    if (length === 0) return true;
    const { response } = this;
    const { isChunked } = response;
    if (length <= MOST_AS_TEXT) {
      const text = textOf(bytes);
      return response.write(isChunked ? chunkOf(text) : text, 'latin1');
    }
    if (isChunked) response.write(`${length.toString(16)}\r\n`, 'latin1');
    let flows = true;
    // Node gathers a tick's writes by itself; corked, some of its versions never say that the client is behind.
    for (const part of bytes) if (part.length > 0) flows = response.write(part);
    return isChunked ? response.write('\r\n', 'latin1') : flows;
  }

  private hold(): void {
    this.heldSince ??= this.clock.now();
    if (this.isDrainHeard) return;
    this.isDrainHeard = true;
    this.response.onDrain(() => this.drained());
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

/** Node joins text to what it writes before it, headers above all, and bytes not. Beyond so much, copying costs more. */
const MOST_AS_TEXT = 16 * 1024;
const LAST_CHUNK = '0\r\n\r\n';

function chunkOf(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** Each byte as one character, and back when it is written as latin1: nothing is changed by it. */
function textOf(bytes: readonly Buffer[]): string {
  let text = '';
  for (const part of bytes) text += part.toString('latin1');
  return text;
}

function lengthOf(bytes: readonly Buffer[]): number {
  let length = 0;
  for (const part of bytes) length += part.length;
  return length;
}
