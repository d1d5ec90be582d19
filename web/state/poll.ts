import { effect, signal, type ReadonlySignal } from '@preact/signals';
import { ask, TrackerRefusal } from '../api/client.js';
import { mayAsk } from './admin-key.js';

/** What is known of one answer that is asked for again and again. */
export interface Polled<T> {
  /** The newest good answer; stays when a later one fails. */
  readonly value: T | null;
  /** Unix ms of that answer. */
  readonly at: number | null;
  /** Why the newest try failed; null after a good one. */
  readonly fault: PollFault | null;
}

export interface PollFault {
  /** Nobody answers, as against a tracker that refuses. */
  readonly gone: boolean;
  /** The refusal's stable name. */
  readonly code: string | null;
  readonly message: string;
}

export function faultOf(thrown: unknown): PollFault {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof TrackerRefusal) return { gone: false, code: thrown.code, message };
  return { gone: true, code: null, message };
}

export const NOTHING_YET: Polled<never> = { value: null, at: null, fault: null };

/** One GET, repeated while `wanted` holds and the page can be seen; the next is sent `everyMs` after the last one ended. */
export class Poll<T> {
  private readonly state = signal<Polled<T>>(NOTHING_YET);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: AbortController | null = null;

  /**
   * @param path of the answer; null while there is nothing to ask for. Another path forgets what was known.
   * @param isFinal whether an answer will not change any more; then it isn't asked for again
   */
  constructor(
    private readonly path: ReadonlySignal<string | null>,
    private readonly everyMs: number,
    private readonly isFinal: (value: T) => boolean = () => false,
  ) {
    let last: string | null = null;
    effect(() => {
      const now = path.value;
      if (now !== last) this.state.value = NOTHING_YET;
      last = now;
      if (now !== null && mayAsk.value) this.start();
      else this.stop();
      return () => this.stop();
    });
  }

  get polled(): ReadonlySignal<Polled<T>> {
    return this.state;
  }

  /** Asks at once, after something was changed. */
  again(): void {
    if (this.path.peek() !== null && mayAsk.peek()) this.start();
  }

  private start(): void {
    this.stop();
    const running = new AbortController();
    this.running = running;
    void this.look(running);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = null;
  }

  private async look(running: AbortController): Promise<void> {
    const path = this.path.peek();
    if (path === null) return;
    try {
      const value = await ask<T>(path, { signal: running.signal });
      if (running.signal.aborted) return;
      this.state.value = { value, at: Date.now(), fault: null };
      if (this.isFinal(value)) return;
    } catch (fault) {
      if (running.signal.aborted) return;
      this.state.value = { ...this.state.peek(), fault: faultOf(fault) };
    }
    this.timer = setTimeout(() => void this.look(running), this.everyMs);
  }
}
