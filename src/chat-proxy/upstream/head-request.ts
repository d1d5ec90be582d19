import type { IncomingHttpHeaders } from 'node:http';
import type { Deadline, Deadlines } from '../../kernel/index.js';
import type { HeaderMap } from '../request/headers.js';
import type { Exchange, HeadConnection } from './head-connection.js';
import type { HeadPool } from './head-pool.js';
import { requestText } from './request-text.js';

/** Where a head's answer goes, piece by piece. Exactly one of `onEnd` and `onBroken` comes last. */
export interface HeadSink {
  onStart(status: number, headers: IncomingHttpHeaders): void;
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  /** @param sent whether the request had gone out: false means that no connection came about */
  onBroken(fault: Error, sent: boolean): void;
}

export interface HeadCall {
  readonly path: string;
  readonly headers: HeaderMap;
  readonly body: Buffer;
}

/** How long a head may take to close a stream after its `[DONE]`. */
const LINGER_MS = 1000;
const RESETS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'connection_closed']);
const NOTHING = Buffer.alloc(0);

/**
 * One request to a head. Destroying it closes the connection, so that the head stops working for nobody.
 *
 * A head may close an idle connection at the very moment when it is used again. Then no answer comes back, the head has
 * done nothing, and it is nobody's fault: the request is sent once more, on a fresh connection.
 */
export class HeadRequest implements Exchange, Deadline {
  place = -1;
  /** When a head that was let go must have ended. */
  dueAt = Infinity;
  head = '';
  body: Buffer = NOTHING;
  private pool: HeadPool | null = null;
  private connection: HeadConnection | null = null;
  private isSent = false;
  private isReused = false;
  private isAnswering = false;
  /** It has been sent a second time: there is no third. */
  private isReplayed = false;
  private isOver = false;

  constructor(
    private sink: HeadSink | null,
    private readonly deadlines: Deadlines,
  ) {}

  send(pool: HeadPool, { path, headers, body }: HeadCall): void {
    this.pool = pool;
    this.body = body;
    try {
      this.head = requestText(path, pool.host, headers, body.length);
    } catch (fault) {
      this.onBroken(fault instanceof Error ? fault : new Error('no request'));
      return;
    }
    pool.send(this);
  }

  pause(): void {
    if (!this.isOver) this.connection?.pause();
  }

  resume(): void {
    if (!this.isOver) this.connection?.resume();
  }

  /** Nothing reaches the sink after this. */
  destroy(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.abandon();
  }

  /**
   * The answer is whole, whatever the head goes on to send. Nothing reaches the sink after this; a head that ends
   * soon keeps its connection, one that dawdles loses it.
   */
  release(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.dueAt = this.deadlines.now() + LINGER_MS;
    this.deadlines.add(this);
    this.connection?.resume();
  }

  onDue(): void {
    this.deadlines.delete(this);
    this.abandon();
  }

  /** Its call has ended well; there is nobody left to tell. */
  onFault(): void {
    this.deadlines.delete(this);
  }

  onAssigned(connection: HeadConnection): void {
    this.connection = connection;
  }

  onSent(connection: HeadConnection): void {
    this.connection = connection;
    this.isSent = true;
    this.isReused = connection.isReused;
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    this.isAnswering = true;
    if (!this.isOver) this.sink?.onStart(status, headers);
  }

  onBody(bytes: Buffer): void {
    if (!this.isOver) this.sink?.onChunk(bytes);
  }

  onWhole(): void {
    this.deadlines.delete(this);
    if (!this.isOver) {
      this.isOver = true;
      this.sink?.onEnd();
    }
    this.letGo();
  }

  onBroken(fault: Error): void {
    this.deadlines.delete(this);
    if (!this.isOver) {
      const { pool } = this;
      if (pool !== null && this.isReused && !this.isReplayed && !this.isAnswering && isReset(fault)) {
        this.isReplayed = true;
        pool.sendFresh(this);
        return;
      }
      this.isOver = true;
      this.sink?.onBroken(fault, this.isSent);
    }
    this.letGo();
  }

  private abandon(): void {
    this.pool?.withdraw(this);
    this.connection?.abandon(this);
    this.letGo();
  }

  /** Nothing comes any more: what is held for two scavenges stays until a full collection. */
  private letGo(): void {
    this.sink = null;
    this.connection = null;
    this.pool = null;
    this.head = '';
    this.body = NOTHING;
  }
}

/** The other side closed the connection. */
function isReset(fault: Error): boolean {
  return 'code' in fault && typeof fault.code === 'string' && RESETS.has(fault.code);
}
