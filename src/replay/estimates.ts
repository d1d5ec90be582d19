/** One logged choice: what it earned, and what was expected of it and of the proposed setting's own choice. */
export interface Trial {
  /** Probability of this choice under the proposed setting over that under which it was made. */
  readonly weight: number;
  readonly earned: number;
  /** What was expected of the route chosen. */
  readonly predicted: number;
  /** The mean of what was expected of all routes, by the proposed setting's shares. */
  readonly expected: number;
  /** The same by the shares of the setting in force. */
  readonly expectedInForce: number;
}

/** A mean and where it lies with 95 %. */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const Z_95 = 1.96;

/**
 * `Σ w r / Σ w`: what was earned, each call counted as often as the proposed setting would have made that choice.
 * Believes nothing but the probabilities. Swaminathan and Joachims, "The Self-Normalized Estimator for Counterfactual
 * Learning" (2015).
 */
export function selfNormalised(trials: readonly Trial[]): Interval {
  return meanOf(weighted(trials, ({ earned }) => earned));
}

/**
 * The expectation, corrected by how far calls fell from what was predicted of them: right when either the probabilities
 * or the estimates are, and narrower the better the estimates. Dudík, Langford and Li, "Doubly Robust Policy Evaluation
 * and Learning" (2011).
 */
export function doublyRobust(trials: readonly Trial[]): Interval {
  const corrections = weighted(trials, surprise);
  return meanOf(trials.map(({ expected }, at) => expected + (corrections[at] ?? 0)));
}

/**
 * How much more the proposed setting earns than the one in force, both doubly robust and compared call by call: closer
 * than two means apart, and nothing at all between a setting and itself.
 */
export function change(trials: readonly Trial[]): Interval {
  const corrections = weighted(trials, surprise);
  return meanOf(
    trials.map((trial, at) => {
      const gain = trial.expected - trial.expectedInForce;
      return gain + (corrections[at] ?? 0) - surprise(trial);
    }),
  );
}

/** As many calls made by the proposed setting itself would tell about as much: `(Σ w)² / Σ w²`. */
export function effectiveSize(trials: readonly Trial[]): number {
  const squares = sum(trials.map(({ weight }) => weight ** 2));
  return squares === 0 ? 0 : sum(trials.map(({ weight }) => weight)) ** 2 / squares;
}

/**
 * Of terms as independent as calls are. Where few of them make up most of the spread it is known as badly as that few
 * would tell: Student's t, its degrees of freedom being as many terms as would spread like that evenly.
 */
export function meanOf(terms: readonly number[]): Interval {
  const count = terms.length;
  const mean = sum(terms) / count;
  const squares = terms.map((term) => (term - mean) ** 2);
  const spread = sum(squares);
  const freedom = spread ** 2 / sum(squares.map((square) => square ** 2));
  const reach = spread === 0 ? 0 : student95(freedom) * Math.sqrt(spread / (count - 1) / count);
  return { mean, low: mean - reach, high: mean + reach };
}

/** Two-sided 95 % quantile of Student's t; the expansion by Fisher and Cornish, within 4 % from 3 degrees up. */
function student95(freedom: number): number {
  const z = Z_95;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

function surprise({ earned, predicted }: Trial): number {
  return earned - predicted;
}

/**
 * Terms whose mean is the weighted mean of what calls gave, and whose spread is that of the weighted mean: its influence
 * of each call. A call of much weight draws the mean to itself and would look as if it fell close to it; so how far it
 * fell is taken from the mean without it, as a jackknife does.
 */
function weighted(trials: readonly Trial[], of: (trial: Trial) => number): number[] {
  const total = sum(trials.map(({ weight }) => weight));
  const mean = sum(trials.map((trial) => trial.weight * of(trial))) / total;
  const even = 1 / trials.length;
  const pulls = trials.map((trial) => {
    const part = trial.weight / total;
    return ((part / even) * (of(trial) - mean) * (1 - even)) / Math.max(1 - part, Number.EPSILON);
  });
  const offset = sum(pulls) / trials.length;
  return pulls.map((pull) => mean + pull - offset);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
