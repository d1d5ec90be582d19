import { PageSupply, type WordPage } from '../kernel/index.js';
import {
  endedAtOf,
  endOf,
  entriesAt,
  entriesOf,
  modelAt,
  readCall,
  wordsOf,
  writeCall,
} from './call-words.js';
import type { LoggedCall } from './logged-call.js';

/** An hour over a day, so that a window of a day is whole. */
const KEPT_MS = 25 * 3_600_000;
/**
 * Calls and their candidates together. A call takes 56 bytes and each candidate 32: 6,600 calls with eight candidates take
 * 2 MB, and whatever is logged at most 3.4 MB, outside of the heap. What was expected of a candidate takes 40 bytes and 4
 * a node, and counts as one more.
 */
const MOST_ENTRIES = 60_000;

/** The newest calls of all models, bounded by age, and with the candidates they were chosen from by number. */
export class CallLog {
  /** Oldest first; none of them empty. */
  private pages: WordPage[] = [];
  private readonly supply = new PageSupply();
  private entries = 0;
  private calls = 0;

  constructor(private readonly mostEntries = MOST_ENTRIES) {}

  add(call: LoggedCall): void {
    writeCall(this.pageFor(wordsOf(call)), call);
    this.entries += entriesOf(call);
    this.calls += 1;
    this.prune(call.endedAt);
  }

  /** Calls of a model that ended within the last `ms`, oldest first. */
  within(model: string, ms: number, now: number): LoggedCall[] {
    this.prune(now);
    const found: LoggedCall[] = [];
    for (const page of this.pages) {
      if (!page.has(model)) continue;
      for (let at = page.first; at < page.used; at = endOf(page, at)) {
        if (now - endedAtOf(page, at) <= ms && modelAt(page, at) === model) found.push(readCall(page, at));
      }
    }
    return found;
  }

  forget(model: string): void {
    for (const page of this.pages) if (page.has(model)) this.forgetOn(page, model);
    this.pages = this.pages.filter(({ isEmpty }) => !isEmpty);
  }

  get size(): number {
    return this.calls;
  }

  private pageFor(words: number): WordPage {
    const newest = this.pages.at(-1);
    if (newest?.hasRoomFor(words) === true) return newest;
    newest?.seal();
    const page = this.supply.take(words);
    this.pages.push(page);
    return page;
  }

  /** What is kept moves up to what was kept before it. */
  private forgetOn(page: WordPage, model: string): void {
    let at = page.first;
    let kept = at;
    while (at < page.used) {
      const end = endOf(page, at);
      if (modelAt(page, at) === model) {
        this.calls -= 1;
        this.entries -= entriesAt(page, at);
      } else {
        if (kept !== at) page.move(at, end, kept);
        kept += end - at;
      }
      at = end;
    }
    page.used = kept;
  }

  private prune(now: number): void {
    for (let page = this.pages[0]; page !== undefined; page = this.pages[0]) {
      const { first } = page;
      if (now - endedAtOf(page, first) <= KEPT_MS && this.entries <= this.mostEntries) return;
      this.entries -= entriesAt(page, first);
      this.calls -= 1;
      page.first = endOf(page, first);
      if (page.isEmpty) {
        this.pages.shift();
        this.supply.giveBack(page);
      }
    }
  }
}
