import type { Route } from '../candidate-enumeration/index.js';
import type { RouteEstimate } from '../routing-stats/index.js';
import type { RouteOutlook } from './route-outlooks.service.js';

/** One row of `GET /v1/routing`. */
export interface RoutingRow {
  readonly signature: string;
  readonly hops: readonly { node_id: string; start_layer: number; end_layer: number }[];
  readonly status: RouteEstimate['status'];
  readonly tps: number | null;
  readonly coefficient: number | null;
  readonly traffic_share: number;
  readonly sample_count: number;
  readonly weight: number;
  readonly prior_tps: number;
  readonly in_flight: number;
  /** These two stand there under a policy that predicts. */
  readonly recent_share?: number | null;
  readonly predicted_seconds_200?: number | null;
  readonly last_sample_seconds_ago: number | null;
  /** Chats in a row that it gave nothing, or 1 until its next sample; left out where there are none. */
  readonly chats_given_nothing?: number;
}

/** Everything a row is made of. */
export interface RowFacts {
  readonly route: Route;
  readonly estimate: RouteEstimate;
  readonly priorTps: number;
  readonly share: number;
  readonly outlook: RouteOutlook;
}

/** The rows of one model: `coefficient` is tps over that of the fastest proven route. */
export function routingRows(facts: readonly RowFacts[], now: number): RoutingRow[] {
  const proven = facts.filter(({ estimate }) => estimate.status === 'proven');
  const best = Math.max(0, ...proven.map(({ estimate }) => estimate.tps ?? 0));
  return facts.map(({ route, estimate, priorTps, share, outlook }) => ({
    signature: route.signature,
    hops: route.hops.map(({ node, startLayer, endLayer }) => ({
      node_id: node.nodeId,
      start_layer: startLayer,
      end_layer: endLayer,
    })),
    status: estimate.status,
    tps: estimate.tps,
    coefficient: estimate.tps === null || best === 0 ? null : finite(estimate.tps / best),
    traffic_share: share,
    sample_count: estimate.sampleCount,
    weight: estimate.mass,
    prior_tps: priorTps,
    in_flight: outlook.inFlight,
    ...predictionOf(outlook),
    last_sample_seconds_ago:
      estimate.lastSampleAt === null ? null : Math.max(0, now - estimate.lastSampleAt) / 1000,
    ...(estimate.nothings === 0 ? {} : { chats_given_nothing: estimate.nothings }),
  }));
}

function predictionOf({ recentShare, shownSeconds }: RouteOutlook): Partial<RoutingRow> {
  if (recentShare === null && shownSeconds === null) return {};
  return {
    recent_share: recentShare,
    predicted_seconds_200: shownSeconds === null ? null : finite(shownSeconds),
  };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
