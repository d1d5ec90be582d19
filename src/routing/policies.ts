import type { RoutePolicy } from '../kernel/index.js';
import { leastExpectedDelay } from './least-expected-delay.js';
import type { Policy } from './policy.js';
import { proportional } from './proportional.js';

/** The one list of policies. */
export const POLICIES: Readonly<Record<RoutePolicy, Policy>> = {
  proportional,
  'least-expected-delay': leastExpectedDelay,
};
