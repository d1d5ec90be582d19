import { PageSupply, type WordPage } from '../kernel/index.js';
import type { CallRecord } from './call-record.js';
import type { KeptCall } from './call-story.js';
import {
  isCallOf,
  keptCallEnd,
  keptCallWords,
  readChoices,
  readRecord,
  writeKeptCall,
} from './kept-call-words.js';

/**
 * The newest finished calls, a fixed number of them. One by its id is looked for one after the other: that is asked
 * for by people, and an index would have to be kept for every call.
 *
 * They are written on pages outside of the heap. As objects, a thousand of them would be copied by each scavenge, which
 * took as long as all else that the garbage collector does. A call takes about 300 bytes.
 */
export class CallRing {
  /** By slot: the page of a call, and where it begins there. */
  private readonly pages: WordPage[] = [];
  private readonly begins: Uint32Array;
  private readonly supply = new PageSupply();
  private newest = this.supply.take(0);
  private written = 0;

  constructor(private readonly capacity: number) {
    this.begins = new Uint32Array(capacity);
  }

  /** @param beganAt Unix ms, from which the record says when it began */
  add(call: KeptCall, beganAt: number): void {
    const slot = this.written % this.capacity;
    const oldest = this.pages[slot];
    if (oldest !== undefined) this.letGo(oldest, this.begins[slot] ?? 0);
    const page = this.pageFor(keptCallWords(call));
    this.pages[slot] = page;
    this.begins[slot] = page.used;
    writeKeptCall(page, call, beganAt);
    this.written += 1;
  }

  /** A client may have used an id again; then it names the newer call. */
  get(requestId: string): KeptCall | null {
    for (let back = 1; back <= this.size; back += 1) {
      const { page, at } = this.at(back);
      if (isCallOf(page, at, requestId))
        return { record: readRecord(page, at), choices: readChoices(page, at) };
    }
    return null;
  }

  get size(): number {
    return Math.min(this.written, this.capacity);
  }

  *newestFirst(): Generator<CallRecord> {
    for (let back = 1; back <= this.size; back += 1) {
      const { page, at } = this.at(back);
      yield readRecord(page, at);
    }
  }

  /** @param back 1: the newest */
  private at(back: number): { readonly page: WordPage; readonly at: number } {
    const slot = (this.written - back) % this.capacity;
    return { page: this.pages[slot] ?? this.newest, at: this.begins[slot] ?? 0 };
  }

  /** The oldest call goes, and its page, if there is none behind it. */
  private letGo(page: WordPage, at: number): void {
    page.first = keptCallEnd(page, at);
    if (page.isEmpty && page !== this.newest) this.supply.giveBack(page);
  }

  private pageFor(words: number): WordPage {
    if (this.newest.hasRoomFor(words)) return this.newest;
    this.newest.seal();
    if (this.newest.isEmpty) this.supply.giveBack(this.newest);
    this.newest = this.supply.take(words);
    return this.newest;
  }
}
