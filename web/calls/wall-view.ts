import { computed, signal } from '@preact/signals';
import { ALL_CALLS, filtered, type CallFilters } from './filters.js';
import { calls } from './feed.js';
import type { Wall } from './wall.js';

/** Kept while the page is open, also when another tab is shown in between. */
export const filters = signal<CallFilters>(ALL_CALLS);

/** The wall as it stood when moving rows were stopped; null while they move. */
export const paused = signal<Wall | null>(null);

const NOTHING: Wall = [];

export const heldWall = computed<Wall>(() => paused.value ?? calls.value.wall ?? NOTHING);

export const shownWall = computed<Wall>(() => filtered(heldWall.value, filters.value));

/** Calls that began since the rows were stopped. */
export const newSincePause = computed(() => {
  const held = paused.value;
  const [newest] = held ?? [];
  if (held === null) return 0;
  const wall = calls.value.wall ?? NOTHING;
  return newest === undefined
    ? wall.length
    : wall.filter(({ started_at }) => started_at > newest.started_at).length;
});
