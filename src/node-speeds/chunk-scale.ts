/** Evidence counts as so many answers at most, so that a node that changes its ways is followed. */
const MOST_WEIGHT = 20;
const MOST_TOKENS_PER_CHUNK = 64;

/** Tokens in one content chunk of a node's streams, by what finished answers said of their usage. */
export class ChunkScale {
  private tokens = 1;
  private chunks = 1;
  private weight = 1;

  get tokensPerChunk(): number {
    return Math.max(1 / MOST_TOKENS_PER_CHUNK, Math.min(MOST_TOKENS_PER_CHUNK, this.tokens / this.chunks));
  }

  /** Each answer counts alike, long or short. */
  add(tokens: number, chunks: number): void {
    if (!(tokens > 0) || !(chunks > 0) || !Number.isFinite(tokens / chunks)) return;
    if (this.weight >= MOST_WEIGHT) {
      const kept = (MOST_WEIGHT - 1) / MOST_WEIGHT;
      this.tokens *= kept;
      this.chunks *= kept;
    } else this.weight += 1;
    this.tokens += tokens / chunks;
    this.chunks += 1;
  }
}
