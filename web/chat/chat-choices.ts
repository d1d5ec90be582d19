import { computed, effect, signal } from '@preact/signals';
import type { ListOf } from '../api/types.js';
import { routing } from '../state/mesh.js';
import { place } from '../state/place.js';
import { Poll } from '../state/poll.js';
import { modelChoicesOf } from './model-choices.js';
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
const listed = computed(() => models.polled.value.value?.data.map(({ id }) => id) ?? NONE);

/** All models that the tracker knows, those without a route too; the routing table is the fresher of the two lists. */
export const modelChoices = computed(() => modelChoicesOf(listed.value, routing.polled.value.value?.models));

/** The first model with a route until one is chosen. */
export const model = computed(() =>
  chosenModel.value === ''
    ? (modelChoices.value.find(({ hasRoute }) => hasRoute)?.id ?? '')
    : chosenModel.value,
);

// The one that stands there is kept when it loses its routes: nobody may go on with another without having chosen it.
effect(() => {
  if (place.value.tab === 'chat' && model.value !== '') chosenModel.value = model.value;
});

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
