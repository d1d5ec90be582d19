import type { KeptCall } from './call-story.js';

/** The newest finished calls, a fixed number of them. */
export class CallRing {
  private readonly slots: (KeptCall | undefined)[];
  private readonly byId = new Map<string, KeptCall>();
  private written = 0;

  constructor(private readonly capacity: number) {
    this.slots = new Array<KeptCall | undefined>(capacity).fill(undefined);
  }

  add(call: KeptCall): void {
    const { request_id: id } = call.record;
    const slot = this.written % this.capacity;
    const oldest = this.slots[slot];
    // A client may have used an id again; then it names the newer call.
    if (oldest !== undefined && this.byId.get(oldest.record.request_id) === oldest)
      this.byId.delete(oldest.record.request_id);
    this.slots[slot] = call;
    this.byId.set(id, call);
    this.written += 1;
  }

  get(requestId: string): KeptCall | null {
    return this.byId.get(requestId) ?? null;
  }

  get size(): number {
    return Math.min(this.written, this.capacity);
  }

  *newestFirst(): Generator<KeptCall> {
    for (let back = 1; back <= this.size; back += 1) {
      const call = this.slots[(this.written - back) % this.capacity];
      if (call !== undefined) yield call;
    }
  }
}
