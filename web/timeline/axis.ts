import type { TimelineFact } from '../api/types.js';
import { told, type Lane, type ToldFact } from './facts.js';

export const ZOOMS = ['15 min', '1 h', '6 h', 'all'] as const;
export type Zoom = (typeof ZOOMS)[number];

const MINUTE_MS = 60_000;
const SPANS: Readonly<Record<Exclude<Zoom, 'all'>, number>> = {
  '15 min': 15 * MINUTE_MS,
  '1 h': 60 * MINUTE_MS,
  '6 h': 360 * MINUTE_MS,
};

/** A stretch of time, Unix ms. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** What the axis shows; `all` begins a little before the oldest fact. */
export function stretchOf(zoom: Zoom, facts: readonly TimelineFact[], now: number): Stretch {
  if (zoom !== 'all') return { from: now - SPANS[zoom], to: now };
  const oldest = facts.reduce((least, { at }) => Math.min(least, at), now - MINUTE_MS);
  return { from: oldest - (now - oldest) * 0.02, to: now };
}

/** Facts of one lane that fall on one another, as one mark. */
export interface Mark {
  readonly key: string;
  readonly lane: Lane;
  readonly x: number;
  /** Newest first; at least one. */
  readonly facts: readonly TimelineFact[];
  /** How the weightiest of them looks. */
  readonly look: ToldFact;
}

const WEIGHT: Readonly<Record<ToldFact['tone'], number>> = {
  ...{ bad: 5, warn: 4, odd: 3, accent: 2, good: 1, idle: 0 },
};

/**
 * Marks from left to right. A fact closer than `gapPx` to the mark before joins it.
 *
 * @param facts newest first
 */
export function marksOf(
  facts: readonly TimelineFact[],
  { from, to }: Stretch,
  widthPx: number,
  gapPx: number,
): Mark[] {
  const marks: Mark[] = [];
  const newest = new Map<Lane, Mark>();
  for (const fact of [...facts].reverse()) {
    if (fact.at < from) continue;
    const look = told(fact);
    const x = ((Math.min(fact.at, to) - from) / (to - from)) * widthPx;
    const before = newest.get(look.lane);
    const joins = before !== undefined && x - before.x < gapPx;
    const mark = joins ? joined(before, fact, look) : markOf(fact, look, x);
    if (joins) marks.splice(marks.indexOf(before), 1);
    marks.push(mark);
    newest.set(look.lane, mark);
  }
  return marks;
}

function markOf(fact: TimelineFact, look: ToldFact, x: number): Mark {
  return { key: `${look.lane} ${String(fact.at)} ${look.text}`, lane: look.lane, x, facts: [fact], look };
}

function joined(mark: Mark, fact: TimelineFact, look: ToldFact): Mark {
  const heavier = WEIGHT[look.tone] >= WEIGHT[mark.look.tone];
  return { ...mark, facts: [fact, ...mark.facts], look: heavier ? look : mark.look };
}

const WEEK_MIN = 10_080;
/** Round steps, in minutes, of which one is chosen. */
const STEPS_MIN = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, WEEK_MIN];

function stepMin(leastMin: number): number {
  return STEPS_MIN.find((minutes) => minutes >= leastMin) ?? Math.ceil(leastMin / WEEK_MIN) * WEEK_MIN;
}

/** Moments at round local times, at most about so many. */
export function ticksOf({ from, to }: Stretch, most: number, utcOffsetMin: number): number[] {
  const span = to - from;
  const step = stepMin(span / most / MINUTE_MS) * MINUTE_MS;
  const offset = utcOffsetMin * MINUTE_MS;
  const ticks: number[] = [];
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to; at += step) ticks.push(at);
  return ticks;
}
