import { effect, signal, type ReadonlySignal } from '@preact/signals';
import { TrackerStream } from '../api/event-source.js';
import { mayAsk } from './admin-key.js';
import { backOffMs } from './back-off.js';

/** What `GET /v1/events` tells of. */
const TYPES = [
  'route.selected',
  'call.finished',
  'epoch.bumped',
  'node.joined',
  'node.left',
  'breaker.changed',
  'node.resting',
  'nodes_file.read',
  'nodes_file.refused',
] as const;
export type EventType = (typeof TYPES)[number];

export interface Watcher {
  /** From now on nothing is missed; what happened before has to be asked for. */
  opened(): void;
  told(type: EventType, fact: unknown): void;
}

/** `closed`: nobody needs it, or nobody can see the page. */
export type StreamState = 'closed' | 'opening' | 'live' | 'lost';

/** A stream that has lived so long was no failure. */
const STEADY_AFTER_MS = 5000;

const state = signal<StreamState>('closed');
export const streamState: ReadonlySignal<StreamState> = state;

const watchers = new Set<Watcher>();
const watcherCount = signal(0);
let source: TrackerStream | null = null;
let retry: ReturnType<typeof setTimeout> | undefined;
let failures = 0;

/**
 * Tells of events from now on. The page has one stream, however many watch, and it is open only while somebody does
 * and the page can be seen.
 *
 * @returns ends it
 */
export function watchEvents(watcher: Watcher): () => void {
  watchers.add(watcher);
  watcherCount.value = watchers.size;
  if (state.peek() === 'live') watcher.opened();
  return () => {
    watchers.delete(watcher);
    watcherCount.value = watchers.size;
  };
}

effect(() => {
  if (watcherCount.value > 0 && mayAsk.value) {
    if (source === null) open();
  } else {
    close();
  }
});

function open(): void {
  clearTimeout(retry);
  if (state.peek() !== 'lost') state.value = 'opening';
  let openedAt = Infinity;
  source = new TrackerStream('/v1/events', {
    opened: () => {
      openedAt = Date.now();
      state.value = 'live';
      for (const watcher of [...watchers]) watcher.opened();
    },
    told: ({ type, data }) => tell(type, data),
    // One that is cut again and again as soon as it opens is no better than one that never does.
    lost: () => lost(Date.now() - openedAt > STEADY_AFTER_MS ? 1 : failures + 1),
  });
}

function lost(times: number): void {
  source = null;
  failures = times;
  state.value = 'lost';
  retry = setTimeout(open, backOffMs(failures, Math.random()));
}

/** The tracker was heard of again: there is nothing to wait for. */
export function retryEvents(): void {
  if (state.peek() === 'lost' && source === null && watcherCount.peek() > 0 && mayAsk.peek()) open();
}

function close(): void {
  clearTimeout(retry);
  source?.close();
  source = null;
  failures = 0;
  state.value = 'closed';
}

function tell(name: string, data: string): void {
  const type = TYPES.find((known) => known === name);
  if (type === undefined) return;
  let fact: unknown;
  try {
    fact = JSON.parse(data);
  } catch {
    return;
  }
  for (const watcher of [...watchers]) watcher.told(type, fact);
}
