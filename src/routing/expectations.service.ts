import { Inject, Injectable } from '@nestjs/common';
import { assumedTpsOf, mostTpsOf, type Route } from '../candidate-enumeration/index.js';
import { NodeHealthService } from '../node-health/index.js';
import {
  NodeSpeedsService,
  type CallAsk,
  type CallStart,
  type SpeedHop,
  type WatchedCall,
} from '../node-speeds/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import { TopologyService } from '../topology/index.js';
import { POLICIES } from './policies.js';
import { SHOWN_TOKENS, type Expectation } from './policy.js';
import { speedHops } from './speed-hops.js';

/** What a call may expect of routes, by what is believed of their nodes and by what these hold. Idle unless the policy asks. */
@Injectable()
export class ExpectationsService {
  /** Whether the policy in force wants to know, and so whether anything is learned. */
  readonly isAsked: boolean;
  private readonly hops = new WeakMap<Route, readonly SpeedHop[]>();

  constructor(
    @Inject(ROUTING_SETTINGS) settings: RoutingSettings,
    private readonly speeds: NodeSpeedsService,
    private readonly health: NodeHealthService,
    private readonly topology: TopologyService,
  ) {
    this.isAsked = POLICIES[settings.policy].asksExpected === true;
  }

  /**
   * By route; null where the policy doesn't ask.
   *
   * @param ask null: a call as the model's usually are
   */
  of(model: string, routes: readonly Route[], ask: CallAsk | null): readonly Expectation[] | null {
    if (!this.isAsked) return null;
    const usualPrompt = this.speeds.usual(model).promptTokens;
    const call = ask ?? { promptTokens: usualPrompt, mostOutputTokens: null };
    const { outputTokens } = this.speeds.workOf(model, call);
    // A scout of a large call would cost its user more than it tells.
    const isSmall = call.promptTokens <= usualPrompt;
    return routes.map((route) => {
      const hops = this.hopsOf(route);
      const { seconds, secondsPerToken, harmSeconds, optimisticSeconds, isIdle } = this.speeds.expect(
        model,
        hops,
        call,
      );
      return {
        seconds,
        harmSeconds,
        optimisticSeconds: isIdle && isSmall ? optimisticSeconds : null,
        inFlight: this.health.inFlightOf(route.signature),
        shownSeconds: seconds + (SHOWN_TOKENS - outputTokens) * secondsPerToken,
        nodeLoads: route.hops.map(({ node }) => this.health.inFlightAt(node)),
      };
    });
  }

  /** Counts a call in on the nodes of its route, to learn from it; null where the policy doesn't ask. */
  begin(route: Route, start: CallStart): WatchedCall | null {
    return this.isAsked ? this.speeds.begin(route.model, this.hopsOf(route), start) : null;
  }

  private hopsOf(route: Route): readonly SpeedHop[] {
    const known = this.hops.get(route);
    if (known !== undefined) return known;
    const hops = speedHops(route, {
      inFlightAt: (node) => this.health.inFlightAt(node),
      assumedTps: () => this.assumedTps(route.model),
      mostTps: () => this.mostTps(route.model),
    });
    this.hops.set(route, hops);
    return hops;
  }

  private assumedTps(model: string): number {
    const view = this.topology.view(model);
    return view === null ? 1 : assumedTpsOf(view);
  }

  private mostTps(model: string): number {
    const view = this.topology.view(model);
    return view === null ? Infinity : mostTpsOf(view);
  }
}
