/** How long tokens took, in steps of a hundredth of a millisecond up to ten seconds: half a million are a few numbers. */
const STEPS_A_MS = 100;
const MOST_MS = 10_000;

export class Delays {
  counts = new Uint32Array(STEPS_A_MS * MOST_MS + 1);
  total = 0;
  maxMs = 0;

  add(ms) {
    this.counts[Math.min(this.counts.length - 1, Math.max(0, Math.round(ms * STEPS_A_MS)))] += 1;
    this.total += 1;
    this.maxMs = Math.max(this.maxMs, ms);
  }

  /** Null where nothing was measured: the least of nothing would look good. */
  quantile(share) {
    if (this.total === 0) return null;
    let passed = 0;
    const at = this.counts.findIndex((count) => (passed += count) >= share * this.total);
    return at / STEPS_A_MS;
  }

  summary() {
    const { total: tokens, maxMs } = this;
    return { tokens, p50Ms: this.quantile(0.5), p99Ms: this.quantile(0.99), maxMs };
  }
}
