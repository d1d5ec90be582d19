import { UNKNOWN } from '../parts/format.js';

/** How long ago, in one unit: what is older needs less detail. */
export function ago(seconds: number | null): string {
  if (seconds === null) return UNKNOWN;
  if (seconds < 59.5) return `${seconds.toFixed(0)} s ago`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ago`;
  return `${String(Math.round(seconds / 3600))} h ago`;
}
