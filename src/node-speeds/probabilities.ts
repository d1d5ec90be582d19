/** Probabilities of a few values, re-weighed by what is seen and drawn back to their prior by forgetting. */
export type Probabilities = Float64Array;

/** Multiplies by likelihoods and scales to 1; nothing likely at all is no evidence. */
export function reweigh(probabilities: Probabilities, likelihoods: Float64Array): void {
  let sum = 0;
  for (let at = 0; at < probabilities.length; at += 1) {
    sum += (probabilities[at] ?? 0) * (likelihoods[at] ?? 0);
  }
  if (!(sum > 0) || !Number.isFinite(sum)) return;
  for (let at = 0; at < probabilities.length; at += 1) {
    probabilities[at] = ((probabilities[at] ?? 0) * (likelihoods[at] ?? 0)) / sum;
  }
}

/** Mixes `share` of the prior in. */
export function forget(probabilities: Probabilities, prior: readonly number[], share: number): void {
  for (let at = 0; at < probabilities.length; at += 1) {
    probabilities[at] = (probabilities[at] ?? 0) * (1 - share) + (prior[at] ?? 0) * share;
  }
}

/** Any measurement may be off for a reason that no hypothesis knows. */
const ODD_CHANCE = 0.05;
const ODD_VARIANCE = 4;

/** Density of an error that is normal of this variance, or odd; less a constant factor. */
export function likelihoodOf(error: number, variance: number): number {
  const square = error * error;
  return (
    ((1 - ODD_CHANCE) * Math.exp(-square / (2 * variance))) / Math.sqrt(variance) +
    (ODD_CHANCE * Math.exp(-square / (2 * ODD_VARIANCE))) / Math.sqrt(ODD_VARIANCE)
  );
}
