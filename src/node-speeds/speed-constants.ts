import type { SpeedSettings } from '../settings/index.js';

/** What the filter is told rather than learns. Variances are of logarithms. */
export interface SpeedConstants {
  /** Seconds after which a passing slowdown is forgotten to 1/e. */
  readonly driftDecaySeconds: number;
  /** Of a node's passing slowdown, where nothing was seen for long. */
  readonly driftVariance: number;
  /** Of what a registered speed is wrong by. */
  readonly biasVariance: number;
  /** The same where the node registered none. */
  readonly unknownBiasVariance: number;
  /** Work of a prompt's token in output tokens, until that is learned. */
  readonly prefillRatio: number;
  /** Noise of one look at a stream's progress. */
  readonly progressNoise: number;
  /** The same of a whole answer. */
  readonly answerNoise: number;
  /** The same of a first token. */
  readonly firstTokenNoise: number;
  /** Answers are expected to be as long as this share of the latest were at most. */
  readonly sizeQuantile: number;
}

export function speedConstants(settings: Readonly<SpeedSettings>): SpeedConstants {
  return {
    driftDecaySeconds: settings.decaySeconds,
    driftVariance: settings.driftSigma ** 2,
    biasVariance: settings.registeredSigma ** 2,
    unknownBiasVariance: settings.unregisteredSigma ** 2,
    prefillRatio: settings.prefillRatio,
    progressNoise: settings.noiseSigma ** 2,
    answerNoise: settings.noiseSigma ** 2,
    firstTokenNoise: settings.firstTokenSigma ** 2,
    sizeQuantile: settings.sizeQuantile,
  };
}
