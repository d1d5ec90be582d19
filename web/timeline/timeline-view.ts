import { computed, signal } from '@preact/signals';
import type { TimelineFact } from '../api/types.js';
import { timeline } from '../state/mesh.js';
import type { Zoom } from './axis.js';
import { factKey, listed, type FactFilters } from './facts.js';

/** Kept while the page is open, also when another tab is shown in between. */
export const zoom = signal<Zoom>('1 h');
export const filters = signal<FactFilters>({ lane: '', model: '' });

/** Keys of the facts under the mark that was chosen on the axis. */
export const lit = signal<ReadonlySet<string>>(new Set());

const PAGE = 100;
/** How many rows of the list are in the document. */
export const rowsShown = signal(PAGE);

export function showMore(): void {
  rowsShown.value += PAGE;
}

const NONE: readonly TimelineFact[] = [];

/** Newest first. */
export const facts = computed(() => timeline.polled.value.value?.data ?? NONE);
export const shown = computed(() => listed(facts.value, filters.value));

/** Lights these facts' rows, which are brought into the document if they weren't. */
export function light(chosen: readonly TimelineFact[]): void {
  const keys = new Set(chosen.map(factKey));
  lit.value = keys;
  const last = shown.peek().findLastIndex((fact) => keys.has(factKey(fact)));
  rowsShown.value = Math.max(rowsShown.peek(), last + 1);
}
