/** How a call ended, as far as its speed may be believed. */
export interface CallFacts {
  /** `no_content` and `no_finish_reason`: completed, and the client has the answer, but it tells no speed. */
  readonly ending:
    'completed' | 'failed' | 'cut_off' | 'client_left' | 'no_content' | 'no_finish_reason' | 'model_changed';
  /** As the upstream counted, or the number of content chunks when it didn't. */
  readonly completionTokens: number;
  /** Whether `completionTokens` is only that number of chunks. */
  readonly isEstimated: boolean;
  /** From sending the request to the head until `[DONE]` or the last byte, in ms. */
  readonly elapsedMs: number;
  /** How long of that the relay stood still because the client did not read, in ms. */
  readonly heldUpMs: number;
}

export type SampleRejection =
  | 'too_few_tokens'
  | 'failed'
  | 'cut_off'
  | 'client_left'
  | 'client_slow'
  | 'not_finite'
  /** It ended well and said nothing. */
  | 'no_content'
  /** Content without a finish reason: it may have been cut. */
  | 'no_finish_reason'
  /** The head answered as another model than the one it is known to serve. */
  | 'model_changed';

export type SampleVerdict =
  | { readonly kind: 'sample'; readonly tps: number; readonly weight: number }
  | { readonly kind: 'rejected'; readonly reason: SampleRejection };

const ESTIMATE_WEIGHT = 0.6;
/** A client that holds the relay up for more of the time than this makes a fast route look slow. */
const HELD_UP_SHARE = 0.1;
/** One wrong count must not outweigh every honest one: no machine is faster than this. */
const MOST_TPS = 1e6;
/** An answer out of a cache may take no time at all by the clock. */
const SHORTEST_ELAPSED_MS = 1;

const ENDED_WELL: ReadonlySet<CallFacts['ending']> = new Set([
  'completed',
  'no_content',
  'no_finish_reason',
  'model_changed',
]);

/** Whether a call is a sample of its route's speed, and which. */
export function judgeSample(facts: CallFacts, minTokens: number): SampleVerdict {
  const { ending } = facts;
  if (!ENDED_WELL.has(ending)) return { kind: 'rejected', reason: ending as SampleRejection };
  if (facts.completionTokens < minTokens) return { kind: 'rejected', reason: 'too_few_tokens' };
  if (ending !== 'completed') return { kind: 'rejected', reason: ending };
  const elapsedMs = Math.max(facts.elapsedMs, SHORTEST_ELAPSED_MS);
  if (facts.heldUpMs > elapsedMs * HELD_UP_SHARE) return { kind: 'rejected', reason: 'client_slow' };
  const tps = tokensPerSecond(facts.completionTokens, facts.elapsedMs);
  if (tps === null || tps > MOST_TPS) return { kind: 'rejected', reason: 'not_finite' };
  return { kind: 'sample', tps, weight: facts.isEstimated ? ESTIMATE_WEIGHT : 1 };
}

/** `tokens / elapsed`, elapsed at least 1 ms; null where that is no number. */
export function tokensPerSecond(tokens: number, elapsedMs: number): number | null {
  const tps = (tokens * 1000) / Math.max(elapsedMs, SHORTEST_ELAPSED_MS);
  return Number.isFinite(tps) ? tps : null;
}
