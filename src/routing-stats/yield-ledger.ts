interface YieldEntry {
  /** Chats in a row that the route gave nothing; 0 since a completion that was no sample. */
  inRow: number;
  /** Monotonic ms of the last chat that it gave nothing. */
  at: number;
}

/** As long as an arm is kept without a sample. */
const KEPT_MS = 24 * 3_600_000;

/**
 * Routes that gave chats nothing: no completion and no failure that was counted. Such a route would keep its place for
 * ever, since it costs nothing and looks fast. A completion ends the row, a sample clears the route altogether.
 */
export class YieldLedger {
  private readonly entries = new Map<string, YieldEntry>();

  /** Chats in a row that the route gave nothing; 1 while it has given completions since, but no sample. */
  nothings(signature: string): number {
    const entry = this.entries.get(signature);
    return entry === undefined ? 0 : Math.max(entry.inRow, 1);
  }

  gaveNothing(signature: string, now: number): void {
    const inRow = this.entries.get(signature)?.inRow ?? 0;
    this.entries.set(signature, { inRow: inRow + 1, at: now });
  }

  completed(signature: string): void {
    const entry = this.entries.get(signature);
    if (entry !== undefined) entry.inRow = 0;
  }

  sampled(signature: string): void {
    this.entries.delete(signature);
  }

  /** Drops the routes of a model. */
  forget(model: string): void {
    for (const signature of this.entries.keys())
      if (signature.startsWith(`${model}|`)) this.entries.delete(signature);
  }

  /** Drops what is a day old. */
  prune(now: number): void {
    for (const [signature, { at }] of this.entries) if (now - at >= KEPT_MS) this.entries.delete(signature);
  }

  get size(): number {
    return this.entries.size;
  }
}
