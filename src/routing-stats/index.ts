/**
 * routing-stats: what each route's speed was measured to be.
 *
 * One arm per (model, signature): `mass(t) = mass × 2^(-(t-at)/H)`, `value = (value × mass(t) + x × w) / (mass(t) + w)`.
 * An arm is `proven` while it has a sample of the model's present epoch and at least half a sample's mass; else
 * `unsampled`, `stale` (older epoch) or `decayed`, and waits to be scouted. What isn't a sample of a route's speed is
 * rejected with its reason. Source: ADR-0021 "Statistics"; docs/adr/0004 on what a bump discards.
 */
export {
  massAt,
  mergeArms,
  recordSample,
  statusOf,
  type Arm,
  type ArmSample,
  type ArmStatus,
} from './arm.js';
export { RoutingStatsModule } from './routing-stats.module.js';
export { RoutingStatsService, type RouteEstimate, type RouteSample } from './routing-stats.service.js';
export {
  judgeSample,
  tokensPerSecond,
  type CallFacts,
  type SampleRejection,
  type SampleVerdict,
} from './sample.js';
