import type { IncomingHttpHeaders } from 'node:http';

/** A node may ask for no longer rest: beyond it the tracker finds out by a chat. */
export const LONGEST_REST_MS = 600_000;

const DECIMAL = /^(?:\d+\.?\d*|\.\d+)$/;
/** The three forms of RFC 9110, 5.6.7: all begin with the day's name and have a time in UTC. */
const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d\d:\d\d:\d\d/i;
const ZONE = /(?:gmt|utc|[+-]\d{4})$/i;

/**
 * Returns the milliseconds for which a response asks to be left alone, at most {@link LONGEST_REST_MS}: by
 * `retry-after-ms`, else by `Retry-After` in seconds (fractions too) or as an HTTP date.
 *
 * @param wallNowMs Unix time in ms, which dates are compared with
 * @returns null without such a header, and where its value is 0, negative, past or unreadable
 */
export function retryAfterMs(headers: IncomingHttpHeaders, wallNowMs: number): number | null {
  const ms = decimalOf(headers['retry-after-ms']) ?? delayOf(headers['retry-after'], wallNowMs) ?? Number.NaN;
  return ms > 0 ? Math.min(ms, LONGEST_REST_MS) : null;
}

function delayOf(value: string | undefined, wallNowMs: number): number | null {
  const seconds = decimalOf(value);
  if (seconds !== null) return seconds * 1000;
  const text = value?.trim() ?? '';
  if (!HTTP_DATE.test(text)) return null;
  // The oldest form has no zone, and would be read as local time.
  return Date.parse(ZONE.test(text) ? text : `${text} GMT`) - wallNowMs;
}

function decimalOf(value: string | readonly string[] | undefined): number | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return DECIMAL.test(text) ? Number(text) : null;
}
