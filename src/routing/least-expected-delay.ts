import type { CandidateState, ChoiceMode, Expectation, Policy, PolicySettings } from './policy.js';

/** Routes whose costs differ by less are equal, and the dice decide. */
const SAME_COST = 1e-9;

/** Share of calls that scout, for each route in need of it, and at most; `explore_share` caps it. */
const SCOUT_SHARE = 0.02;
const MOST_SCOUT_SHARE = 0.05;

/**
 * The route on which this call is expected to be done first, by what its nodes are believed to do under what they hold
 * now; what the call takes from those already there counts too, `loadHarm` times. Each chat in a row that a route gave
 * nothing doubles its cost, and a route that fails often costs as much more as its steadiness is less. Ties are drawn.
 *
 * Two small groups go elsewhere. Scouts: to an idle route that is believed to be slower, but so vaguely that it may well
 * be the fastest, unless the last one gave no sample. The control group: to the route with the fewest calls under way, so that what the policy earns over
 * that can be told from the tracker's own log. A candidate of which nothing is expected comes last.
 */
export const leastExpectedDelay: Policy = {
  asksExpected: true,

  choose(candidates, settings, rng) {
    const groups = groupsOf(candidates, settings);
    const group = groups[drawn(groups, rng())];
    const members = group?.members ?? [0];
    const index = members.length > 1 ? members[Math.floor(rng() * members.length)] : members[0];
    return {
      index: index ?? 0,
      mode: group?.mode ?? 'exploit',
      probability: probabilityOf(index ?? 0, groups),
    };
  },

  /** None at all where nothing is expected of any: then the states were taken for another policy. */
  shares(candidates, settings) {
    if (candidates.every(({ expected }) => expected === undefined)) return candidates.map(() => 0);
    const groups = groupsOf(candidates, settings);
    const shares = candidates.map(() => 0);
    for (const { share, members } of groups) {
      for (const at of members) shares[at] = (shares[at] ?? 0) + share / members.length;
    }
    return shares;
  },
};

/** Candidates among which the dice decide, and the probability that it is one of them. */
interface Group {
  readonly mode: ChoiceMode;
  readonly share: number;
  readonly members: readonly number[];
}

function groupsOf(candidates: readonly CandidateState[], settings: PolicySettings): Group[] {
  const costOf = costWith(settings);
  const best = leastBy(candidates, costOf);
  const isBest = new Set(best);
  const bestSeconds = candidates[best[0] ?? 0]?.expected?.seconds ?? Infinity;
  const scouts = candidates.flatMap(({ expected, barred }, at) =>
    !barred && !isBest.has(at) && (expected?.optimisticSeconds ?? Infinity) < bestSeconds ? [at] : [],
  );
  const control = settings.controlShare ?? 0;
  const scout = Math.min(MOST_SCOUT_SHARE, SCOUT_SHARE * scouts.length, settings.exploreShare, 1 - control);
  return [
    { mode: 'control', share: control, members: leastBy(candidates, inFlight) },
    { mode: 'scout', share: scout, members: scouts },
    { mode: 'exploit', share: 1 - control - scout, members: best },
  ];
}

/** The group in whose part of [0, 1) the draw falls. */
function drawn(groups: readonly Group[], at: number): number {
  let reached = 0;
  return groups.findIndex(({ share }, index) => at < (reached += share) || index === groups.length - 1);
}

function probabilityOf(candidate: number, groups: readonly Group[]): number {
  return groups.reduce(
    (sum, { share, members }) => sum + (members.includes(candidate) ? share / members.length : 0),
    0,
  );
}

type Cost = (expected: Expectation, candidate: CandidateState) => number;

const MOST_DOUBLINGS = 20;

const inFlight: Cost = (expected) => expected.inFlight;

function costWith({ loadHarm = 0 }: PolicySettings): Cost {
  return ({ seconds, harmSeconds }, { nothings, steadiness }) =>
    ((seconds + loadHarm * harmSeconds) * 2 ** Math.min(nothings, MOST_DOUBLINGS)) / steadiness;
}

/** Indices of all that tie for the least; never empty where there is a candidate. */
function leastBy(candidates: readonly CandidateState[], costOf: Cost): number[] {
  const costs = candidates.map((candidate) => {
    const { expected } = candidate;
    const cost = expected === undefined ? Infinity : costOf(expected, candidate);
    return Number.isNaN(cost) ? Infinity : cost;
  });
  const least = Math.min(...costs);
  const limit = least + Math.abs(least) * SAME_COST;
  return costs.flatMap((cost, at) => (cost <= limit ? [at] : []));
}
