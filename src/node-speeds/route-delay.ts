import type { Company } from './company.js';
import { meanWait, runningBeside } from './load-shape.js';
import type { NodeBelief } from './node-belief.js';
import type { SpeedConstants } from './speed-constants.js';

/** One hop as the filter sees it. */
export interface HopLoad {
  /** Of the node, aged to now. */
  readonly belief: NodeBelief;
  /** As registered, for the layers that this hop runs. */
  readonly secondsPerToken: number;
  readonly company: Company;
}

/** What a call asks of each hop. */
export interface CallWork {
  readonly promptTokens: number;
  readonly outputTokens: number;
}

export interface ExpectedDelay {
  /** Until the answer is complete. */
  readonly seconds: number;
  /** Of them, for each output token. */
  readonly secondsPerToken: number;
  /** By which those already under way on the same nodes would end later, all together. */
  readonly harmSeconds: number;
  /** `seconds`, if the nodes were as fast as they may well be: two standard deviations quicker. */
  readonly optimisticSeconds: number;
  /** Whether nobody is on any of its nodes. */
  readonly isIdle: boolean;
}

/** A place held on one hop while standing in line for the next serves nobody: each such second costs the others so many. */
const LINE_HARM = 6;
/** Standard deviations by which a node may well be faster than it is believed to be. */
const OPTIMISM = 2;

/** Seconds that a call of this size takes on a route, and what it takes from the others there. */
export function expectedDelay(
  hops: readonly HopLoad[],
  work: CallWork,
  usual: CallWork,
  constants: SpeedConstants,
): ExpectedDelay {
  let [seconds, secondsPerToken, harmSeconds, wait, usualSeconds, squares] = [0, 0, 0, 0, 0, 0];
  let isIdle = true;
  for (const { belief, secondsPerToken: registered, company } of hops) {
    const tokens = registered * tokensOf(belief, work, constants);
    const slowed = belief.busyFactor * runningBeside(belief.slots, company);
    const own = tokens * (belief.idleFactor + slowed);
    seconds += own;
    secondsPerToken += registered * (belief.idleFactor + slowed);
    squares += own * own * (belief.biasVariance + belief.driftVariance);
    isIdle &&= company.others === 0;
    usualSeconds += registered * tokensOf(belief, usual, constants) * (belief.idleFactor + slowed);
    harmSeconds += tokens * slowed;
    wait += meanWait(belief.slots, company);
  }
  const waitSeconds = wait * usualSeconds;
  harmSeconds += waitSeconds * LINE_HARM * (hops.length - 1);
  const optimism = seconds > 0 ? Math.exp((-OPTIMISM * Math.sqrt(squares)) / seconds) : 1;
  return {
    seconds: seconds + waitSeconds,
    secondsPerToken,
    harmSeconds,
    optimisticSeconds: seconds * optimism + waitSeconds,
    isIdle,
  };
}

/** A call's size on one node, in output tokens. */
export function tokensOf(belief: NodeBelief, work: CallWork, constants: SpeedConstants): number {
  return work.outputTokens + work.promptTokens * constants.prefillRatio * Math.exp(belief.prefill);
}
