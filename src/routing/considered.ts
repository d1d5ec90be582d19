import type { CandidateState } from './policy.js';

/** What a choice was made from. A pin leaves nothing to choose. */
export interface Considered {
  /** Those that the policy chose from; where they are many, the best of them and the chosen one. */
  readonly eligible: readonly CandidateState[];
  readonly leftOut: readonly LeftOut[];
  /** The shares of `eligible` in the whole choice. Only where some are not kept: else they can be worked out. */
  readonly shares?: readonly number[];
  /** How many more the policy chose from. */
  readonly moreEligible?: number;
  /** How many more it was not asked about. */
  readonly moreLeftOut?: number;
}

export interface LeftOut {
  readonly state: CandidateState;
  readonly reason: 'breaker_open' | 'full' | 'resting';
}

export const NOTHING_CONSIDERED: Considered = { eligible: [], leftOut: [] };

/**
 * Returns of many candidates those that explain a choice: the chosen one, the fastest proven other one, and those with the
 * largest shares; ties: the shorter expected time, then the higher learned speed, then the order given. They stand in the
 * order given.
 *
 * @param shares by candidate
 * @param most at least 2; the list itself is returned where it is no longer
 */
export function bestConsidered(
  eligible: readonly CandidateState[],
  shares: readonly number[],
  chosen: number,
  most: number,
): Pick<Considered, 'eligible' | 'shares' | 'moreEligible'> {
  if (eligible.length <= most) return { eligible };
  const kept = new Set([chosen]);
  const fastest = fastestProven(eligible, chosen);
  if (fastest >= 0) kept.add(fastest);
  for (const at of largest(eligible, shares, most)) if (kept.size < most) kept.add(at);
  const places = [...kept].sort((a, b) => a - b);
  return {
    eligible: places.flatMap((at) => eligible[at] ?? []),
    shares: places.map((at) => shares[at] ?? 0),
    moreEligible: eligible.length - places.length,
  };
}

function fastestProven(eligible: readonly CandidateState[], chosen: number): number {
  let fastest = -1;
  let most = -1;
  for (let at = 0; at < eligible.length; at += 1) {
    const state = eligible[at];
    if (at === chosen || state?.status !== 'proven' || (state.tps ?? 0) <= most) continue;
    fastest = at;
    most = state.tps ?? 0;
  }
  return fastest;
}

/** The places of the largest shares, in one pass: few of many enter the list. */
function largest(eligible: readonly CandidateState[], shares: readonly number[], most: number): number[] {
  const comesBefore = (a: number, b: number): boolean => {
    const byShare = (shares[b] ?? 0) - (shares[a] ?? 0);
    return byShare === 0 ? isBetter(eligible[a], eligible[b]) : byShare < 0;
  };
  const best: number[] = [];
  for (let at = 0; at < eligible.length; at += 1) {
    const last = best.length === most ? best[most - 1] : undefined;
    if (last !== undefined && !comesBefore(at, last)) continue;
    if (last !== undefined) best.pop();
    let place = best.length;
    while (place > 0 && comesBefore(at, best[place - 1] ?? at)) place -= 1;
    best.splice(place, 0, at);
  }
  return best;
}

function isBetter(a: CandidateState | undefined, b: CandidateState | undefined): boolean {
  const seconds = (a?.expected?.seconds ?? 0) - (b?.expected?.seconds ?? 0);
  return seconds === 0 ? (a?.tps ?? 0) > (b?.tps ?? 0) : seconds < 0;
}
