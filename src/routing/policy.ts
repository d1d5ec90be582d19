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
  /** Chats in a row that it gave nothing, or 1 until it gives a sample again; its prior does not count then. */
  readonly nothings: number;
  /** What it weighs for its nodes' recent success shares, in (0, 1]. */
  readonly steadiness: number;
  /** What the call at hand may expect of it; left out where the policy doesn't ask. */
  readonly expected?: Expectation;
}

/** What a call of this size would take on a candidate, as things stand. */
export interface Expectation {
  /** Until the answer is complete. */
  readonly seconds: number;
  /** By which those already under way on its nodes would end later, all together. */
  readonly harmSeconds: number;
  /** `seconds`, if its nodes are as fast as they may well be; null where it is no time to find out. */
  readonly optimisticSeconds: number | null;
  /** Attempts under way on the route. */
  readonly inFlight: number;
  /** An answer of {@link SHOWN_TOKENS} instead; for people, like the rest. */
  readonly shownSeconds?: number;
  /** Attempts under way on each hop's server. */
  readonly nodeLoads?: readonly number[];
}

/** Predictions for different calls can't be compared; those for an answer of this length can. */
export const SHOWN_TOKENS = 200;

export interface PolicySettings {
  readonly exploreShare: number;
  readonly weightAlpha: number;
  /** Of `least-expected-delay`: what a second taken from others weighs against one's own. */
  readonly loadHarm?: number;
  /** Of `least-expected-delay`: share of calls routed by least in-flight, for comparison. */
  readonly controlShare?: number;
}

export type ChoiceMode = 'scout' | 'exploit' | 'control';

/** Which candidate, why, and with what probability it was this one (for judging other settings by the log). */
export interface Choice {
  readonly index: number;
  readonly mode: ChoiceMode;
  readonly probability: number;
}

/** A way to choose. Pure: the dice are handed in. */
export interface Policy {
  /** Whether it looks at what is expected of each candidate. */
  readonly asksExpected?: true;
  /** @param candidates at least one */
  choose(candidates: readonly CandidateState[], settings: PolicySettings, rng: Rng): Choice;
  /** The probability of each candidate being chosen next; they sum to 1, or to 0 where they lack what the policy looks at. */
  shares(candidates: readonly CandidateState[], settings: PolicySettings): number[];
}
