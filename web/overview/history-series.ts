import type { HistoryPoint } from '../api/types.js';

/** What the chart draws, column by column, as uPlot takes it: seconds, means of the samples, learned speed. */
export interface HistorySeries {
  readonly at: readonly number[];
  readonly sampled: readonly (number | null)[];
  readonly learned: readonly (number | null)[];
}

export const HISTORY_SECONDS = 3600;

/**
 * Each minute stands at its middle. What was learned holds until the next sample, so its line goes on to now.
 *
 * @param learnedNow what the table says; null leaves the end open
 */
export function historySeries(
  points: readonly HistoryPoint[],
  bucketSeconds: number,
  nowSeconds: number,
  learnedNow: number | null,
): HistorySeries {
  const middles = points.map(({ at }) => Math.min(at + bucketSeconds / 2, nowSeconds));
  const isPast = (middles.at(-1) ?? 0) < nowSeconds;
  const end = points.length > 0 && learnedNow !== null && isPast;
  return {
    at: [...middles, ...(end ? [nowSeconds] : [])],
    sampled: [...points.map(({ tps }) => tps), ...(end ? [null] : [])],
    learned: [...points.map(({ learned_tps }) => learned_tps), ...(end ? [learnedNow] : [])],
  };
}

/** The hour in figures, for who can't see the chart and who wants it short. */
export interface HistorySummary {
  readonly samples: number;
  readonly minutes: number;
  readonly least: number;
  readonly most: number;
}

/** null for an hour without a sample. */
export function summaryOf(points: readonly HistoryPoint[]): HistorySummary | null {
  if (points.length === 0) return null;
  const means = points.map(({ tps }) => tps);
  return {
    samples: points.reduce((sum, { samples }) => sum + samples, 0),
    minutes: points.length,
    least: Math.min(...means),
    most: Math.max(...means),
  };
}
