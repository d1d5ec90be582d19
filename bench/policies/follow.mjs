import { POLICIES, worldOf } from './cell.mjs';
import { simulate } from './simulation.mjs';

const SLOWER = 8;
const BIN_SECONDS = 20;
const LOOK_SECONDS = 300;
/** The share has followed when it has gone so much of the way to where it settles. */
const FOLLOWED = 0.8;

/**
 * How soon traffic follows: the busiest node becomes eight times slower a third of the way through, and recovers after
 * another third. Shares are counted over all seeds together, in bins of 20 s from the moment of change.
 *
 * @returns seconds until the share of calls on that node had gone four fifths of the way, or null where it never did
 */
export function follow({ nodeModel, mesh, policy, seeds, requests, load = 0.7 }) {
  const counts = { slowed: bins(), recovered: bins() };
  const settled = { before: tally(), slowed: tally(), recovered: tally() };
  for (const seed of seeds)
    followOne({ scenario: 'steady', nodeModel, mesh, load, policy, seed, requests }, counts, settled);
  const level = Object.fromEntries(Object.entries(settled).map(([name, { hit, all }]) => [name, hit / all]));
  return {
    share_before: level.before,
    share_slowed: level.slowed,
    share_recovered: level.recovered,
    slowed_s: secondsUntil(counts.slowed, level.before, level.slowed),
    recovered_s: secondsUntil(counts.recovered, level.slowed, level.recovered),
  };
}

function bins() {
  return Array.from({ length: LOOK_SECONDS / BIN_SECONDS }, tally);
}

function tally() {
  return { hit: 0, all: 0 };
}

function followOne(cell, counts, settled) {
  const { world, parts } = worldOf(cell);
  const make = () => POLICIES[cell.policy].make(parts);
  const span = world.arrivals.at(-1).at;
  const [slow, back] = [span / 3, (2 * span) / 3];
  const machine = busiest(
    simulate({ ...world, arrivals: world.arrivals.slice(0, Math.floor(world.arrivals.length / 4)) }, make()),
  );
  const changes = [
    { at: slow, machine, factor: SLOWER },
    { at: back, machine, factor: 1 },
  ];
  for (const { at, route } of simulate({ ...world, changes }, make()).picks) {
    const isHit = route.hops.some((hop) => hop.machine === machine);
    const add = (to) => {
      if (to === undefined) return;
      to.all += 1;
      to.hit += isHit ? 1 : 0;
    };
    if (at > slow / 2 && at < slow) add(settled.before);
    else if (at >= back) {
      add(counts.recovered[Math.floor((at - back) / BIN_SECONDS)]);
      if (at > (back + span) / 2) add(settled.recovered);
    } else if (at >= slow) {
      add(counts.slowed[Math.floor((at - slow) / BIN_SECONDS)]);
      if (at > (slow + back) / 2) add(settled.slowed);
    }
  }
}

function busiest({ picks }) {
  const uses = new Map();
  for (const { route } of picks)
    for (const { machine } of route.hops) uses.set(machine, (uses.get(machine) ?? 0) + 1);
  return [...uses].sort((a, b) => b[1] - a[1])[0][0];
}

/** The end of the first bin by which the share had followed. */
function secondsUntil(counts, from, to) {
  const way = to - from;
  const at = counts.findIndex(({ hit, all }) => all > 0 && (hit / all - from) / way >= FOLLOWED);
  return at < 0 ? null : (at + 1) * BIN_SECONDS;
}
