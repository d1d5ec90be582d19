import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { HeaderMap } from '../../src/chat-proxy/request/headers.js';

/** What of a server's response the relay uses, without a socket. */
export class FakeResponse extends EventEmitter {
  headersSent = false;
  writableFinished = false;
  /** Its head is always written by {@link writeHead}. */
  readonly shouldKeepAlive = false;
  status: number | null = null;
  headers: HeaderMap = {};
  text = '';
  isDestroyed = false;
  /** Whether the client reads as fast as it is written to. */
  flows = true;

  /** As the code under test takes it. */
  get asServerResponse(): ServerResponse {
    return this as unknown as ServerResponse;
  }

  /** What was set before it began. */
  getHeaderNames(): string[] {
    return [];
  }

  writeHead(status: number, headers: HeaderMap): this {
    this.headersSent = true;
    this.status = status;
    this.headers = headers;
    return this;
  }

  write(part: Buffer | string): boolean {
    this.text += (typeof part === 'string' ? Buffer.from(part, 'latin1') : part).toString();
    return this.flows;
  }

  end(part: Buffer | string = ''): void {
    this.write(part);
    this.writableFinished = true;
  }

  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }

  /** The client has read what it was behind with. */
  drains(): void {
    this.flows = true;
    this.emit('drain');
  }

  /** The client hangs up. */
  leaves(): void {
    this.emit('close');
  }
}
