/** What the filter is told rather than learns. Defaults were found in the simulator; docs/policies.md says how. */
export interface SpeedConstants {
  /** Seconds after which a passing slowdown is forgotten to 1/e. */
  readonly driftDecaySeconds: number;
  /** Variance of the log of a node's passing slowdown where nothing was seen for long. */
  readonly driftVariance: number;
  /** Variance of the log of what a registered speed is wrong by. */
  readonly biasVariance: number;
  /** The same where the node registered none. */
  readonly unknownBiasVariance: number;
  /** Seconds of work that a prompt's token takes, as a share of an output token's, until that is learned. */
  readonly prefillRatio: number;
  /** Noise of one measurement of a stream's progress, as a variance of its log. */
  readonly progressNoise: number;
  /** The same of a finished answer. */
  readonly answerNoise: number;
  /** The same of a first token. */
  readonly firstTokenNoise: number;
  /** Answers are expected to be as long as this share of the latest ones at most were. */
  readonly sizeQuantile: number;
}

export const SPEED_CONSTANTS: SpeedConstants = {
  driftDecaySeconds: 600,
  driftVariance: 0.5,
  biasVariance: 0.15,
  unknownBiasVariance: 1,
  prefillRatio: 0.1,
  progressNoise: 0.05,
  answerNoise: 0.05,
  firstTokenNoise: 0.15,
  sizeQuantile: 0.65,
};
