import type { KeptCall } from './call-story.js';

/**
 * The newest finished calls, a fixed number of them. One by its id is looked for one after the other: that is asked
 * for by people, and an index would have to be kept for every call.
 */
export class CallRing {
  private readonly slots: (KeptCall | undefined)[];
  private written = 0;

  constructor(private readonly capacity: number) {
    this.slots = new Array<KeptCall | undefined>(capacity).fill(undefined);
  }

  add(call: KeptCall): void {
    this.slots[this.written % this.capacity] = call;
    this.written += 1;
  }

  /** A client may have used an id again; then it names the newer call. */
  get(requestId: string): KeptCall | null {
    for (let back = 1; back <= this.size; back += 1) {
      const call = this.at(back);
      if (call?.record.request_id === requestId) return call;
    }
    return null;
  }

  get size(): number {
    return Math.min(this.written, this.capacity);
  }

  *newestFirst(): Generator<KeptCall> {
    for (let back = 1; back <= this.size; back += 1) {
      const call = this.at(back);
      if (call !== undefined) yield call;
    }
  }

  /** @param back 1: the newest */
  private at(back: number): KeptCall | undefined {
    return this.slots[(this.written - back) % this.capacity];
  }
}
