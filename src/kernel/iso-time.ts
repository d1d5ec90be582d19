let lastSecond = NaN;
let upToSecond = '';

/**
 * Unix ms as ISO 8601 in UTC, as `Date` writes it. Every call begins at a moment and is logged at another: within one
 * second only the milliseconds are written anew.
 */
export function isoTime(wallMs: number): string {
  const second = Math.floor(wallMs / 1000);
  if (second !== lastSecond) {
    upToSecond = new Date(second * 1000).toISOString().slice(0, -4);
    lastSecond = second;
  }
  return `${upToSecond}${String(Math.floor(wallMs) - second * 1000).padStart(3, '0')}Z`;
}
