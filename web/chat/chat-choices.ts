import { computed, signal } from '@preact/signals';
import type { ListOf } from '../api/types.js';
import { routing } from '../state/mesh.js';
import { place } from '../state/place.js';
import { Poll } from '../state/poll.js';
import { hopsTyped, type ChatChoices } from './request.js';

const MODELS_EVERY_MS = 10_000;

/** Models that a chat can be routed to right now. */
export const models = new Poll<ListOf<{ readonly id: string }>>(
  computed(() => (place.value.tab === 'chat' ? '/v1/models' : null)),
  MODELS_EVERY_MS,
);

/** What was chosen; empty for what wasn't. */
export const chosenModel = signal('');
/** A candidate's signature, or {@link TYPED}. */
export const chosenRoute = signal('');
export const typedHops = signal('');
export const system = signal('');
export const maxTokens = signal('');
export const temperature = signal('');
export const draft = signal('');

/** Stands for a route that is typed. No signature is like it: those have a bar. */
export const TYPED = 'typed';

const NONE: readonly string[] = [];
export const modelIds = computed(() => models.polled.value.value?.data.map(({ id }) => id) ?? NONE);
/** The first model until one is chosen. */
export const model = computed(() =>
  chosenModel.value === '' ? (modelIds.value[0] ?? '') : chosenModel.value,
);

export const candidates = computed(
  () => routing.polled.value.value?.models.find((one) => one.model === model.value)?.candidates ?? [],
);

export function chooseModel(id: string): void {
  chosenModel.value = id;
  // Another model has other routes.
  chosenRoute.value = '';
}

/** Node ids to pin; empty where the tracker chooses. A candidate that is gone is asked for nevertheless: one wants to hear so. */
export function chooseRoute(value: string): void {
  const hops = candidates.peek().find(({ signature }) => signature === value)?.hops;
  if (hops !== undefined) typedHops.value = hops.map(({ node_id }) => node_id).join(', ');
  chosenRoute.value = value;
}

export const choices = computed<ChatChoices>(() => ({
  model: model.value,
  route: chosenRoute.value === '' ? [] : hopsTyped(typedHops.value),
  system: system.value,
  maxTokens: maxTokens.value,
  temperature: temperature.value,
}));
