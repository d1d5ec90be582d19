import { forget } from './probabilities.js';
import { SLOPE_PRIOR, SLOPES, SLOTS_PRIOR } from './load-shape.js';
import type { SpeedConstants } from './speed-constants.js';

/** Seconds after which what was learned for good is forgotten to 1/e. */
const DAY_SECONDS = 86_400;
/** The same of how a node takes load. */
const SHAPE_DECAY_SECONDS = 7200;
const PREFILL_VARIANCE = 1;
/** No number of measurements makes anything surer than this. */
const LEAST_VARIANCE = 0.005;
/** What was seen for long is not given up for what happens now. */
const LEAST_BIAS_VARIANCE = 0.0005;
/** No log factor is believed to be further off than this. */
const MOST_LOG = 8;
const MOST_PREFILL_LOG = 2.5;

/**
 * What is believed of one node: log factors over what it registered, and how it takes load. `bias` is what the
 * registered speed is wrong by, `drift` what the node is slower by for the moment; both pass, one in a day and one in
 * minutes. A node without a registered speed thus comes back to its own mean of the last day.
 *
 * Speed and slope explain each other: a node that was only seen busy may be fast and steep, or slow and flat. So
 * each slope has a speed of its own, and is believed as far as the two together foretold what came.
 */
export interface NodeBelief {
  /** By slope. */
  readonly bias: Float64Array;
  readonly drift: Float64Array;
  biasVariance: number;
  driftVariance: number;
  /** Log factor of a prompt's token over `prefillRatio` of an output token. */
  prefill: number;
  prefillVariance: number;
  /** Probabilities of the SLOPES and of the SLOTS. */
  readonly slopes: Float64Array;
  readonly slots: Float64Array;
  isRegistered: boolean;
  /** Seconds on the tracker's clock. */
  at: number;
  /** Factors over the registered seconds a token, by slope. */
  readonly factors: Float64Array;
  /** Expected factor of an idle node over what it registered, and what each other running call adds to it. */
  idleFactor: number;
  busyFactor: number;
}

export function newBelief(isRegistered: boolean, now: number, constants: SpeedConstants): NodeBelief {
  const belief: NodeBelief = {
    bias: new Float64Array(SLOPES.length),
    drift: new Float64Array(SLOPES.length),
    biasVariance: biasPrior(isRegistered, constants),
    driftVariance: constants.driftVariance,
    prefill: 0,
    prefillVariance: PREFILL_VARIANCE,
    slopes: Float64Array.from(SLOPE_PRIOR),
    slots: Float64Array.from(SLOTS_PRIOR),
    isRegistered,
    at: now,
    factors: new Float64Array(SLOPES.length),
    idleFactor: 1,
    busyFactor: 0,
  };
  refresh(belief);
  return belief;
}

/** Moves a belief on to `now`: means decay to their priors, variances grow to theirs. A clock that steps back moves nothing. */
export function age(belief: NodeBelief, now: number, constants: SpeedConstants): void {
  const passed = now - belief.at;
  if (!(passed > 0)) return;
  belief.at = now;
  const drift = Math.exp(-passed / constants.driftDecaySeconds);
  const day = Math.exp(-passed / DAY_SECONDS);
  for (let at = 0; at < SLOPES.length; at += 1) {
    belief.drift[at] = (belief.drift[at] ?? 0) * drift;
    belief.bias[at] = (belief.bias[at] ?? 0) * day;
  }
  belief.prefill *= day;
  belief.driftVariance = decayed(belief.driftVariance, constants.driftVariance, drift);
  belief.biasVariance = decayed(belief.biasVariance, biasPrior(belief.isRegistered, constants), day);
  belief.prefillVariance = decayed(belief.prefillVariance, PREFILL_VARIANCE, day);
  const forgotten = 1 - Math.exp(-passed / SHAPE_DECAY_SECONDS);
  forget(belief.slopes, SLOPE_PRIOR, forgotten);
  forget(belief.slots, SLOTS_PRIOR, forgotten);
  refresh(belief);
}

/** Corrects the speed under one slope by the error of a measurement that the node has `share` in. */
export function correctSpeed(
  belief: NodeBelief,
  slope: number,
  share: number,
  error: number,
  spread: number,
): void {
  const step = (share * error) / spread;
  belief.bias[slope] = within(MOST_LOG, (belief.bias[slope] ?? 0) + belief.biasVariance * step);
  belief.drift[slope] = within(MOST_LOG, (belief.drift[slope] ?? 0) + belief.driftVariance * step);
}

export function correctPrefill(belief: NodeBelief, share: number, error: number, spread: number): void {
  belief.prefill = within(
    MOST_PREFILL_LOG,
    belief.prefill + (belief.prefillVariance * share * error) / spread,
  );
}

/** @param spread variance of the measurement's error; the shares of it are the node's speed's and the prompt's */
export function sharpen(belief: NodeBelief, share: number, prefillShare: number, spread: number): void {
  belief.biasVariance = sharpened(belief.biasVariance, share, spread, LEAST_BIAS_VARIANCE);
  belief.driftVariance = sharpened(belief.driftVariance, share, spread, LEAST_VARIANCE);
  belief.prefillVariance = sharpened(belief.prefillVariance, prefillShare, spread, LEAST_VARIANCE);
}

/** What the factors are over has become `log` faster: what is learned stays as it is, and tends elsewhere from now on. */
export function shiftPrior(belief: NodeBelief, log: number, isRegistered: boolean): void {
  belief.isRegistered = isRegistered;
  for (let at = 0; at < SLOPES.length; at += 1) {
    belief.drift[at] = within(MOST_LOG, (belief.drift[at] ?? 0) + log);
  }
  refresh(belief);
}

/** To be called when speeds or slopes have changed. */
export function refresh(belief: NodeBelief): void {
  let idle = 0;
  let busy = 0;
  for (let at = 0; at < SLOPES.length; at += 1) {
    const factor = Math.exp((belief.bias[at] ?? 0) + (belief.drift[at] ?? 0));
    belief.factors[at] = factor;
    idle += (belief.slopes[at] ?? 0) * factor;
    busy += (belief.slopes[at] ?? 0) * factor * (SLOPES[at] ?? 0);
  }
  belief.idleFactor = idle;
  belief.busyFactor = busy;
}

function sharpened(variance: number, share: number, spread: number, least: number): number {
  return Math.max(least, variance * (1 - (variance * share * share) / spread));
}

function decayed(variance: number, prior: number, kept: number): number {
  return prior + (variance - prior) * kept * kept;
}

function within(most: number, value: number): number {
  return Math.max(-most, Math.min(most, value));
}

function biasPrior(isRegistered: boolean, constants: SpeedConstants): number {
  return isRegistered ? constants.biasVariance : constants.unknownBiasVariance;
}
