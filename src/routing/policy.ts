import type { Rng } from '../kernel/index.js';
import type { ArmStatus } from '../routing-stats/index.js';

/** What a policy sees of one candidate route. */
export interface CandidateState {
  readonly signature: string;
  readonly hopCount: number;
  /** Live prior in tokens/s. */
  readonly priorTps: number;
  readonly status: ArmStatus;
  /** Learned tokens/s, null where nothing was. */
  readonly tps: number | null;
  /** Evidence left, in samples. */
  readonly mass: number;
  readonly scoutsInFlight: number;
  readonly barred: boolean;
}

export interface PolicySettings {
  readonly exploreShare: number;
  readonly weightAlpha: number;
}

export type ChoiceMode = 'scout' | 'exploit';

/** Which candidate, why, and with what probability it was this one (for judging other settings by the log). */
export interface Choice {
  readonly index: number;
  readonly mode: ChoiceMode;
  readonly probability: number;
}

/** A way to choose. Pure: the dice are handed in. */
export interface Policy {
  /** @param candidates at least one */
  choose(candidates: readonly CandidateState[], settings: PolicySettings, rng: Rng): Choice;
  /** The probability of each candidate being chosen next; they sum to 1 unless there is none. */
  shares(candidates: readonly CandidateState[], settings: PolicySettings): number[];
}
