import { signal, type ReadonlySignal } from '@preact/signals';
import { refusalOf, trackerUrl } from '../api/client.js';
import { endFault, NOTHING_READ, wholeReading, withEvent, type Reading } from './reading.js';
import { chatBody, signatureFromHeader, turnsOf, type ChatChoices } from './request.js';
import { SseReader } from '../api/sse.js';
import { adminKey, keyHeaders } from '../state/admin-key.js';

/** Which route served, as the answer's headers say. */
export interface Served {
  readonly requestId: string | null;
  readonly signature: string | null;
  readonly mode: string | null;
  readonly attempts: number;
  /** Whether the call was taken, so that the tracker remembers it: one that got a route or waited for one. */
  readonly hasStory: boolean;
}

/** A question and what came of it. */
export interface Exchange {
  readonly id: number;
  readonly model: string;
  readonly question: string;
  readonly reading: Reading;
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  readonly fault: string | null;
  readonly served: Served | null;
  readonly ttftMs: number | null;
  /** From sending until the newest byte. */
  readonly elapsedMs: number;
}

/** Text comes in faster than anybody reads; it is shown at this pace. */
const SHOWN_EVERY_MS = 50;

const list = signal<readonly Exchange[]>([]);
/** Oldest first. On the page alone: nothing of it is kept. */
export const exchanges: ReadonlySignal<readonly Exchange[]> = list;

let running: AbortController | null = null;
let lastId = 0;

export function isRunning(): boolean {
  return list.value.at(-1)?.state === 'running';
}

/** Ends the answer that is coming; what came of it stays. */
export function stop(): void {
  running?.abort();
}

export function newChat(): void {
  stop();
  running = null;
  list.value = [];
}

/** Takes the newest question back out of the conversation. */
export function takeBack(): string {
  const last = list.peek().at(-1);
  list.value = list.peek().slice(0, -1);
  return last?.question ?? '';
}

/** Asks; resolves when the answer is over, however that came. */
export async function send(question: string, choices: ChatChoices): Promise<void> {
  const before = list
    .peek()
    .map((exchange) => ({ question: exchange.question, answer: exchange.reading.text }));
  const body = JSON.stringify(chatBody(choices, turnsOf(before, question)));
  lastId += 1;
  const asked: Exchange = {
    ...{ id: lastId, model: choices.model, question, reading: NOTHING_READ, state: 'running' },
    ...{ fault: null, served: null, ttftMs: null, elapsedMs: 0 },
  };
  list.value = [...list.peek(), asked];
  running = new AbortController();
  await new Answering(asked, running.signal).run(body);
}

/** One answer as it comes. */
class Answering {
  private readonly startedAt = performance.now();
  private readonly sse = new SseReader();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private exchange: Exchange,
    private readonly signal: AbortSignal,
  ) {}

  async run(body: string): Promise<void> {
    try {
      const answer = await fetch(trackerUrl('/v1/chat/completions'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...keyHeaders(adminKey.peek()) },
        body,
        signal: this.signal,
      });
      this.change({ served: servedBy(answer) });
      if (!answer.ok) throw await refusalOf(answer);
      await this.read(answer);
      const fault = endFault(this.exchange.reading);
      this.end(fault === null ? 'done' : 'failed', fault);
    } catch (fault) {
      if (this.signal.aborted) this.end('stopped', null);
      else this.end('failed', faultText(fault, this.exchange.served !== null));
    }
  }

  private async read(answer: Response): Promise<void> {
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (!isStream || answer.body === null) {
      this.took(wholeReading(await answer.text()));
      return;
    }
    const text = new TextDecoder();
    const bytes = answer.body.getReader();
    for (let part = await bytes.read(); !part.done; part = await bytes.read()) {
      this.took(
        this.sse.feed(text.decode(part.value, { stream: true })).reduce(withEvent, this.exchange.reading),
      );
    }
    // What isn't ended by an empty line when the stream ends may still be the last word.
    this.took(this.sse.feed('\n\n').reduce(withEvent, this.exchange.reading));
  }

  private took(reading: Reading): void {
    const elapsedMs = performance.now() - this.startedAt;
    const ttftMs = this.exchange.ttftMs ?? (reading.pieces > 0 ? elapsedMs : null);
    this.exchange = { ...this.exchange, reading, elapsedMs, ttftMs };
    this.timer ??= setTimeout(() => this.show(), SHOWN_EVERY_MS);
  }

  private end(state: Exchange['state'], fault: string | null): void {
    this.change({ state, fault });
  }

  private change(part: Partial<Exchange>): void {
    this.exchange = { ...this.exchange, ...part };
    this.show();
  }

  /** A conversation that was begun anew has no place for it any more. */
  private show(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { exchange } = this;
    list.value = list.peek().map((other) => (other.id === exchange.id ? exchange : other));
  }
}

/** Of calls that waited in vain: the others that got no route were refused at once. */
const TOO_MANY_REQUESTS = 429;

function servedBy({ headers, status }: Response): Served {
  const signature = headers.get('x-meshnet-route');
  return {
    requestId: headers.get('x-request-id'),
    signature: signature === null ? null : signatureFromHeader(signature),
    mode: headers.get('x-meshnet-route-mode'),
    attempts: Number(headers.get('x-meshnet-attempts') ?? 1),
    hasStory: signature !== null || status === TOO_MANY_REQUESTS,
  };
}

function faultText(fault: unknown, hasBegun: boolean): string {
  if (fault instanceof TypeError) {
    return hasBegun ? 'The connection broke before the answer was whole.' : 'The tracker does not answer.';
  }
  return fault instanceof Error ? fault.message : String(fault);
}
