/**
 * candidate-enumeration: from topology to candidate routes with priors.
 *
 * Two ways to find them. `greedy`, the default: one candidate per distinct head, completed with the hop that gets
 * furthest. `diverse`: routes that are fast and share few nodes, from layer boundaries as a graph. Of routes with more
 * than one hop 8 are kept (diverse: 12), of servers of the whole model 1,000 (docs/adr/0025). Either way each hop starts where the one before ended, so a head can never be followed by a wrong start_layer.
 * `prior_tps` is the bottleneck hop's `throughput / (1 + queue) × reputation`, live; the highest come first. Nodes
 * whose breaker is open are left out while the layers stay covered without them. Built once an epoch and breaker
 * version. Source: ADR-0021 "Candidate enumeration" for greedy, docs/adr/0014-diverse-candidates.md for diverse.
 * Rejected: all paths (factorial with overlapping shards).
 */
export { CandidateEnumerationModule } from './candidate-enumeration.module.js';
export { CandidatesService } from './candidates.service.js';
export { assumedTpsOf, mostTpsOf } from './prior.js';
export { routeOf, type Hop, type Route } from './route.js';
