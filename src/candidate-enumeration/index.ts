/**
 * candidate-enumeration: from topology to candidate routes with priors.
 *
 * One candidate per distinct head, greedily completed with the hop that gets furthest; each hop starts where
 * the one before ended, so a head can never be followed by a wrong start_layer. `prior_tps` is the bottleneck
 * hop's `throughput / (1 + queue) × reputation`, live. At most 8 are kept, highest prior first. Nodes whose
 * breaker is open are left out while the layers stay covered without them. Built once an epoch and breaker version.
 * Source: ADR-0021 "Candidate enumeration". Rejected: all paths (factorial with overlapping shards).
 */
export { CandidateEnumerationModule } from './candidate-enumeration.module.js';
export { CandidatesService } from './candidates.service.js';
export { routeOf, type Hop, type Route } from './route.js';
