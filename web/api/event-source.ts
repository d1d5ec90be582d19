import { adminKey, keyHeaders, keyRefused } from '../state/admin-key.js';
import { refusalOf, TrackerRefusal, trackerUrl } from './client.js';
import { SseReader, type SseEvent } from './sse.js';

export interface StreamListener {
  opened(): void;
  told(event: SseEvent): void;
  /** It ended, or never began. Not told after `close`. */
  lost(): void;
}

/** One event stream; the browser's own `EventSource` can't send a key. */
export class TrackerStream {
  private readonly over = new AbortController();

  constructor(
    path: string,
    private readonly listener: StreamListener,
  ) {
    void this.run(path);
  }

  close(): void {
    this.over.abort();
  }

  private async run(path: string): Promise<void> {
    try {
      await this.read(await this.open(path));
    } catch {
      // However it ended, whoever listens has to try again.
    }
    if (!this.over.signal.aborted) this.listener.lost();
  }

  private async open(path: string): Promise<ReadableStream<Uint8Array>> {
    const key = adminKey.peek();
    const { signal } = this.over;
    const headers = { accept: 'text/event-stream', ...keyHeaders(key) };
    const answer = await fetch(trackerUrl(path), { cache: 'no-store', headers, signal });
    if (answer.status === 401 && (await refusalOf(answer)) instanceof TrackerRefusal) keyRefused(key);
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (!answer.ok || !isStream || answer.body === null) throw new TypeError('no event stream');
    return answer.body;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    this.over.signal.throwIfAborted();
    this.listener.opened();
    const sse = new SseReader();
    const text = new TextDecoder();
    const bytes = body.getReader();
    for (let part = await bytes.read(); !part.done; part = await bytes.read()) {
      for (const event of sse.feed(text.decode(part.value, { stream: true }))) this.tell(event);
    }
  }

  /** Whoever is told may close the stream, while some of what came with it is still to be told. */
  private tell(event: SseEvent): void {
    if (!this.over.signal.aborted) this.listener.told(event);
  }
}
