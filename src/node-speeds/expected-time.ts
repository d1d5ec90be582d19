import { chanceOfWait, meanWait, runningBeside, SLOPES } from './load-shape.js';
import { likelihoodOf } from './probabilities.js';
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

/** A wait for a place is as good as memoryless: the variance of its log is about that of an exponential's. */
const WAIT_NOISE = 1.5;
/** The logistic curve of this steepness is nearly that of the normal distribution. */
const LOGISTIC = 1.702;

/** What the hops are expected to take, part by part. */
export class ExpectedTime {
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

  /** Tells the whole's time under each slope that one hop's node may have. */
  bySlope(at: number, whole: number, tell: (slope: number, seconds: number) => void): void {
    const rest = whole - (this.running[at] ?? 0);
    for (const [slope, steepness] of SLOPES.entries()) {
      const load = 1 + steepness * (this.beside[at] ?? 0);
      tell(slope, rest + (this.sizes[at] ?? 0) * (this.hops[at]?.belief.factors[slope] ?? 1) * load);
    }
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
