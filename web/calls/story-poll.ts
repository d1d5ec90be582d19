import { computed } from '@preact/signals';
import type { CallRecord } from '../api/types.js';
import { place } from '../state/place.js';
import { Poll } from '../state/poll.js';

const EVERY_MS = 1000;

/** The call that the address names: as it goes while it is open, and once it is over no more. */
export const storyPoll = new Poll<CallRecord>(
  computed(() => {
    const { tab, detail } = place.value;
    return tab === 'calls' && detail !== null ? `/v1/calls/${encodeURIComponent(detail)}` : null;
  }),
  EVERY_MS,
  ({ outcome }) => outcome !== null,
);
