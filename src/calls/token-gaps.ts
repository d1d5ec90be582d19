/** Upper bounds, in seconds, by which the pauses of a stream are counted; longer ones have a count of their own. */
export const TOKEN_GAP_BOUNDS_SECONDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];
const BOUNDS_MS = TOKEN_GAP_BOUNDS_SECONDS.map((seconds) => seconds * 1000);

/**
 * How long a stream's pauses between content events were, as counts between fixed bounds: an event costs some
 * comparisons and one addition, however long the stream.
 */
export class TokenGaps {
  private readonly perBound = new Array<number>(BOUNDS_MS.length + 1).fill(0);
  private lastAt: number;

  /** @param firstAt when the first content event came, in monotonic ms */
  constructor(private readonly firstAt: number) {
    this.lastAt = firstAt;
  }

  /** Another content event came. */
  heard(now: number): void {
    const gapMs = now - this.lastAt;
    this.lastAt = now;
    let at = 0;
    while (gapMs > (BOUNDS_MS[at] ?? Infinity)) at += 1;
    this.perBound[at] = (this.perBound[at] ?? 0) + 1;
  }

  /** Pauses up to each bound and above the one before it; the last count is of those above all bounds. */
  get counts(): readonly number[] {
    return this.perBound;
  }

  get sumSeconds(): number {
    return (this.lastAt - this.firstAt) / 1000;
  }
}
