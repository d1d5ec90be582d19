import { Inject, Injectable } from '@nestjs/common';
import { CandidatesService, type Route } from '../candidate-enumeration/index.js';
import { CLOCK, type Clock } from '../kernel/index.js';
import type { CallAsk } from '../node-speeds/index.js';
import { NodeHealthService } from '../node-health/index.js';
import { RoutingStatsService } from '../routing-stats/index.js';
import type { ModelView } from '../topology/index.js';
import { ExpectationsService } from './expectations.service.js';
import type { CandidateState, Expectation } from './policy.js';

/** How the policy sees routes. */
@Injectable()
export class CandidateStatesService {
  constructor(
    private readonly candidates: CandidatesService,
    private readonly stats: RoutingStatsService,
    private readonly expectations: ExpectationsService,
    private readonly health: NodeHealthService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param ask what is asked for; null: a call as the model's usually are */
  of(model: string, routes: readonly Route[], ask: CallAsk | null, view: ModelView | null): CandidateState[] {
    const epoch = view === null ? 0 : view.epoch;
    const priors = this.candidates.priors(model, routes, view);
    const expectations = this.expectations.of(model, routes, ask);
    // Once for all: there may be a thousand.
    const now = this.clock.now();
    const states: CandidateState[] = [];
    for (let at = 0; at < routes.length; at += 1) {
      const route = routes[at];
      if (route !== undefined) {
        states.push(this.stateOf(route, epoch, now, priors[at] ?? 0, expectations?.[at]));
      }
    }
    return states;
  }

  private stateOf(
    { model, signature, hops }: Route,
    epoch: number,
    now: number,
    priorTps: number,
    expected: Expectation | undefined,
  ): CandidateState {
    // Spelled out: an object spread with more fields behind it takes six times as long as the whole decision.
    const { status, tps, mass, scoutsInFlight, barred, nothings } = this.stats.estimate(
      model,
      signature,
      epoch,
      now,
    );
    const hopCount = hops.length;
    const steadiness = this.steadinessOf(hops);
    return expected === undefined
      ? { signature, hopCount, priorTps, status, tps, mass, scoutsInFlight, barred, nothings, steadiness }
      : {
          signature,
          hopCount,
          priorTps,
          status,
          tps,
          mass,
          scoutsInFlight,
          barred,
          nothings,
          steadiness,
          expected,
        };
  }

  /** A route is no steadier than its least steady node. */
  private steadinessOf(hops: Route['hops']): number {
    let least = 1;
    for (const { node } of hops) least = Math.min(least, this.health.steadiness(node));
    return least;
  }
}
