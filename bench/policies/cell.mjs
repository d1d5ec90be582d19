import { arrivalsFrom, meanSize } from './arrivals.mjs';
import { proportional } from './adr.mjs';
import { capacityOf } from './capacity.mjs';
import { dice, seedOf } from './dice.mjs';
import { machinesOf } from './mesh.mjs';
import { oracle } from './oracle.mjs';
import { leastExpectedDelay } from './ours.mjs';
import { latencyList, leastInFlight, peakEwma, roundRobin } from './peers.mjs';
import { routesOver } from './routes.mjs';
import { availabilityOf, changesOf, scenarioOf } from './scenarios.mjs';
import { simulate, unloadedSeconds } from './simulation.mjs';

/** Times the best route's seconds a token on the mesh at rest, at which admission begins to hold requests back. */
const ADMISSION_TIMES = 2.75;
/** So long they are held back; who has waited longer could not be served well any more. */
const ADMISSION_QUEUE = { queueSeconds: 2 };
/** A request is served well when it is done within so many times what it takes on the empty mesh. */
const WELL_TIMES = 3;

/** Name, and the routes it chooses among. Peers' rules have the same routes as ours. */
export const POLICIES = {
  'least-expected-delay': { make: leastExpectedDelay, says: 'this tracker’s, with `diverse`' },
  'with admission': {
    make: (parts) =>
      leastExpectedDelay({ ...parts, admissionSecondsPerToken: parts.restSecondsPerToken * ADMISSION_TIMES }),
    queue: ADMISSION_QUEUE,
    says: 'the same, and requests wait, two seconds at most, while the best route is expected to be slow',
  },
  proportional: { make: proportional, enumeration: 'greedy', says: 'the ADR’s defaults, with `greedy`' },
  'proportional, tuned': {
    make: (parts) => proportional({ ...parts, settings: { exploreShare: 0.05, weightAlpha: 4 } }),
    says: 'alpha 4, explore 0.05, with `diverse`',
  },
  'round robin': { make: roundRobin, isPeer: true, says: 'in turn' },
  'least in-flight': { make: leastInFlight, isPeer: true, says: 'the route with the fewest calls' },
  'p2c peak-ewma': { make: peakEwma, isPeer: true, says: 'of two drawn, the lower latency × (pending + 1)' },
  'latency list': { make: latencyList, isPeer: true, says: 'lowest seconds a token over the last ten' },
  oracle: { make: oracle, says: 'knows true speeds, loads and sizes' },
};

/** One run. @param cell `{scenario, nodeModel, mesh, load, policy, seed, requests}` */
export function runCell(cell) {
  const { world, parts } = worldOf(cell);
  const { make, queue } = POLICIES[cell.policy];
  const policy = make(parts);
  return { cell, ...measure(world, simulate(world, policy, queue), policy.experiments) };
}

/** The same world for every policy. */
export function worldOf({ scenario: name, nodeModel, mesh, load, policy, seed, requests }) {
  const scenario = scenarioOf(name);
  const worldDice = dice(seedOf(seed, mesh, nodeModel.length));
  const machines = machinesOf(mesh, scenario.sigma, worldDice);
  const all = machines.map(() => true);
  const diverse = routesOver(machines, 'diverse');
  const capacity = capacityOf(
    diverse(all),
    machines,
    nodeModel,
    meanSize(scenario.trace),
    availabilityOf(scenario),
  );
  const { jsonShare } = scenario;
  const perSecond = load * capacity;
  const arrivals = arrivalsFrom(scenario.trace, { count: requests, perSecond, jsonShare }, worldDice);
  const changes = changesOf(scenario, machines, arrivals.at(-1).at + 1000, worldDice);
  const routesAt = POLICIES[policy].enumeration === 'greedy' ? routesOver(machines, 'greedy') : diverse;
  const world = { machines, nodeModel, arrivals, changes, routesAt, best: diverse(all) };
  const token = { promptTokens: 0, outputTokens: 1 };
  const restSecondsPerToken = bestSeconds(token, world);
  return { world, parts: { dice: dice(seedOf(seed, 7)), restSecondsPerToken } };
}

function bestSeconds(request, { best, machines }) {
  return Math.min(...best.map((route) => unloadedSeconds(request, route, machines)));
}

function measure(world, { results, controlSeconds }, experiments) {
  const seconds = results.filter(({ outcome }) => outcome !== 'refused').map((result) => result.seconds);
  const sorted = Float64Array.from(seconds).sort();
  const at = (share) =>
    sorted.length === 0 ? null : sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const all = sorted.reduce((sum, value) => sum + value, 0);
  const mean = sorted.length === 0 ? null : all / sorted.length;
  const costOf = (seconds) => (seconds === undefined || !(all > 0) ? null : seconds / all);
  const well = results.filter(
    ({ outcome, seconds: own }, id) =>
      outcome === 'finished' && own <= WELL_TIMES * bestSeconds(world.arrivals[id], world),
  ).length;
  const count = (kind) => results.filter(({ outcome }) => outcome === kind).length;
  return {
    mean_s: mean,
    p50_s: at(0.5),
    p99_s: at(0.99),
    goodput: well / results.length,
    refused: count('refused'),
    unfinished: count('unfinished'),
    control_mean_s: meanOf(controlSeconds),
    scout_cost: costOf(experiments?.seconds.scout),
    control_cost: costOf(experiments?.seconds.control),
  };
}

function meanOf(values) {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
