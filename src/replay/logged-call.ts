import type { FinishedCall } from '../kernel/index.js';
import type { CandidateState, Considered } from '../routing/index.js';

/** What a finished call is to a replay: an outcome of a choice, or why it is none. */
export type Standing =
  | 'counted'
  /** The client or the last resort chose, not the policy. */
  | 'not_chosen'
  | 'failed'
  /** The client left: how long it would have taken is not known. */
  | 'client_left'
  /** No sample of speed: too few tokens, a client that read slowly. */
  | 'no_sample'
  /** It was chosen from more candidates than its record keeps: what else would have been chosen can't be said. */
  | 'not_all_kept';

/** How many calls a replay does without, by why. */
export type LeftOutCalls = Readonly<Record<Exclude<Standing, 'counted'>, number>>;

/** A finished call with the choice of its first route, as far as another choice can be judged by it. */
export interface LoggedCall {
  readonly model: string;
  /** Monotonic ms. */
  readonly endedAt: number;
  readonly standing: Standing;
  /** Of all attempts, waiting for a free node left out. */
  readonly seconds: number;
  /** Completion tokens; 0 where its speed is no sample. */
  readonly tokens: number;
  /** The route chosen first: what came of it is the choice's doing. */
  readonly signature: string;
  /** With which it was chosen. */
  readonly probability: number;
  /** Those that it was chosen from, as they stood; none where it is not counted. */
  readonly candidates: readonly CandidateState[];
  /** The route that answered or failed last, and for how long it was at it. */
  readonly lastSignature: string;
  readonly lastMs: number;
}

/** A clock too coarse for an answer out of a cache. */
const SHORTEST_SECONDS = 0.001;
const NO_CANDIDATES: readonly CandidateState[] = [];
const POLICY_MODES: ReadonlySet<string> = new Set(['scout', 'exploit', 'control']);
const BY_OUTCOME: Readonly<Record<string, Standing>> = { completed: 'no_sample', client_left: 'client_left' };

/** null of a call that never got a route. */
export function loggedCall(
  call: FinishedCall,
  considered: Considered | undefined,
  endedAt: number,
): LoggedCall | null {
  const [first] = call.attempts;
  const last = call.attempts.at(-1);
  if (first === undefined || last === undefined) return null;
  const candidates = considered?.eligible ?? NO_CANDIDATES;
  const standing = candidates.length === 0 ? 'not_chosen' : standingOf(call, first.mode, considered);
  const isCounted = standing === 'counted';
  const isMeasured = isCounted || standing === 'not_all_kept';
  let ms = 0;
  for (const attempt of call.attempts) ms += attempt.ms ?? 0;
  return {
    model: call.model,
    endedAt,
    standing,
    seconds: Math.max(SHORTEST_SECONDS, ms / 1000),
    tokens: isMeasured ? (call.completion_tokens ?? 0) : 0,
    signature: first.signature,
    probability: first.probability,
    candidates: isCounted ? candidates : NO_CANDIDATES,
    lastSignature: last.signature,
    lastMs: last.ms ?? 0,
  };
}

function standingOf(call: FinishedCall, mode: string, considered: Considered | undefined): Standing {
  if (!POLICY_MODES.has(mode)) return 'not_chosen';
  if (call.outcome === 'completed' && call.sample === 'recorded') {
    return (considered?.moreEligible ?? 0) === 0 ? 'counted' : 'not_all_kept';
  }
  return BY_OUTCOME[call.outcome ?? ''] ?? 'failed';
}
