/** 64 KiB: what a list of pages that is not full may take too much. */
const PAGE_WORDS = 8192;

/**
 * Numbers side by side in one block outside of the heap, so that what is remembered there is no object for the garbage
 * collector to trace, and to move once it has outlived two scavenges. Texts stand in a list of the page's
 * own, each once, and go with the page: nothing has to count who refers to them.
 */
export class WordPage {
  readonly numbers: Float64Array;
  /** The same words, in two and in four parts each. */
  readonly halves: Uint32Array;
  readonly quarters: Uint16Array;
  /** Where the oldest entry that is kept begins, and where the next one will. */
  first = 0;
  used = 0;
  private texts: string[] = [];
  /** By text. Only a page that is still written to looks for them. */
  private places = new Map<string, number>();

  /** @param leastWords of an entry that is longer than a page has room for */
  constructor(leastWords: number) {
    this.numbers = new Float64Array(Math.max(PAGE_WORDS, leastWords));
    this.halves = new Uint32Array(this.numbers.buffer);
    this.quarters = new Uint16Array(this.numbers.buffer);
  }

  hasRoomFor(words: number): boolean {
    return this.used + words <= this.numbers.length;
  }

  get isEmpty(): boolean {
    return this.first === this.used;
  }

  /** No longer than others, so that keeping it to write on it again costs no more than they do. */
  get isOrdinary(): boolean {
    return this.numbers.length === PAGE_WORDS;
  }

  /** The number that stands for a text on this page. There are fewer of them than words, so it fits a quarter. */
  placeOf(text: string): number {
    const known = this.places.get(text);
    if (known !== undefined) return known;
    const place = this.texts.push(text) - 1;
    this.places.set(text, place);
    return place;
  }

  textAt(place: number): string {
    return this.texts[place] ?? '';
  }

  has(text: string): boolean {
    return this.texts.includes(text);
  }

  /** Nothing more will be written to it. */
  seal(): void {
    this.places = new Map();
  }

  /** As if it were new: a block that is old enough goes with the next full collection only, so it had better be used again. */
  clear(): void {
    this.first = 0;
    this.used = 0;
    this.texts = [];
    this.seal();
  }

  /** Moves words towards the page's beginning. */
  move(from: number, end: number, to: number): void {
    this.numbers.copyWithin(to, from, end);
  }
}

/** Pages for one list of them. The one that was done with last is the next one, so that a list that is full takes no new ones. */
export class PageSupply {
  private spare: WordPage | null = null;

  /** An empty one with room for so many words. */
  take(words: number): WordPage {
    const { spare } = this;
    if (spare?.hasRoomFor(words) !== true) return new WordPage(words);
    this.spare = null;
    return spare;
  }

  /** Nobody reads it any more. */
  giveBack(page: WordPage): void {
    if (!page.isOrdinary) return;
    page.clear();
    this.spare = page;
  }
}
