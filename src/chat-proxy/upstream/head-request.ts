import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Cancel, Clock } from '../../kernel/index.js';
import type { HeaderMap } from '../request/headers.js';
import { asIncoming } from './head-headers.js';
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
export class HeadRequest implements ConnectionObserver {
  private controller: Dispatcher.DispatchController | null = null;
  private connection: HeadConnection | null = null;
  private replay: (() => void) | null = null;
  private isSent = false;
  private isReused = false;
  private isAnswering = false;
  private isOver = false;
  private cancelLinger: Cancel | null = null;

  constructor(private readonly sink: HeadSink) {}

  send(pool: HeadPool, { path, headers, body }: HeadCall): void {
    const options = { path, method: 'POST' as const, headers, body };
    this.replay = () => {
      this.replay = null;
      this.connection = null;
      this.guarded(() => pool.dispatchFresh(options, this.handler()));
    };
    this.guarded(() => pool.dispatch({ ...options, observer: this }, this.handler()));
  }

  onAssigned(connection: HeadConnection): void {
    this.connection = connection;
  }

  pause(): void {
    if (!this.isOver) this.controller?.pause();
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
  release(clock: Clock): void {
    if (this.isOver) return;
    this.cancelLinger = clock.after(LINGER_MS, () => this.controller?.abort(ABORTED));
    this.isOver = true;
    this.controller?.resume();
  }

  private handler(): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (controller) => {
        this.controller = controller;
        this.isSent = true;
        this.isReused = this.connection?.isReused ?? false;
        if (this.isOver) controller.abort(ABORTED);
      },
      onResponseStart: (_controller, status, headers) => {
        this.isAnswering = true;
        if (!this.isOver && status >= 200) this.sink.onStart(status, asIncoming(headers));
      },
      onResponseData: (_controller, chunk) => {
        if (!this.isOver) this.sink.onChunk(chunk);
      },
      onResponseEnd: () => {
        this.cancelLinger?.();
        this.connection?.answered();
        if (this.isOver) return;
        this.isOver = true;
        this.sink.onEnd();
      },
      onResponseError: (_controller, fault) => this.fault(fault),
    };
  }

  private guarded(dispatch: () => void): void {
    try {
      dispatch();
    } catch (fault) {
      this.fault(fault instanceof Error ? fault : new Error('dispatch failed'));
    }
  }

  private fault(fault: Error): void {
    this.cancelLinger?.();
    if (this.isOver) return;
    if (this.replay !== null && this.isReused && !this.isAnswering && isReset(fault)) {
      this.replay();
      return;
    }
    this.isOver = true;
    this.sink.onBroken(fault, this.isSent);
  }
}

/** The other side closed the connection. */
function isReset(fault: Error): boolean {
  return 'code' in fault && typeof fault.code === 'string' && RESETS.has(fault.code);
}
