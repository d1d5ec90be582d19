import type { RoutingSettings } from '../settings/index.js';
import { contention } from './contention.js';
import { doubtOf, DOUBTS, type Doubt } from './doubts.js';
import {
  change,
  doublyRobust,
  effectiveSize,
  meanOf,
  selfNormalised,
  type Interval,
  type Trial,
} from './estimates.js';
import type { LeftOutCalls, LoggedCall } from './logged-call.js';
import { reweighing, type Reweighed } from './reweighing.js';
import { warningsOf } from './warnings.js';

/** What a call earned on average, or would have. */
export interface Earnings {
  /** Tokens/s. */
  readonly tps: Interval;
  readonly seconds: Interval;
}

export interface ReplayEstimates {
  readonly doubly_robust: Earnings;
  readonly inverse_propensity: Earnings;
  /** How much more than the setting in force, both doubly robust. */
  readonly change: Earnings;
}

/** What a log says of a setting that was not in force. */
export interface Replay {
  readonly verdict: 'estimated' | 'cannot_tell';
  readonly reason: Doubt | null;
  /** The reason in words. */
  readonly why: string | null;
  readonly calls: number;
  readonly left_out: LeftOutCalls;
  readonly effective_sample_size: number | null;
  readonly as_logged: Earnings;
  /** null where the log can't tell. */
  readonly estimates: ReplayEstimates | null;
  readonly warnings: readonly string[];
}

/** Whether calls slow each other down shows in this many, and pairing all with all they overlap takes long. */
const CALLS_FOR_CONTENTION = 2000;

/**
 * What `proposed` would have earned on these calls, had it chosen each first route among the candidates as they stood.
 * It pauses every few milliseconds.
 *
 * @param calls of one model, all that there were, oldest first; at least two of them counted, or more of them without all
 *   their candidates
 */
export function* replaying(
  calls: readonly LoggedCall[],
  inForce: RoutingSettings,
  proposed: RoutingSettings,
): Generator<void, Replay> {
  const counted = calls.filter(({ standing }) => standing === 'counted');
  const partial = calls.filter(({ standing }) => standing === 'not_all_kept');
  if (partial.length > counted.length) return unkept(calls, [...counted, ...partial]);
  const reweighed = yield* reweighing(counted, inForce, proposed);
  yield;
  // Which choices were made may flatter a log, or belittle it.
  const size = reweighed === null ? 0 : Math.min(effectiveSize(reweighed.tps), reweighed.foreseenSize);
  const evidence = { effectiveSize: size, contention: contention(calls.slice(-CALLS_FOR_CONTENTION)) };
  yield;
  const reason = doubtOf({ reweighed, ...evidence });
  const left_out = leftOutOf(calls);
  const estimates = reweighed === null || reason !== null ? null : estimatesOf(reweighed);
  return {
    verdict: estimates === null ? 'cannot_tell' : 'estimated',
    reason,
    why: reason === null ? null : DOUBTS[reason],
    calls: counted.length,
    left_out,
    effective_sample_size: reweighed === null ? null : size,
    as_logged: asLogged(counted),
    estimates,
    warnings:
      reweighed === null || estimates === null
        ? []
        : warningsOf({
            ...{ reweighed, ...evidence, calls: counted.length, leftOut: left_out, inForce, proposed },
            robust: estimates.doubly_robust.seconds,
            byWeights: estimates.inverse_propensity.seconds,
          }),
  };
}

/** Too few calls have all their candidates. */
function unkept(calls: readonly LoggedCall[], measured: readonly LoggedCall[]): Replay {
  const reason: Doubt = 'candidates_not_kept';
  return {
    ...{ verdict: 'cannot_tell', reason, why: DOUBTS[reason] },
    calls: measured.length,
    left_out: leftOutOf(calls),
    effective_sample_size: null,
    as_logged: asLogged(measured),
    ...{ estimates: null, warnings: [] },
  };
}

function estimatesOf({ tps, seconds }: Reweighed): ReplayEstimates {
  const both = (estimate: (trials: readonly Trial[]) => Interval): Earnings => ({
    tps: estimate(tps),
    seconds: estimate(seconds),
  });
  return {
    doubly_robust: both(doublyRobust),
    inverse_propensity: both(selfNormalised),
    change: both(change),
  };
}

function asLogged(counted: readonly LoggedCall[]): Earnings {
  return {
    tps: meanOf(counted.map(({ tokens, seconds }) => tokens / seconds)),
    seconds: meanOf(counted.map(({ seconds }) => seconds)),
  };
}

function leftOutOf(calls: readonly LoggedCall[]): LeftOutCalls {
  const counts = { not_chosen: 0, failed: 0, client_left: 0, no_sample: 0, not_all_kept: 0 };
  for (const { standing } of calls) if (standing !== 'counted') counts[standing] += 1;
  return counts;
}
