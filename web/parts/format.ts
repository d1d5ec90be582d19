/** What stands where a figure is not known. */
export const UNKNOWN = '–';

/** Tokens per second: one decimal, no grouping. */
export function tps(value: number | null): string {
  return value === null ? UNKNOWN : value.toFixed(1);
}

export function fixed(value: number | null, decimals: number): string {
  return value === null ? UNKNOWN : value.toFixed(decimals);
}

/** "1 call", "2 calls" */
export function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A share of 1 in per cent. Above nothing and below the last digit it says so: a scout's share is not none. */
export function percent(share: number | null, decimals = 0): string {
  if (share === null) return UNKNOWN;
  const least = 10 ** -decimals;
  if (share > 0 && share * 100 < least) return `<${least.toFixed(decimals)} %`;
  return `${(share * 100).toFixed(decimals)} %`;
}

/** A duration from milliseconds, in the unit that people would use: 840 ms, 2.4 s, 3 min 20 s, 2 h 5 min. */
export function duration(ms: number | null): string {
  if (ms === null) return UNKNOWN;
  if (ms < 999.5) return `${ms.toFixed(0)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${String(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** Making one of these takes longer than a row of a table. */
const CLOCK = new Intl.DateTimeFormat([], {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const DATE_AND_CLOCK = new Intl.DateTimeFormat([], {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
});

/** A moment (Unix ms) as the time of day where the reader is. */
export function clockTime(at: number): string {
  return CLOCK.format(at);
}

/** A moment (Unix ms) with its date. */
export function dateTime(at: number): string {
  return DATE_AND_CLOCK.format(at);
}
