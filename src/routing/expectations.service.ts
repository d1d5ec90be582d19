import { Injectable } from '@nestjs/common';
import { assumedTpsOf, type Route } from '../candidate-enumeration/index.js';
import { NodeHealthService } from '../node-health/index.js';
import { NodeSpeedsService, type CallAsk, type SpeedHop } from '../node-speeds/index.js';
import { TopologyService } from '../topology/index.js';
import type { Expectation } from './policy.js';
import { speedHops } from './speed-hops.js';

/** What a call may expect of each route, by what is believed of the nodes and what they hold now. */
@Injectable()
export class ExpectationsService {
  constructor(
    private readonly topology: TopologyService,
    private readonly speeds: NodeSpeedsService,
    private readonly health: NodeHealthService,
  ) {}

  /** @param ask the call's size as far as it is known; null: one of the model's usual size */
  expectations(model: string, routes: readonly Route[], ask: CallAsk | null): Expectation[] {
    const usual = this.speeds.usual(model);
    const size = ask ?? { promptTokens: usual.promptTokens, mostOutputTokens: null };
    // A scout costs least where there is least to do.
    const isSmall = size.promptTokens <= usual.promptTokens;
    return this.hopsOf(model, routes).map((hops, at) => {
      const { seconds, harmSeconds, optimisticSeconds, isIdle } = this.speeds.expect(model, hops, size);
      return {
        seconds,
        harmSeconds,
        optimisticSeconds: isSmall && isIdle ? optimisticSeconds : null,
        inFlight: this.health.inFlightOf(routes[at]?.signature ?? ''),
      };
    });
  }

  /** The hops of routes as `NodeSpeedsService.begin` takes them; none where the model is not known any more. */
  hopsOf(model: string, routes: readonly Route[]): SpeedHop[][] {
    const view = this.topology.view(model);
    if (view === null) return [];
    const assumedTps = assumedTpsOf(view);
    return routes.map((route) => speedHops(route, view, (node) => this.health.inFlightOn(node), assumedTps));
  }
}
