import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Cancel, Clock } from '../../kernel/index.js';
import type { HeaderMap } from '../request/headers.js';

/** Where a head's answer goes, piece by piece. Exactly one of `onEnd` and `onFault` comes last. */
export interface HeadSink {
  onStart(status: number, headers: IncomingHttpHeaders): void;
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  /** @param sent whether the request had gone out: false means that no connection came about */
  onFault(fault: Error, sent: boolean): void;
}

export interface HeadCall {
  readonly path: string;
  readonly headers: HeaderMap;
  readonly body: Buffer;
}

/** How long a head may take to close a stream after its `[DONE]`. */
const LINGER_MS = 1000;
const ABORTED = new Error('the tracker ended this request');

/** One request to a head. Destroying it closes the connection, so that the head stops working for nobody. */
export class HeadRequest {
  private controller: Dispatcher.DispatchController | null = null;
  private isSent = false;
  private isOver = false;
  private cancelLinger: Cancel | null = null;

  constructor(private readonly sink: HeadSink) {}

  send(pool: Dispatcher, { path, headers, body }: HeadCall): void {
    try {
      pool.dispatch({ path, method: 'POST', headers, body }, this.handler());
    } catch (fault) {
      this.fault(fault instanceof Error ? fault : new Error('dispatch failed'));
    }
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
    this.isOver = true;
    this.controller?.resume();
    this.cancelLinger = clock.after(LINGER_MS, () => this.controller?.abort(ABORTED));
  }

  private handler(): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (controller) => {
        this.controller = controller;
        this.isSent = true;
        if (this.isOver) controller.abort(ABORTED);
      },
      onResponseStart: (_controller, status, headers) => {
        if (!this.isOver && status >= 200) this.sink.onStart(status, headers);
      },
      onResponseData: (_controller, chunk) => {
        if (!this.isOver) this.sink.onChunk(chunk);
      },
      onResponseEnd: () => {
        this.cancelLinger?.();
        if (this.isOver) return;
        this.isOver = true;
        this.sink.onEnd();
      },
      onResponseError: (_controller, fault) => this.fault(fault),
    };
  }

  private fault(fault: Error): void {
    this.cancelLinger?.();
    if (this.isOver) return;
    this.isOver = true;
    this.sink.onFault(fault, this.isSent);
  }
}
