/** How long a connection stays open without a request: longer than the idle time of the proxies that stand in front, so that they close first. */
export const KEEP_ALIVE_TIMEOUT_MS = 75_000;
