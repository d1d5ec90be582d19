import type { CallRecord } from '../api/types.js';

/** As many as the tracker remembers. */
export const MOST_CALLS = 1000;

/** Calls newest first, open ones among them. */
export type Wall = readonly CallRecord[];

/** A client may use a request id again; then it is another call. */
export function callKey({ request_id, started_at }: CallRecord): string {
  return `${started_at} ${request_id}`;
}

export function isOpen({ outcome }: CallRecord): boolean {
  return outcome === null;
}

/** What the tracker lists is all there is, but for calls that finished while it was on its way here. */
export function withList(list: readonly CallRecord[], finishedSince: readonly CallRecord[]): Wall {
  return assembled([...list, ...finishedSince]);
}

/** A finished call takes the place of the open one that it was. */
export function withFinished(wall: Wall, finished: readonly CallRecord[]): Wall {
  return assembled([...wall, ...finished]);
}

/**
 * The open calls of this moment. Those known as open and not among them have ended, so they don't stay; those that
 * are known to have finished have overtaken the snapshot.
 */
export function withOpen(wall: Wall, open: readonly CallRecord[]): Wall {
  return assembled([...open, ...wall.filter((call) => !isOpen(call))]);
}

/** Keys of calls that are no longer open and of whose end nothing was heard yet. */
export function vanished(wall: Wall, open: readonly CallRecord[]): string[] {
  const still = new Set(open.map(callKey));
  return wall
    .filter(isOpen)
    .map(callKey)
    .filter((key) => !still.has(key));
}

/** Whether any of these calls is not on the wall. */
export function lacksAny(wall: Wall, keys: readonly string[]): boolean {
  if (keys.length === 0) return false;
  const present = new Set(wall.map(callKey));
  return keys.some((key) => !present.has(key));
}

/** Of two records of one call the finished one counts, else the later. Open calls stay, however many are newer. */
function assembled(records: readonly CallRecord[]): Wall {
  const calls = new Map<string, CallRecord>();
  for (const record of records) {
    const key = callKey(record);
    const known = calls.get(key);
    if (known === undefined || isOpen(known) || !isOpen(record)) calls.set(key, record);
  }
  const newestFirst = [...calls.values()].sort(byStart);
  if (newestFirst.length <= MOST_CALLS) return newestFirst;
  let room = MOST_CALLS - newestFirst.filter(isOpen).length;
  return newestFirst.filter((call) => isOpen(call) || room-- > 0);
}

function byStart(a: CallRecord, b: CallRecord): number {
  if (a.started_at !== b.started_at) return a.started_at < b.started_at ? 1 : -1;
  return a.request_id < b.request_id ? -1 : a.request_id > b.request_id ? 1 : 0;
}
