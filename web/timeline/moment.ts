import { clockTime } from '../parts/format.js';

/** A moment as the time of day, with the day where that is not today's. */
export function momentText(at: number, now: number): string {
  const [day, today] = [new Date(at), new Date(now)];
  if (day.toDateString() === today.toDateString()) return clockTime(at);
  return `${day.toLocaleDateString([], { day: 'numeric', month: 'short' })} ${clockTime(at)}`;
}
