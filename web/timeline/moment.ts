import { clockTime } from '../parts/format.js';

const DAY = new Intl.DateTimeFormat([], { day: 'numeric', month: 'short' });

/** A moment as the time of day, with the day where that is not today's. */
export function momentText(at: number, now: number): string {
  const [day, today] = [new Date(at), new Date(now)];
  if (day.toDateString() === today.toDateString()) return clockTime(at);
  return `${DAY.format(at)} ${clockTime(at)}`;
}
