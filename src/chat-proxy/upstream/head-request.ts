import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Deadline, Deadlines } from '../../kernel/index.js';
import type { HeaderMap } from '../request/headers.js';
import { asIncoming, type HeadHeaders } from './head-headers.js';
import type { ConnectionObserver, HeadConnection, HeadPool } from './head-pool.js';

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
const RESETS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const ABORTED = new Error('the tracker ended this request');

/**
 * One request to a head. Destroying it closes the connection, so that the head stops working for nobody.
 *
 * A head may close an idle connection at the very moment when it is used again. Then no byte comes back, the head has
 * done nothing, and it is nobody's fault: the request is sent once more, on a fresh connection.
 */
export class HeadRequest implements ConnectionObserver, Deadline, Dispatcher.DispatchHandler {
  place = -1;
  /** When a head that was let go must have ended. */
  dueAt = Infinity;
  private controller: Dispatcher.DispatchController | null = null;
  private connection: HeadConnection | null = null;
  /** null once it has been sent a second time: there is no third. */
  private pool: HeadPool | null = null;
  private asked: HeadCall | null = null;
  private isSent = false;
  private isReused = false;
  private isAnswering = false;
  private isHeadEnded = false;
  private isOver = false;

  constructor(
    private sink: HeadSink | null,
    private readonly deadlines: Deadlines,
  ) {}

  send(pool: HeadPool, call: HeadCall): void {
    this.asked = call;
    this.pool = pool;
    const { path, headers, body } = call;
    try {
      pool.dispatch({ path, method: 'POST', headers, body, observer: this }, this);
    } catch (fault) {
      this.refused(fault);
    }
  }

  onAssigned(connection: HeadConnection): void {
    this.connection = connection;
    this.isReused = connection.isReused;
  }

  /**
   * Nothing may stay paused now: undici's parser takes the end of a connection for the end of an answer that says
   * "close", and ends the process if it was paused then. What is still to come is in memory already, and little.
   */
  onHeadEnded(): void {
    this.isHeadEnded = true;
    this.controller?.resume();
  }

  pause(): void {
    if (!this.isOver && !this.isHeadEnded) this.controller?.pause();
  }

  resume(): void {
    if (!this.isOver) this.controller?.resume();
  }

  /** Nothing reaches the sink after this. */
  destroy(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.controller?.abort(ABORTED);
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
    this.controller?.resume();
  }

  onDue(): void {
    this.deadlines.delete(this);
    this.controller?.abort(ABORTED);
  }

  /** Its call has ended well; there is nobody left to tell. */
  onFault(): void {
    this.deadlines.delete(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.isSent = true;
    this.isReused = this.connection?.isReused ?? false;
    if (this.isOver) controller.abort(ABORTED);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HeadHeaders): void {
    // "Processing" is no answer: the head may still be closing the connection.
    if (status < 200) return;
    this.isAnswering = true;
    if (!this.isOver) this.sink?.onStart(status, asIncoming(headers));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.isOver) this.sink?.onChunk(chunk);
  }

  onResponseEnd(): void {
    this.deadlines.delete(this);
    this.connection?.answered();
    if (!this.isOver) {
      this.isOver = true;
      this.sink?.onEnd();
    }
    this.letGo();
  }

  onResponseError(_controller: Dispatcher.DispatchController, fault: Error): void {
    this.broken(fault);
  }

  /** Once more, on a socket of its own. */
  private replay(pool: HeadPool, { path, headers, body }: HeadCall): void {
    this.pool = null;
    this.connection = null;
    this.isHeadEnded = false;
    try {
      pool.dispatchFresh({ path, method: 'POST', headers, body, observer: this }, this);
    } catch (fault) {
      this.refused(fault);
    }
  }

  /** The connection's library threw instead of sending. */
  private refused(fault: unknown): void {
    this.broken(fault instanceof Error ? fault : new Error('dispatch failed'));
  }

  private broken(fault: Error): void {
    this.deadlines.delete(this);
    if (!this.isOver) {
      const { pool, asked } = this;
      if (pool !== null && asked !== null && this.isReused && !this.isAnswering && isReset(fault)) {
        this.replay(pool, asked);
        return;
      }
      this.isOver = true;
      this.sink?.onBroken(fault, this.isSent);
    }
    this.letGo();
  }

  /**
   * Nothing comes any more. The connection's parser holds on to its last handler for a while, and what is held for two
   * scavenges stays until a full collection: without this a third of each call's objects did.
   */
  private letGo(): void {
    this.sink = null;
    this.controller = null;
    this.connection = null;
    this.pool = null;
    this.asked = null;
  }
}

/** The other side closed the connection. */
function isReset(fault: Error): boolean {
  return 'code' in fault && typeof fault.code === 'string' && RESETS.has(fault.code);
}
