import { IncomingMessage, ServerResponse } from 'node:http';

/** Takes a request's body as it comes. Exactly one of `onBodyEnd` and `onBodyBroken` comes last. */
export interface BodySink {
  onBodyPart(bytes: Buffer): void;
  onBodyEnd(): void;
  /** The request ended before its body was whole. */
  onBodyBroken(): void;
}

/** Told once when an answer is over, be it whole or not. */
export interface CloseWatcher {
  onClosed(): void;
}

/** The answers of one connection. */
export interface AnswerList {
  remove(answer: LaneResponse): void;
}

/**
 * A request whose body can be taken straight from Node's parser. As a stream it would pass a buffer, four listeners and
 * three turns of the queue of ticks before it is known to be whole, which costs more than to parse it.
 */
export class LaneRequest extends IncomingMessage {
  private sink: BodySink | null = null;
  private isWhole = false;

  /** To be called in the turn in which the request came: what has been read by then is lost. From now on it is no stream. */
  takeBody(sink: BodySink): void {
    this.sink = sink;
    // By this Node knows that somebody reads; else it would read away itself what it thinks is left.
    this._read(0);
  }

  /** What is still to come is read away, and nobody told of it. */
  letBodyGo(): void {
    this.sink = null;
    this.resume();
  }

  /** Node's parser gives bytes by this, and null at the end. */
  override push(bytes: Buffer | null, encoding?: BufferEncoding): boolean {
    const { sink } = this;
    if (sink === null) return super.push(bytes, encoding);
    if (bytes === null) {
      this.sink = null;
      this.isWhole = true;
      sink.onBodyEnd();
    } else sink.onBodyPart(bytes);
    return true;
  }

  override _destroy(fault: Error | null, done: (fault?: Error | null) => void): void {
    const { sink } = this;
    this.sink = null;
    // Its answer hears first that the client has left.
    if (sink !== null) process.nextTick(tellBroken, sink);
    super._destroy(fault, done);
  }

  /** Its sink has the whole body. */
  get isTaken(): boolean {
    return this.isWhole;
  }
}

/** Node asks when the answer has ended, and when the connection does. As a member TypeScript would not let it be one. */
Object.defineProperty(LaneRequest.prototype, 'readableEnded', {
  get(this: LaneRequest): unknown {
    return this.isTaken || Reflect.get(IncomingMessage.prototype, 'readableEnded', this);
  },
});

function tellBroken(sink: BodySink): void {
  sink.onBodyBroken();
}

/** An answer that tells of its end without a listener of its own for each who wants to know. */
export class LaneResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Where it stands until it is over. */
  list: AnswerList | null = null;
  /** Whoever answers. */
  closeWatcher: CloseWatcher | null = null;
}

/** One watcher for each response. */
export function watchClose(response: ServerResponse, watcher: CloseWatcher): void {
  if (response instanceof LaneResponse) response.closeWatcher = watcher;
  // Of another kind, as a test may bring it.
  else response.once('close', () => watcher.onClosed());
}
