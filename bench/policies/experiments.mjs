import { trueSeconds } from './oracle.mjs';

/**
 * What a policy spends on finding out: of each call that it sent elsewhere than it believed best, the seconds by which that route
 * takes longer than the other, both as the oracle foresees them at that moment, and no longer than until the run ends. Where the
 * scout was right, it is less than nothing.
 */
export class Experiments {
  seconds = { scout: 0, control: 0 };

  /** @param asIfBest the route that the policy believed best; undefined where it knew of none */
  add(mode, request, route, asIfBest, mesh) {
    if (!(mode in this.seconds) || asIfBest === undefined || route === asIfBest) return;
    const most = mesh.horizon - mesh.now;
    const secondsOn = (on) => Math.min(most, trueSeconds(request, on, mesh));
    this.seconds[mode] += secondsOn(route) - secondsOn(asIfBest);
  }
}

/** Index of the greatest; the first of equals, and -1 where nothing is over the least allowed. */
export function greatest(values, least = 0) {
  return values.reduce((best, value, at) => (value > (values[best] ?? least) ? at : best), -1);
}
