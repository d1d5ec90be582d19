/**
 * node-health: what the outcomes of calls say of nodes.
 *
 * A ticket counts an attempt in on its route and on each of its nodes and settles exactly once, whatever ends the
 * call. Reputation is the decayed success share, `(ok + 1) / (ok + failed + 1)`, both counts halved every stats
 * half-life; a success counts for every hop, a failure for the hop at fault alone. Three failures in a row open a
 * node's breaker for 15 s, doubling to 120 s; then one probe may pass. A node is full when it has its `max_concurrent`,
 * or the tracker's limit per node, under way. It rests for as long as its `Retry-After` asked. Source: ADR-0021 "prior_tps"; docs/adr/0008 on breakers,
 * docs/adr/0024 on rests.
 */
export type { Breaker, BreakerState } from './breaker.js';
export { NodeHealthModule } from './node-health.module.js';
export { NodeHealthService } from './node-health.service.js';
export type { Charge, Outcome, Ticket, TicketedRoute } from './outcome.js';
export { retryAfterMs } from './retry-after.js';
