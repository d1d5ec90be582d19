/** Something that can stand on one roster at a time. */
export interface Rostered {
  /** Where it stands; -1: nowhere. The roster's own business. */
  place: number;
}

/**
 * Who is here now, in no order; coming and going cost the same however many there are.
 *
 * A Set would do the same, but not at thousands of comings a second: each time it grows full V8 makes a new table that the
 * old one points to, and an old one that has outlived two scavenges keeps all that follow, and whoever stood in
 * them, until the next full collection.
 */
export class Roster<T extends Rostered> implements Iterable<T> {
  private readonly present: T[] = [];

  get size(): number {
    return this.present.length;
  }

  has(item: T): boolean {
    return item.place >= 0;
  }

  add(item: T): void {
    if (item.place >= 0) return;
    item.place = this.present.push(item) - 1;
  }

  /** @returns whether it was here */
  delete(item: T): boolean {
    const { place } = item;
    if (place < 0) return false;
    const last = this.present.pop();
    if (last !== undefined && last !== item) {
      this.present[place] = last;
      last.place = place;
    }
    item.place = -1;
    return true;
  }

  /** Those present at the start; whoever comes or goes meanwhile changes nothing of it. */
  [Symbol.iterator](): IterableIterator<T> {
    return [...this.present].values();
  }
}
