import type { Company } from './company.js';
import type { Probabilities } from './probabilities.js';

/** Each other call that runs on a node slows one by so many times its time alone. */
export const SLOPES: readonly number[] = [0, 0.1, 0.2, 0.35, 0.5, 0.75, 1];
export const SLOPE_PRIOR: readonly number[] = [0.1, 0.1, 0.15, 0.25, 0.2, 0.1, 0.1];
/** So many calls run on a node at once; the others wait in its line. */
export const SLOTS: readonly number[] = [1, 2, 3, 4, 6, 8, 16, Infinity];
export const SLOTS_PRIOR: readonly number[] = [0.07, 0.1, 0.07, 0.12, 0.08, 0.1, 0.06, 0.4];
/** With places that nobody is seen to run on, whoever is given to the node waits for another: mostly, but not always. */
const CHANCE_WITH_ROOM = 0.3;

/** Of the others on the node, how many run beside one's own call. */
export function runningBeside(slots: Probabilities, { others }: Company): number {
  if (others <= 0) return 0;
  let mean = 0;
  for (let at = 0; at < SLOTS.length; at += 1) {
    mean += (slots[at] ?? 0) * Math.min(others, (SLOTS[at] ?? Infinity) - 1);
  }
  return mean;
}

/** Expected wait for a place, in calls of usual length. */
export function meanWait(slots: Probabilities, company: Company): number {
  let mean = 0;
  for (let at = 0; at < SLOTS.length; at += 1)
    mean += (slots[at] ?? 0) * waitWith(SLOTS[at] ?? Infinity, company);
  return mean;
}

/** Probability that one has to wait at all. */
export function chanceOfWait(slots: Probabilities, company: Company): number {
  let chance = 0;
  for (let at = 0; at < SLOTS.length; at += 1) {
    chance += (slots[at] ?? 0) * chanceWith(SLOTS[at] ?? Infinity, company);
  }
  return Math.min(1, chance);
}

/** The same with so many slots. */
export function chanceWith(count: number, { others, streams, running }: Company): number {
  if (others < count) return 0;
  // Of answers in one piece nobody sees whether they have begun: as many of them as of the streams.
  const likelyRunning = streams > 0 ? (running / streams) * others : others;
  return likelyRunning >= count ? 1 : CHANCE_WITH_ROOM;
}

/** If one has to wait: whoever leaves next, of as many as run, makes the line one shorter. */
export function waitWith(count: number, { others }: Company): number {
  return others < count ? 0 : (others + 1 - count) / count;
}
