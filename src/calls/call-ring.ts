import type { CallRecord } from './call-record.js';

/** The newest finished calls, a fixed number of them. */
export class CallRing {
  private readonly slots: (CallRecord | undefined)[];
  private readonly byId = new Map<string, CallRecord>();
  private written = 0;

  constructor(private readonly capacity: number) {
    this.slots = new Array<CallRecord | undefined>(capacity).fill(undefined);
  }

  add(record: CallRecord): void {
    const slot = this.written % this.capacity;
    const oldest = this.slots[slot];
    // A client may have used an id again; then it names the newer call.
    if (oldest !== undefined && this.byId.get(oldest.request_id) === oldest)
      this.byId.delete(oldest.request_id);
    this.slots[slot] = record;
    this.byId.set(record.request_id, record);
    this.written += 1;
  }

  get(requestId: string): CallRecord | null {
    return this.byId.get(requestId) ?? null;
  }

  get size(): number {
    return Math.min(this.written, this.capacity);
  }

  *newestFirst(): Generator<CallRecord> {
    for (let back = 1; back <= this.size; back += 1) {
      const record = this.slots[(this.written - back) % this.capacity];
      if (record !== undefined) yield record;
    }
  }
}
