/** Sizes from 1 token to some millions, a quarter more from bin to bin. */
const GROWTH = 1.25;
const BINS = 70;
const DECAY_SECONDS = 3600;
/** The guess counts as so many sizes seen. */
const GUESS_WEIGHT = 3;

/** Token counts as they were seen lately: each counts less the older it is. */
export class SizeHistogram {
  private readonly weights = new Float64Array(BINS);
  private at: number;
  /** The quantile asked for last; few ask for two. */
  private known = { share: -1, size: 0 };

  /** @param guess what is answered before anything was seen */
  constructor(guess: number, now: number) {
    this.at = now;
    this.weights[binOf(guess)] = GUESS_WEIGHT;
  }

  add(tokens: number, now: number): void {
    if (!(tokens > 0) || !Number.isFinite(tokens)) return;
    const kept = Math.exp(-Math.max(0, now - this.at) / DECAY_SECONDS);
    this.at = Math.max(this.at, now);
    for (let bin = 0; bin < BINS; bin += 1) this.weights[bin] = (this.weights[bin] ?? 0) * kept;
    const bin = binOf(tokens);
    this.weights[bin] = (this.weights[bin] ?? 0) + 1;
    this.known.share = -1;
  }

  /** The size that this share of what was seen does not exceed. */
  quantile(share: number): number {
    if (share !== this.known.share) this.known = { share, size: this.lookUp(share) };
    return this.known.size;
  }

  private lookUp(share: number): number {
    let left = share * this.weights.reduce((sum, weight) => sum + weight, 0);
    for (let bin = 0; bin < BINS; bin += 1) {
      const weight = this.weights[bin] ?? 0;
      if (weight > 0 && left <= weight) return sizeAt(bin + Math.max(0, left) / weight);
      left -= weight;
    }
    return sizeAt(BINS);
  }
}

function binOf(tokens: number): number {
  return Math.max(0, Math.min(BINS - 1, Math.floor(Math.log(tokens) / Math.log(GROWTH))));
}

function sizeAt(place: number): number {
  return GROWTH ** place;
}
