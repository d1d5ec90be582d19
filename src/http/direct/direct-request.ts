import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { BodySink, LaneRequest } from '../lane.js';
import type { RequestHead } from './request-head.js';

/** A request that was read straight from its connection. */
export class DirectRequest implements LaneRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  private sink: BodySink | null = null;

  constructor(
    readonly socket: Socket,
    head: RequestHead,
    readonly declaredLength: number,
  ) {
    this.method = head.method;
    this.url = head.url;
    this.headers = head.headers;
    this.rawHeaders = head.rawHeaders;
  }

  takeBody(sink: BodySink): void {
    this.sink = sink;
  }

  letBodyGo(): void {
    this.sink = null;
  }

  /** Some of the body has come. */
  part(bytes: Buffer): void {
    this.sink?.onBodyPart(bytes);
  }

  /** All of it has. */
  whole(): void {
    this.taken()?.onBodyEnd();
  }

  /** The rest won't come. */
  broken(): void {
    this.taken()?.onBodyBroken();
  }

  private taken(): BodySink | null {
    const { sink } = this;
    this.sink = null;
    return sink;
  }
}
