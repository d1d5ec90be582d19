import type { Rng } from '../kernel/index.js';
import type { CandidateState, Choice, Expectation, Policy, PolicySettings } from './policy.js';

/** Routes whose costs differ by less are equal, and the dice decide. */
const SAME_COST = 1e-9;
export const LOAD_HARM = 0.25;
export const CONTROL_SHARE = 0.02;

/**
 * The route on which this call is expected to be done first, by what its nodes are believed to do under what they hold
 * now; what the call takes from those already there counts too, `load_harm` times. Ties are drawn. A control group is
 * routed by least in-flight instead, so that what the policy earns over that can be told from the tracker's own log.
 *
 * A candidate of which nothing is expected comes last.
 */
export const leastExpectedDelay: Policy = {
  choose(candidates, settings, rng) {
    const share = settings.controlShare ?? CONTROL_SHARE;
    const mode = share > 0 && rng() < share ? 'control' : 'exploit';
    const least = leastBy(candidates, mode === 'control' ? inFlight : costWith(settings));
    const index = least[drawn(least.length, rng)] ?? 0;
    return { index, mode, probability: this.shares(candidates, settings)[index] ?? 0 } satisfies Choice;
  },

  shares(candidates, settings) {
    const share = settings.controlShare ?? CONTROL_SHARE;
    const best = leastBy(candidates, costWith(settings));
    const control = leastBy(candidates, inFlight);
    return candidates.map((_, at) => {
      const own = best.includes(at) ? (1 - share) / best.length : 0;
      return own + (control.includes(at) ? share / control.length : 0);
    });
  },
};

type Cost = (expected: Expectation) => number;

const inFlight: Cost = (expected) => expected.inFlight;

function costWith({ loadHarm = LOAD_HARM }: PolicySettings): Cost {
  return ({ seconds, harmSeconds }) => seconds + loadHarm * harmSeconds;
}

/** Indices of all that tie for the least; never empty where there is a candidate. */
function leastBy(candidates: readonly CandidateState[], costOf: Cost): number[] {
  const costs = candidates.map(({ expected }) => {
    const cost = expected === undefined ? Infinity : costOf(expected);
    return Number.isNaN(cost) ? Infinity : cost;
  });
  const least = Math.min(...costs);
  const limit = least + Math.abs(least) * SAME_COST;
  return costs.flatMap((cost, at) => (cost <= limit ? [at] : []));
}

function drawn(count: number, rng: Rng): number {
  return count > 1 ? Math.min(count - 1, Math.floor(rng() * count)) : 0;
}
