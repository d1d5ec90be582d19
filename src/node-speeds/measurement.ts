import { ExpectedTime, type Measured } from './expected-time.js';
import { SLOPE_PRIOR, SLOPES } from './load-shape.js';
import { correctPrefill, correctSpeed, refresh, sharpen, type NodeBelief } from './node-belief.js';
import { forget, likelihoodOf, reweigh } from './probabilities.js';
import type { HopLoad } from './route-delay.js';
import { refuteSlots, weighSlots } from './slot-evidence.js';
import type { SpeedConstants } from './speed-constants.js';

/** No single measurement says that a route is more than e^3 times slower or faster than expected. */
const MOST_ERROR = 3;
/** Of each measurement under load, how much of the prior of the slopes comes back. */
const SLOPES_FORGETTING = 0.0005;
/** A prompt's share of a first token's time is learned only where probably nothing else delayed it. */
const SURELY_FREE = 0.9;
/** Below it, an explanation is not worth a correction. */
const LEAST_CHANCE = 0.02;

/**
 * One measurement of a whole route, ascribed to its nodes: a step of Bayes' rule on how they take load, then an extended
 * Kalman step on their log factors with the hop's share in the expected time as sensitivity. Time that may have been
 * spent in a line counts for the speeds only as far as it probably wasn't.
 */
export function learn(hops: readonly HopLoad[], measured: Measured, constants: SpeedConstants): void {
  const { seconds, isCensored, usual } = measured;
  const expected = new ExpectedTime(hops, measured, constants);
  if (!isPositive(expected.whole) || !isPositive(seconds)) return;
  if (isCensored && seconds <= expected.whole) return;
  const free = expected.chanceThatFree(seconds);
  if (usual !== null) weighSlots(expected, seconds, isCensored);
  else refuteSlots(hops);
  if (free > LEAST_CHANCE) correctAll(expected, measured, 0, free);
  if (free < 1 - LEAST_CHANCE) correctAll(expected, measured, expected.waitThen, 1 - free);
  for (const { belief } of hops) refresh(belief);
}

/** @param certainty that so long a wait is what happened: the less of it, the noisier the measurement */
function correctAll(expected: ExpectedTime, measured: Measured, wait: number, certainty: number): void {
  const { seconds, isCensored } = measured;
  const whole = expected.served + wait;
  const spread = expected.spreadWith(wait) / certainty;
  const error = within(Math.log(seconds / whole));
  const errors = new Float64Array(SLOPES.length);
  expected.hops.forEach(({ belief, company }, at) => {
    expected.bySlope(at, whole, (slope, time) => (errors[slope] = within(Math.log(seconds / time))));
    if (company.others > 0 && !isCensored) weighSlopes(belief, errors, spread);
    const share = (expected.share(at) * expected.served) / whole;
    for (let slope = 0; slope < SLOPES.length; slope += 1) {
      correctSpeed(belief, slope, share, errors[slope] ?? 0, spread);
    }
    const isPrompt = expected.chanceOfNoWait > SURELY_FREE || error < 0;
    const prefillShare = isPrompt ? share * (expected.prefillShares[at] ?? 0) : 0;
    correctPrefill(belief, prefillShare, error, spread);
    sharpen(belief, share, prefillShare, spread);
  });
}

function weighSlopes({ slopes }: NodeBelief, errors: Float64Array, spread: number): void {
  reweigh(
    slopes,
    errors.map((error) => likelihoodOf(error, spread)),
  );
  forget(slopes, SLOPE_PRIOR, SLOPES_FORGETTING);
}

function within(error: number): number {
  return Math.max(-MOST_ERROR, Math.min(MOST_ERROR, error));
}

function isPositive(seconds: number): boolean {
  return seconds > 0 && Number.isFinite(seconds);
}
