/** The newest slices of time in which anything was, a fixed number of them, each with what was counted in it. */
export class Slices<T> {
  private readonly kept: { readonly slice: number; readonly value: T }[] = [];

  /**
   * @param span how many slices back from the newest are kept, itself included
   * @param make what a slice begins with
   */
  constructor(
    private readonly span: number,
    private readonly make: () => T,
  ) {}

  /** What is counted in this slice, the newest so far. */
  at(slice: number): T {
    const newest = this.kept.at(-1);
    if (newest !== undefined && newest.slice >= slice) return newest.value;
    const value = this.make();
    this.kept.push({ slice, value });
    this.prune(slice);
    return value;
  }

  /** Slices `from..to` that have anything, oldest first. */
  between(from: number, to: number): { readonly slice: number; readonly value: T }[] {
    return this.kept.filter(({ slice }) => slice >= from && slice <= to);
  }

  /** Drops what is out of the span, seen from `slice`. */
  prune(slice: number): void {
    const first = this.kept.findIndex((entry) => entry.slice > slice - this.span);
    this.kept.splice(0, first < 0 ? this.kept.length : first);
  }

  get size(): number {
    return this.kept.length;
  }
}
