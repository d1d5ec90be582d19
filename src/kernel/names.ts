/** Names of the route policies; `routing/policies.ts` has one line for each. */
export const ROUTE_POLICIES = ['proportional', 'least-expected-delay'] as const;
export type RoutePolicy = (typeof ROUTE_POLICIES)[number];

/** Names of the ways to enumerate candidates; `candidate-enumeration/enumerations.ts` has one line for each. */
export const ROUTE_ENUMERATIONS = ['greedy', 'diverse'] as const;
export type RouteEnumeration = (typeof ROUTE_ENUMERATIONS)[number];
