import type { AnswerHeaders, CloseWatcher, LaneResponse } from '../../src/http/index.js';

/** What of a server's response the relay uses, without a socket. */
export class FakeResponse implements LaneResponse {
  headersSent = false;
  writableFinished = false;
  readonly isChunked = false;
  status: number | null = null;
  headers: AnswerHeaders = {};
  text = '';
  isDestroyed = false;
  /** Whether the client reads as fast as it is written to. */
  flows = true;
  private watcher: CloseWatcher | null = null;
  private readonly closeListeners: (() => void)[] = [];
  private drainListener: () => void = () => undefined;

  setHeader(name: string, value: string): void {
    this.headers = { ...this.headers, [name]: value };
  }

  watchClose(watcher: CloseWatcher): void {
    this.watcher = watcher;
  }

  onceClosed(listener: () => void): void {
    this.closeListeners.push(listener);
  }

  onDrain(listener: () => void): void {
    this.drainListener = listener;
  }

  begin(status: number, headers: AnswerHeaders): void {
    this.headersSent = true;
    this.status = status;
    this.headers = headers;
  }

  write(part: Buffer | string): boolean {
    this.text += (typeof part === 'string' ? Buffer.from(part, 'latin1') : part).toString();
    return this.flows;
  }

  endWith(text: string): void {
    this.write(text);
    this.writableFinished = true;
  }

  break(): void {
    this.isDestroyed = true;
    this.leaves();
  }

  /** The client has read what it was behind with. */
  drains(): void {
    this.flows = true;
    this.drainListener();
  }

  /** The client hangs up. */
  leaves(): void {
    this.watcher?.onClosed();
    this.closeListeners.forEach((listener) => listener());
  }
}
