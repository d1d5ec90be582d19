import { computed, signal } from '@preact/signals';
import type { Incidents, ListOf, ModelEarnings, NodeRow, RoutingTable, TimelineFact } from '../api/types.js';
import { place } from './place.js';
import { Poll } from './poll.js';

/** The ADR's pace: what was learned is at most so old on the page. */
export const POLL_EVERY_MS = 4000;

/** Asked for whichever tab is shown: the header's live sign hangs on it. */
export const routing = new Poll<RoutingTable>(signal('/v1/routing'), POLL_EVERY_MS);

export const nodes = new Poll<ListOf<NodeRow>>(
  computed(() => (['overview', 'nodes'].includes(place.value.tab) ? '/v1/nodes' : null)),
  POLL_EVERY_MS,
);

export const incidents = new Poll<Incidents>(
  computed(() => (place.value.tab === 'overview' ? '/v1/incidents' : null)),
  POLL_EVERY_MS,
);

/** Moves slowly. */
export const earnings = new Poll<ListOf<ModelEarnings>>(
  computed(() => (place.value.tab === 'overview' ? '/v1/routing/earnings' : null)),
  5 * POLL_EVERY_MS,
);

export const timeline = new Poll<ListOf<TimelineFact>>(
  computed(() => (place.value.tab === 'timeline' ? '/v1/timeline?limit=1000' : null)),
  POLL_EVERY_MS,
);
