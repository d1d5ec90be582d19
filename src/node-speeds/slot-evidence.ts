import type { ExpectedTime } from './expected-time.js';
import { chanceWith, SLOTS, SLOTS_PRIOR, waitWith } from './load-shape.js';
import { forget, reweigh } from './probabilities.js';
import type { HopLoad } from './route-delay.js';

/** What is left of the belief in so many slots when more than that were seen running. */
const REFUTED = 0.02;
/** Of each measurement, how much of the prior comes back. */
const SLOTS_FORGETTING = 0.002;

/** Re-weighs how many calls each node runs at once, by a time of which some may have been spent in its line. */
export function weighSlots(expected: ExpectedTime, seconds: number, isCensored: boolean): void {
  const { hops, chances, usualSeconds } = expected;
  const likelihood = (wait: number): number =>
    isCensored ? expected.chanceOfMore(seconds, wait) : expected.likelihood(seconds, wait);
  const noWait = likelihood(0);
  hops.forEach(({ belief, company }, at) => {
    if (company.others <= 0) return;
    const restFree = chances.reduce(
      (product, chance, other) => (other === at ? product : product * (1 - chance)),
      1,
    );
    const restWait = expected.waitThenBut(at);
    const restLikely = restFree < 1 ? likelihood(restWait) : 0;
    const free = restFree * noWait + (1 - restFree) * restLikely;
    const likelihoods = belief.slots.map((_, index) => {
      const count = SLOTS[index] ?? Infinity;
      const chance = chanceWith(count, company);
      if (chance === 0) return company.running > count ? REFUTED * free : free;
      const wait = waitWith(count, company) * usualSeconds;
      const both = restFree < 1 ? likelihood(Math.max(wait, restWait)) : 0;
      const held = restFree * likelihood(wait) + (1 - restFree) * both;
      return (company.running > count ? REFUTED : 1) * (chance * held + (1 - chance) * free);
    });
    reweigh(belief.slots, likelihoods);
    forget(belief.slots, SLOTS_PRIOR, SLOTS_FORGETTING);
  });
}

/** A node that runs more streams than that has more slots than that. */
export function refuteSlots(hops: readonly HopLoad[]): void {
  for (const { belief, company } of hops) {
    if (company.running <= 1) continue;
    reweigh(
      belief.slots,
      belief.slots.map((_, index) => (company.running > (SLOTS[index] ?? Infinity) ? REFUTED : 1)),
    );
  }
}
