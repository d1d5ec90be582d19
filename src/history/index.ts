/**
 * history: what was, for whoever looks later.
 *
 * Four views, all fed by the bus alone and all bounded: the learned speed of each route by minute over the last hour
 * (`GET /v1/routing/history`), per model the last five minutes against those an hour before (`GET /v1/incidents`), what choosing
 * well saved and scouts cost over the last day and week (`GET /v1/routing/earnings`), and the
 * newest thousand changes of the mesh (`GET /v1/timeline`). A share is `succeeded / (succeeded + failed)`: what a client did
 * itself counts for neither. Times to first token are kept as counts in bins that grow by a tenth, so a percentile is off
 * by a twentieth at most, and bins of several moments add up. What lies back how far is measured by monotonic time;
 * the wall clock only labels it. Nothing here outlives the process: lasting records are Prometheus's.
 */
export { HistoryModule } from './history.module.js';
export type { Earnings, EarningsRow } from './earnings.js';
export type { IncidentRow, IncidentWindow } from './model-incidents.js';
export type { RouteHistory, RoutePoint } from './route-history.service.js';
export type { TimelineEntry } from './timeline.js';
