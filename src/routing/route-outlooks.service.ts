import { Injectable } from '@nestjs/common';
import type { Route } from '../candidate-enumeration/index.js';
import { NodeHealthService } from '../node-health/index.js';
import { ExpectationsService } from './expectations.service.js';
import { RecentChoicesService } from './recent-choices.service.js';

/** How a route stands this moment. */
export interface RouteOutlook {
  readonly inFlight: number;
  /** Share of the latest choices; null where the policy keeps to `traffic_share`. */
  readonly recentShare: number | null;
  /** What an answer of 200 tokens to a usual prompt would take; null where the policy doesn't ask. */
  readonly shownSeconds: number | null;
}

export const NO_OUTLOOK: RouteOutlook = { inFlight: 0, recentShare: null, shownSeconds: null };

/** What of routes changes from call to call. */
@Injectable()
export class RouteOutlooksService {
  constructor(
    private readonly health: NodeHealthService,
    private readonly expectations: ExpectationsService,
    private readonly recent: RecentChoicesService,
  ) {}

  /** By route. */
  of(model: string, routes: readonly Route[]): RouteOutlook[] {
    const expected = this.expectations.of(model, routes, null);
    const shares = this.recent.shares(model);
    return routes.map(({ signature }, at) => ({
      inFlight: this.health.inFlightOf(signature),
      recentShare: expected === null ? null : (shares.get(signature) ?? 0),
      shownSeconds: expected?.[at]?.shownSeconds ?? null,
    }));
  }
}
