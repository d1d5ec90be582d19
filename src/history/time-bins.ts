/** Each bin ends this much later than the one before it. */
const GROWTH = 1.1;
const LOG_GROWTH = Math.log(GROWTH);

/**
 * How many times of each length there were. A length is known to within 5 % (the root of {@link GROWTH}), or 1 ms, and
 * no order of adding and merging matters.
 */
export class TimeBins {
  private readonly bins = new Map<number, number>();
  private total = 0;

  add(ms: number): void {
    this.count(binOf(ms), 1);
  }

  merge(other: TimeBins): void {
    for (const [bin, count] of other.bins) this.count(bin, count);
  }

  /** The time in ms that so great a share of all did not exceed; null where there are none. */
  quantile(share: number): number | null {
    let left = Math.max(1, Math.ceil(share * this.total));
    for (const bin of [...this.bins.keys()].sort((a, b) => a - b)) {
      left -= this.bins.get(bin) ?? 0;
      if (left <= 0) return middleOf(bin);
    }
    return null;
  }

  private count(bin: number, count: number): void {
    this.bins.set(bin, (this.bins.get(bin) ?? 0) + count);
    this.total += count;
  }
}

/** Bin 0 ends at 1 ms, bin n at GROWTH to the n. */
function binOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / LOG_GROWTH);
}

/** As far, in proportion, from the bin's beginning as from its end. */
function middleOf(bin: number): number {
  return bin === 0 ? 1 : GROWTH ** (bin - 0.5);
}
