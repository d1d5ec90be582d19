import { IncomingMessage, ServerResponse } from 'node:http';
import type { AnswerHeaders, BodySink, CloseWatcher, LaneRequest, LaneResponse } from './lane.js';

/** The answers of one connection. */
export interface AnswerList {
  remove(answer: HttpResponse): void;
}

/** A request that Node has read, as lanes take it. */
export class HttpRequest extends IncomingMessage implements LaneRequest {
  private sink: BodySink | null = null;

  get declaredLength(): number | null {
    const { 'content-length': length } = this.headers;
    return length === undefined ? null : Number(length);
  }

  takeBody(sink: BodySink): void {
    this.sink = sink;
    this.on('data', (bytes: Buffer) => this.sink?.onBodyPart(bytes));
    this.on('end', () => this.taken()?.onBodyEnd());
    // Node tells it a turn later than the answer, which hears first that the client has left.
    this.on('error', () => this.taken()?.onBodyBroken());
  }

  letBodyGo(): void {
    this.sink = null;
    this.resume();
  }

  private taken(): BodySink | null {
    const { sink } = this;
    this.sink = null;
    return sink;
  }
}

/** An answer that Node writes, as lanes give it. */
export class HttpResponse<Request extends IncomingMessage = IncomingMessage>
  extends ServerResponse<Request>
  implements LaneResponse
{
  /** Where it stands until it is over. */
  list: AnswerList | null = null;
  closeWatcher: CloseWatcher | null = null;
  isChunked = false;

  watchClose(watcher: CloseWatcher): void {
    this.closeWatcher = watcher;
    // A broken pipe is a client that left; `close` tells.
    this.on('error', unheard);
  }

  onceClosed(listener: () => void): void {
    this.once('close', listener);
  }

  onDrain(listener: () => void): void {
    this.on('drain', listener);
  }

  begin(status: number, headers: AnswerHeaders): void {
    this.writeHead(status, headers);
    // Node would make four writes of each chunk.
    this.isChunked = this.chunkedEncoding;
    this.chunkedEncoding = false;
  }

  endWith(text: string): void {
    const { socket } = this;
    // Or Node would do it itself, with a turn of the queue of ticks to end it.
    if (socket?.writableCorked === 0) socket.cork();
    if (text !== '') this.write(text, 'latin1');
    // Or Node would gather the text and an empty one into a vector of two.
    socket?.uncork();
    this.end();
  }

  break(): void {
    const { socket } = this;
    // What was written in this turn waits for its end: the client shall see that an answer had begun.
    while (socket !== null && socket.writableCorked > 0) socket.uncork();
    this.destroy();
  }
}

function unheard(): void {
  // Nobody is left to be told.
}
