/**
 * node-health: what the outcomes of calls say of nodes.
 *
 * A ticket counts an attempt in on its route and on each of its nodes and settles exactly once, whatever ends the
 * call. Reputation is the decayed success share, `(ok + 1) / (ok + failed + 1)`, both counts halved every stats
 * half-life; a success counts for every hop, a failure for the hop at fault alone. Source: ADR-0021 "prior_tps".
 */
export { NodeHealthModule } from './node-health.module.js';
export { NodeHealthService } from './node-health.service.js';
export type { Outcome, Ticket, TicketedRoute } from './outcome.js';
