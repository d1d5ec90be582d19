import type { CandidateState } from '../routing/index.js';

/**
 * Seconds that a scout's user spent beyond what the fastest proven candidate would have needed for as many tokens, never
 * less than 0; null where no candidate was proven: nothing better was known then.
 *
 * @param eligible the candidates as they stood when the scout was chosen
 */
export function scoutCostSeconds(
  eligible: readonly CandidateState[],
  completionTokens: number,
  elapsedMs: number,
): number | null {
  const best = Math.max(0, ...eligible.map(({ status, tps }) => (status === 'proven' ? (tps ?? 0) : 0)));
  return best === 0 ? null : Math.max(0, elapsedMs / 1000 - completionTokens / best);
}
