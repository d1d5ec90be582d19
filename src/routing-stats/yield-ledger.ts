interface YieldEntry {
  /** Chats in a row that the route gave nothing. */
  inRow: number;
  /** It gave nothing, and no sample since. */
  isVoid: boolean;
}

/**
 * Routes that gave chats nothing: no completion and no failure that was counted. Such a route would keep its place for
 * ever, since it costs nothing and looks fast. A completion ends the row, a sample clears the route altogether.
 */
export class YieldLedger {
  private readonly entries = new Map<string, YieldEntry>();

  /** Chats in a row that the route gave nothing; 1 while it has given completions since, but no sample. */
  nothings(signature: string): number {
    const entry = this.entries.get(signature);
    return entry === undefined ? 0 : Math.max(entry.inRow, entry.isVoid ? 1 : 0);
  }

  gaveNothing(signature: string): void {
    const entry = this.entries.get(signature);
    if (entry === undefined) this.entries.set(signature, { inRow: 1, isVoid: true });
    else entry.inRow += 1;
  }

  completed(signature: string): void {
    const entry = this.entries.get(signature);
    if (entry !== undefined) entry.inRow = 0;
  }

  sampled(signature: string): void {
    this.entries.delete(signature);
  }

  /** Drops entries of routes that `isKept` does not name. */
  prune(isKept: (signature: string) => boolean): void {
    for (const signature of this.entries.keys()) if (!isKept(signature)) this.entries.delete(signature);
  }

  get size(): number {
    return this.entries.size;
  }
}
