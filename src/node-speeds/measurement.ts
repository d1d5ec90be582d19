import {
  chanceOfWait,
  chanceWith,
  meanWait,
  runningBeside,
  SLOPE_PRIOR,
  SLOPES,
  SLOTS,
  SLOTS_PRIOR,
  waitWith,
} from './load-shape.js';
import { correctPrefill, correctSpeed, refresh, sharpen } from './node-belief.js';
import { forget, likelihoodOf, reweigh } from './probabilities.js';
import { tokensOf, type CallWork, type HopLoad } from './route-delay.js';
import type { SpeedConstants } from './speed-constants.js';

export interface Measured {
  readonly work: CallWork;
  readonly seconds: number;
  /** A usual call, by which waiting for a place is measured; null where the time includes no waiting. */
  readonly usual: CallWork | null;
  /** Whether it is not over yet, so that all that is known is that it takes longer. */
  readonly isCensored: boolean;
  /** Variance of its log. */
  readonly noise: number;
}

/** No single measurement says that a route is more than e^3 times slower or faster than expected. */
const MOST_ERROR = 3;
/** A wait for a place is as good as memoryless: the variance of its log is about that of an exponential's. */
const WAIT_NOISE = 1.5;
/** What is left of the belief in so many slots when more than that were seen running. */
const REFUTED = 0.02;
/** Of each measurement under load, how much of the prior of the load shape comes back. */
const SHAPE_FORGETTING = 0.0005;
const SLOTS_FORGETTING = 0.002;
/** A prompt's share of a first token's time is learned only where probably nothing else delayed it. */
const SURELY_FREE = 0.9;
/** The logistic curve of this steepness is nearly that of the normal distribution. */
const LOGISTIC = 1.702;
/** Below it, an explanation is not worth a correction. */
const LEAST_CHANCE = 0.02;

/**
 * One measurement of a whole route, ascribed to its nodes: a step of Bayes' rule on how they take load, then an extended
 * Kalman step on their log factors with the hop's share in the expected time as sensitivity. Time that may have been
 * spent in a line counts for the speeds only as far as it probably wasn't.
 */
export function learn(hops: readonly HopLoad[], measured: Measured, constants: SpeedConstants): void {
  const { seconds, isCensored, usual } = measured;
  const expected = new Expected(hops, measured, constants);
  if (!isPositive(expected.whole) || !isPositive(seconds)) return;
  if (isCensored && seconds <= expected.whole) return;
  const free = expected.chanceThatFree(seconds);
  if (usual !== null) weighSlots(expected, seconds, isCensored);
  else refuteSlots(hops);
  if (free > LEAST_CHANCE) correctAll(expected, seconds, 0, free, isCensored);
  if (free < 1 - LEAST_CHANCE) correctAll(expected, seconds, expected.waitThen, 1 - free, isCensored);
  for (const { belief } of hops) refresh(belief);
}

/** What the hops are expected to take, part by part. */
class Expected {
  /** Size on each hop, in seconds as registered. */
  readonly sizes: number[];
  readonly beside: number[];
  readonly running: number[];
  /** Chance of waiting at each hop, and how long then. */
  readonly chances: number[];
  readonly waits: number[];
  readonly served: number;
  readonly chanceOfNoWait: number;
  readonly waitThen: number;
  readonly usualSeconds: number;
  readonly prefillShares: number[];
  /** Variance of the log of `served`. */
  readonly spread: number;

  constructor(
    readonly hops: readonly HopLoad[],
    { work, usual, noise }: Measured,
    constants: SpeedConstants,
  ) {
    const size = ({ belief, secondsPerToken }: HopLoad, of: CallWork): number =>
      secondsPerToken * tokensOf(belief, of, constants);
    this.sizes = hops.map((hop) => size(hop, work));
    this.beside = hops.map(({ belief, company }) => runningBeside(belief.slots, company));
    this.running = hops.map((hop, at) => (this.sizes[at] ?? 0) * this.factor(hop, at));
    this.served = sum(this.running);
    // Those in front are served as slowly as this call will be.
    this.usualSeconds =
      usual === null ? 0 : sum(hops.map((hop, at) => size(hop, usual) * this.factor(hop, at)));
    this.chances = hops.map(({ belief, company }) =>
      usual === null ? 0 : chanceOfWait(belief.slots, company),
    );
    this.waits = hops.map(({ belief, company }, at) => {
      const chance = this.chances[at] ?? 0;
      return chance > 0 ? (meanWait(belief.slots, company) / chance) * this.usualSeconds : 0;
    });
    this.chanceOfNoWait = this.chances.reduce((product, chance) => product * (1 - chance), 1);
    this.waitThen = this.waitThenBut(-1);
    this.prefillShares = hops.map(({ secondsPerToken }, at) => {
      const all = this.sizes[at] ?? 0;
      return all > 0 ? Math.max(0, 1 - (secondsPerToken * work.outputTokens) / all) : 0;
    });
    this.spread = hops.reduce((total, { belief }, at) => {
      const share = this.share(at);
      const prefill = share * (this.prefillShares[at] ?? 0);
      const speed = belief.biasVariance + belief.driftVariance;
      return total + share ** 2 * speed + prefill ** 2 * belief.prefillVariance;
    }, noise);
  }

  private factor({ belief }: HopLoad, at: number): number {
    return belief.idleFactor + belief.busyFactor * (this.beside[at] ?? 0);
  }

