import { computed, signal } from '@preact/signals';
import type { CallRecord, ListOf, RoutingHistory } from '../api/types.js';
import { keptSignal } from '../state/kept-signal.js';
import { POLL_EVERY_MS, routing } from '../state/mesh.js';
import { place } from '../state/place.js';
import { Poll } from '../state/poll.js';
import { openRoute } from './open-route.js';
import { readOrder, writeOrder } from './route-order.js';

/** How all candidate tables are sorted. */
export const routeOrder = keptSignal('meshnet-route-order', readOrder, writeOrder);

/** The model whose routes are all shown, however many; of others the first. */
export const allRoutesOf = signal<string | null>(null);

/** What is typed into the filter of models; holds for the whole tab. */
export const typed = signal('');

/** What was folded or opened by hand, by the part of the tab and its model. */
export const folds = signal<ReadonlyMap<string, boolean>>(new Map());

/** The route that the address names: its row stands open. */
export const opened = computed(() => {
  const { tab, detail } = place.value;
  return tab === 'overview' ? openRoute(routing.polled.value.value?.models ?? [], detail) : null;
});

const openKey = computed(() => {
  const open = opened.value;
  return open === null ? null : { model: open.model, signature: open.signature };
});

/** Asked for while a route is open. */
export const openHistory = new Poll<RoutingHistory>(
  computed(() => {
    const open = openKey.value;
    if (open === null) return null;
    const asked = new URLSearchParams({ model: open.model, signature: open.signature });
    return `/v1/routing/history?${asked.toString()}`;
  }),
  POLL_EVERY_MS,
);

/** All that the tracker remembers of the open route's model: its calls on other routes push it out otherwise. */
export const openCalls = new Poll<ListOf<CallRecord>>(
  computed(() => {
    const open = openKey.value;
    return open === null
      ? null
      : `/v1/calls?${new URLSearchParams({ model: open.model }).toString()}&limit=1000`;
  }),
  POLL_EVERY_MS,
);

export interface RouteName {
  readonly model: string;
  readonly signature: string;
}

const pointedAt = signal<RouteName | null>(null);

/** Chosen at the layer map, to stay lit without a pointer. */
export const pinned = signal<RouteName | null>(null);

/** The route whose hops the layer map lights: the one under the pointer or focus, else the chosen, else the open one. */
export const lit = computed<RouteName | null>(() => pointedAt.value ?? pinned.value ?? openKey.value);

export function pointAt(route: RouteName): void {
  pointedAt.value = route;
}

export function pointAway(): void {
  pointedAt.value = null;
}

/** Chooses the route, or lets go of it. */
export function pin(route: RouteName): void {
  pinned.value = isSame(pinned.peek(), route) ? null : route;
}

export function isSame(one: RouteName | null, other: RouteName): boolean {
  return one?.signature === other.signature && one.model === other.model;
}
