import { POLICIES, type CandidateState } from '../routing/index.js';
import type { RoutingSettings } from '../settings/index.js';
import type { Trial } from './estimates.js';
import type { LoggedCall } from './logged-call.js';

/** What choices under one setting say of another. */
export interface Reweighed {
  /** One a call, in tokens/s and in seconds. */
  readonly tps: readonly Trial[];
  readonly seconds: readonly Trial[];
  /** Share of the proposed choices that the setting in force hardly ever made as candidates stood. */
  readonly untriedShare: number;
  /** As {@link effectiveSize}, from the probabilities alone: without the luck of which choices were made. */
  readonly foreseenSize: number;
  /** Share of the calls that the setting in force could have sent to one route only. */
  readonly certainShare: number;
  /** Share of the calls that would go to another route, over the whole log. */
  readonly movedShare: number;
}

/** A call with what each setting makes of its candidates. */
interface Compared {
  readonly call: LoggedCall;
  readonly inForce: readonly number[];
  readonly proposed: readonly number[];
}

/** Some milliseconds' worth. */
const CALLS_A_STEP = 100;
/** No route is slower: an estimate of 0 would make an answer take for ever. */
const SLOWEST_TPS = 0.01;
const CERTAIN = 0.999;
const HARDLY_EVER = 0.001;
const SUM_TOLERANCE = 1e-6;

/**
 * Lets the proposed setting choose among the candidates of each call as they stood, without dice. A full log takes part
 * of a second, so it pauses where others may have their turn.
 *
 * @param calls counted ones, at least one
 * @returns null where the policy gives no shares: the log lacks what it looks at
 */
export function* reweighing(
  calls: readonly LoggedCall[],
  inForce: RoutingSettings,
  proposed: RoutingSettings,
): Generator<void, Reweighed | null> {
  const [tps, seconds]: [Trial[], Trial[]] = [[], []];
  const counts = { untried: 0, certain: 0, squares: 0 };
  const moved = new Map<string, number>();
  for (const [at, call] of calls.entries()) {
    if (at % CALLS_A_STEP === 0) yield;
    const compared = { call, inForce: sharesOf(call, inForce), proposed: sharesOf(call, proposed) };
    if (!isWhole(compared.inForce) || !isWhole(compared.proposed)) return null;
    tps.push(tpsTrial(compared));
    seconds.push(secondsTrial(compared));
    counts.untried += untried(compared);
    counts.certain += Math.max(...compared.inForce) >= CERTAIN ? 1 : 0;
    counts.squares += weightSquare(compared);
    move(moved, compared);
  }
  return {
    ...{ tps, seconds },
    untriedShare: counts.untried / calls.length,
    foreseenSize: counts.squares === 0 ? 0 : calls.length ** 2 / counts.squares,
    certainShare: counts.certain / calls.length,
    // Each call that leaves one route comes to another.
    movedShare: sum([...moved.values()].map(Math.abs)) / 2 / calls.length,
  };
}

function sharesOf({ candidates }: LoggedCall, settings: RoutingSettings): number[] {
  return POLICIES[settings.policy].shares(candidates, settings);
}

function isWhole(shares: readonly number[]): boolean {
  return Math.abs(sum(shares) - 1) < SUM_TOLERANCE;
}

function untried({ call, inForce, proposed }: Compared): number {
  return sum(proposed.filter((_, at) => (inForce[at] ?? 0) < HARDLY_EVER && at !== chosenAt(call)));
}

/** `Σ π² / p` over all candidates: what a weight's square is on average over the choices that could have been made. */
function weightSquare({ inForce, proposed }: Compared): number {
  return sum(proposed.map((share, at) => share ** 2 / Math.max(inForce[at] ?? 0, HARDLY_EVER)));
}

function move(moved: Map<string, number>, { call, inForce, proposed }: Compared): void {
  call.candidates.forEach(({ signature }, at) => {
    moved.set(signature, (moved.get(signature) ?? 0) + (proposed[at] ?? 0) - (inForce[at] ?? 0));
  });
}

function tpsTrial(compared: Compared): Trial {
  const { tokens, seconds } = compared.call;
  return trialOf(compared, tokens / seconds, learnedTps);
}

/** The length of an answer is not the route's doing: what is expected of a route takes it as it came. */
function secondsTrial(compared: Compared): Trial {
  const { tokens, seconds } = compared.call;
  return trialOf(compared, seconds, (candidate) => tokens / learnedTps(candidate));
}

function trialOf(
  { call, inForce, proposed }: Compared,
  earned: number,
  expectedOf: (candidate: CandidateState) => number,
): Trial {
  const chosen = chosenAt(call);
  const each = call.candidates.map(expectedOf);
  return {
    weight: (proposed[chosen] ?? 0) / call.probability,
    earned,
    predicted: each[chosen] ?? earned,
    expected: meanBy(proposed, each),
    expectedInForce: meanBy(inForce, each),
  };
}

function meanBy(shares: readonly number[], values: readonly number[]): number {
  return sum(values.map((value, at) => (shares[at] ?? 0) * value));
}

function chosenAt({ candidates, signature }: LoggedCall): number {
  return candidates.findIndex((candidate) => candidate.signature === signature);
}

function learnedTps({ tps, priorTps }: CandidateState): number {
  return Math.max(tps ?? priorTps, SLOWEST_TPS);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
