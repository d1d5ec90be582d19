import type { CandidateState, Policy, PolicySettings } from './policy.js';
import { allOnBestPrior, byPrior, byYield, firstBy } from './ranking.js';

const isProven = ({ status }: CandidateState): boolean => status === 'proven';
const waitsForScout = (candidate: CandidateState): boolean => !isProven(candidate) && !candidate.barred;

/** Routes that gave nothing last; else least measured first, scouts under way counted as one sample each; ties by prior, then signature. */
function byNeed(a: CandidateState, b: CandidateState): number {
  return (
    byYield(a, b) ||
    a.mass + a.scoutsInFlight - (b.mass + b.scoutsInFlight) ||
    b.priorTps - a.priorTps ||
    (a.signature < b.signature ? -1 : 1)
  );
}

/**
 * The ADR's policy. Nothing proven: the best prior, deterministic. Else with probability explore_share
 * the scout most in need, where any waits; else a proven route with P ∝ tps^alpha × steadiness.
 */
export const proportional: Policy = {
  choose(candidates, settings, rng) {
    if (!isAnyProven(candidates)) {
      return { index: firstBy(candidates, byPrior), mode: 'scout', probability: 1 };
    }
    const scout = firstBy(candidates, byNeed, waitsForScout);
    const scoutShare = scout < 0 ? 0 : settings.exploreShare;
    if (scout >= 0 && rng() < scoutShare) return { index: scout, mode: 'scout', probability: scoutShare };
    const shares = exploitShares(candidates, settings);
    const index = draw(shares, rng());
    return { index, mode: 'exploit', probability: (1 - scoutShare) * (shares[index] ?? 0) };
  },

  shares(candidates, settings) {
    if (!isAnyProven(candidates)) return allOnBestPrior(candidates);
    const scout = firstBy(candidates, byNeed, waitsForScout);
    const scoutShare = scout < 0 ? 0 : settings.exploreShare;
    return exploitShares(candidates, settings).map((share, at) =>
      at === scout ? scoutShare : (1 - scoutShare) * share,
    );
  },
};

function isAnyProven(candidates: readonly CandidateState[]): boolean {
  for (const candidate of candidates) if (isProven(candidate)) return true;
  return false;
}

/** `tps^alpha × steadiness` over their sum, 0 for what isn't proven. Taken relative to the fastest, so that no power overflows. */
function exploitShares(candidates: readonly CandidateState[], { weightAlpha }: PolicySettings): number[] {
  let fastest = -1;
  for (const candidate of candidates) fastest = Math.max(fastest, speedOf(candidate));
  const shares: number[] = [];
  let sum = 0;
  for (const candidate of candidates) {
    const tps = speedOf(candidate);
    const speed = tps < 0 ? 0 : tps === fastest ? 1 : (tps / fastest) ** weightAlpha;
    const weight = speed * candidate.steadiness;
    shares.push(weight);
    sum += weight;
  }
  for (let at = 0; at < shares.length; at += 1) shares[at] = (shares[at] ?? 0) / sum;
  return shares;
}

/** Below 0 for what isn't proven. */
function speedOf(candidate: CandidateState): number {
  return isProven(candidate) ? (candidate.tps ?? 0) : -1;
}

/** The index in whose part of [0, 1) the draw falls. */
function draw(shares: readonly number[], at: number): number {
  let reached = 0;
  let last = 0;
  for (let index = 0; index < shares.length; index += 1) {
    const share = shares[index] ?? 0;
    if (share === 0) continue;
    reached += share;
    last = index;
    if (at < reached) return index;
  }
  // Shares may sum to a hair less than 1.
  return last;
}
