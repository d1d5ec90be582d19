import type { RoutingSettings } from '../settings/index.js';
import { POLICIES } from './policies.js';
import type { CandidateState } from './policy.js';
import { allOnBestPrior } from './ranking.js';
import type { Considered, LeftOut } from './considered.js';
import type { RouteMode } from './routing.service.js';

/** One candidate as it stood when a call's route was chosen. */
export interface CandidateNote {
  readonly signature: string;
  readonly status: CandidateState['status'];
  /** Learned tokens/s, null where nothing was. */
  readonly tps: number | null;
  readonly prior_tps: number;
  /** Evidence left, in samples. */
  readonly weight: number;
  /** The probability with which the choice fell on it; those of all candidates sum to 1. */
  readonly traffic_share: number;
  readonly scouts_in_flight: number;
  /** Whether scouting it was barred. */
  readonly barred: boolean;
  /** What this call, or an answer of 200 tokens, was expected to take; null where the policy doesn't ask. */
  readonly predicted_seconds: number | null;
  readonly predicted_seconds_200: number | null;
  /** Attempts under way on each hop's server; null where the policy doesn't ask. */
  readonly node_loads: readonly number[] | null;
  /** Why the policy was not even asked about it, or null. */
  readonly left_out: LeftOut['reason'] | null;
}

/** What a choice was made from, those the policy chose from first. Worked out when somebody asks, not per call. */
export function candidateNotes(
  mode: RouteMode,
  considered: Considered,
  settings: RoutingSettings,
): CandidateNote[] {
  const { eligible, leftOut } = considered;
  const shares = considered.shares ?? sharesOf(mode, eligible, settings);
  return [
    ...eligible.map((state, at) => noteOf(state, shares[at] ?? 0, null)),
    ...leftOut.map(({ state, reason }) => noteOf(state, 0, reason)),
  ];
}

function sharesOf(
  mode: RouteMode,
  eligible: readonly CandidateState[],
  settings: RoutingSettings,
): readonly number[] {
  if (mode === 'greedy-fallback') return allOnBestPrior(eligible);
  return POLICIES[settings.policy].shares(eligible, settings);
}

function noteOf(state: CandidateState, share: number, leftOut: CandidateNote['left_out']): CandidateNote {
  return {
    signature: state.signature,
    status: state.status,
    tps: state.tps,
    prior_tps: state.priorTps,
    weight: state.mass,
    traffic_share: share,
    scouts_in_flight: state.scoutsInFlight,
    barred: state.barred,
    predicted_seconds: finite(state.expected?.seconds),
    predicted_seconds_200: finite(state.expected?.shownSeconds),
    node_loads: state.expected?.nodeLoads ?? null,
    left_out: leftOut,
  };
}

function finite(seconds: number | undefined): number | null {
  return seconds !== undefined && Number.isFinite(seconds) ? seconds : null;
}
