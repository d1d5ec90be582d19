import type { CandidateState } from './policy.js';

/** A route that gave nothing comes behind all others until it gives a sample. */
export function byYield(a: CandidateState, b: CandidateState): number {
  return Number(a.nothings > 0) - Number(b.nothings > 0);
}

/**
 * Order by prior, highest first, routes that gave nothing last; ties: fewer scouts under way, then fewer hops, then signature. Routes that share
 * their slowest node tie however much is under way on them: without the scouts, one head would get everything.
 */
export function byPrior(a: CandidateState, b: CandidateState): number {
  return (
    byYield(a, b) ||
    b.priorTps - a.priorTps ||
    a.scoutsInFlight - b.scoutsInFlight ||
    a.hopCount - b.hopCount ||
    (a.signature < b.signature ? -1 : 1)
  );
}

/** Index of the candidate that comes first in the given order, among those that qualify; -1 where none does. */
export function firstBy(
  candidates: readonly CandidateState[],
  order: (a: CandidateState, b: CandidateState) => number,
  qualifies?: (candidate: CandidateState) => boolean,
): number {
  let first = -1;
  let leader: CandidateState | null = null;
  for (let at = 0; at < candidates.length; at += 1) {
    const candidate = candidates[at];
    if (candidate === undefined || qualifies?.(candidate) === false) continue;
    if (leader !== null && order(candidate, leader) >= 0) continue;
    first = at;
    leader = candidate;
  }
  return first;
}

/** Shares where nothing is measured that could be trusted: the best prior gets everything. */
export function allOnBestPrior(candidates: readonly CandidateState[]): number[] {
  const best = firstBy(candidates, byPrior);
  return candidates.map((_, at) => (at === best ? 1 : 0));
}