  get whole(): number {
    return this.served + (1 - this.chanceOfNoWait) * this.waitThen;
  }

  share(at: number): number {
    return this.served > 0 ? (this.running[at] ?? 0) / this.served : 0;
  }

  /** The longest wait at any hop but one, where there is any. */
  waitThenBut(left: number): number {
    return this.waits.reduce((most, wait, at) => (at === left ? most : Math.max(most, wait)), 0);
  }

  /** How likely so many seconds are with so long a wait. */
  likelihood(seconds: number, wait: number): number {
    const whole = this.served + wait;
    return likelihoodOf(Math.log(seconds / whole), this.spreadWith(wait));
  }

  /** The same of more than so many seconds. */
  chanceOfMore(seconds: number, wait: number): number {
    const error = Math.log(seconds / (this.served + wait));
    return 1 / (1 + Math.exp(LOGISTIC * (error / Math.sqrt(this.spreadWith(wait)))));
  }

  spreadWith(wait: number): number {
    return this.spread + WAIT_NOISE * (wait / (this.served + wait)) ** 2;
  }

  /** Probability, after the fact, that none of the time was spent in a line. */
  chanceThatFree(seconds: number): number {
    if (this.chanceOfNoWait >= 1) return 1;
    const free = this.chanceOfNoWait * this.likelihood(seconds, 0);
    const held = (1 - this.chanceOfNoWait) * this.likelihood(seconds, this.waitThen);
    return free + held > 0 ? free / (free + held) : 0;
  }
}

function weighSlots(expected: Expected, seconds: number, isCensored: boolean): void {
  const { hops, chances, usualSeconds } = expected;
  const likelihood = (wait: number): number =>
    isCensored ? expected.chanceOfMore(seconds, wait) : expected.likelihood(seconds, wait);
  const noWait = likelihood(0);
  hops.forEach(({ belief, company }, at) => {
    if (company.others <= 0) return;
    const restFree = chances.reduce(
      (product, chance, other) => (other === at ? product : product * (1 - chance)),
      1,
    );
    const restWait = expected.waitThenBut(at);
    const restLikely = restFree < 1 ? likelihood(restWait) : 0;
    const free = restFree * noWait + (1 - restFree) * restLikely;
    const likelihoods = belief.slots.map((_, index) => {
      const count = SLOTS[index] ?? Infinity;
      const chance = chanceWith(count, company);
      if (chance === 0) return company.running > count ? REFUTED * free : free;
      const wait = waitWith(count, company) * usualSeconds;
      const both = restFree < 1 ? likelihood(Math.max(wait, restWait)) : 0;
      const held = restFree * likelihood(wait) + (1 - restFree) * both;
      return (company.running > count ? REFUTED : 1) * (chance * held + (1 - chance) * free);
    });
    reweigh(belief.slots, likelihoods);
    forget(belief.slots, SLOTS_PRIOR, SLOTS_FORGETTING);
  });
}

/** A node that runs more streams than that has more slots than that. */
function refuteSlots(hops: readonly HopLoad[]): void {
  for (const { belief, company } of hops) {
    if (company.running <= 1) continue;
    reweigh(
      belief.slots,
      belief.slots.map((_, index) => (company.running > (SLOTS[index] ?? Infinity) ? REFUTED : 1)),
    );
  }
}

/** @param certainty that so long a wait is what happened: the less of it, the noisier the measurement */
function correctAll(
  expected: Expected,
  seconds: number,
  wait: number,
  certainty: number,
  isCensored: boolean,
): void {
  const whole = expected.served + wait;
  const spread = expected.spreadWith(wait) / certainty;
  const error = within(Math.log(seconds / whole));
  const errors = new Float64Array(SLOPES.length);
  const likelihoods = new Float64Array(SLOPES.length);
  expected.hops.forEach(({ belief, company }, at) => {
    const rest = whole - (expected.running[at] ?? 0);
    const isTelling = company.others > 0 && !isCensored;
    for (let slope = 0; slope < SLOPES.length; slope += 1) {
      const load = 1 + (SLOPES[slope] ?? 0) * (expected.beside[at] ?? 0);
      const own = (expected.sizes[at] ?? 0) * (belief.factors[slope] ?? 1) * load;
      const error = within(Math.log(seconds / (rest + own)));
      errors[slope] = error;
      if (isTelling) likelihoods[slope] = likelihoodOf(error, spread);
    }
    if (isTelling) {
      reweigh(belief.slopes, likelihoods);
      forget(belief.slopes, SLOPE_PRIOR, SHAPE_FORGETTING);
    }
    const share = (expected.share(at) * expected.served) / whole;
    for (let slope = 0; slope < SLOPES.length; slope += 1) {
      correctSpeed(belief, slope, share, errors[slope] ?? 0, spread);
    }
    const prefillShare = share * (expected.prefillShares[at] ?? 0);
    const isPrompt = expected.chanceOfNoWait > SURELY_FREE || error < 0;
    if (isPrompt) correctPrefill(belief, prefillShare, error, spread);
    sharpen(belief, share, isPrompt ? prefillShare : 0, spread);
  });
}

function within(error: number): number {
  return Math.max(-MOST_ERROR, Math.min(MOST_ERROR, error));
}

function isPositive(seconds: number): boolean {
  return seconds > 0 && Number.isFinite(seconds);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
