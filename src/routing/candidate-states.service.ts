import { Injectable } from '@nestjs/common';
import { CandidatesService, type Route } from '../candidate-enumeration/index.js';
import type { CallAsk } from '../node-speeds/index.js';
import { RoutingStatsService } from '../routing-stats/index.js';
import { ExpectationsService } from './expectations.service.js';
import type { CandidateState } from './policy.js';

/** How the policy sees routes. */
@Injectable()
export class CandidateStatesService {
  constructor(
    private readonly candidates: CandidatesService,
    private readonly stats: RoutingStatsService,
    private readonly expectations: ExpectationsService,
  ) {}

  /** @param ask what is asked for; null: a call as the model's usually are */
  of(model: string, routes: readonly Route[], ask: CallAsk | null): CandidateState[] {
    const priors = this.candidates.priors(model, routes);
    const expectations = this.expectations.of(model, routes, ask);
    return routes.map(({ signature, hops }, at) => {
      // Spelled out: an object spread with more fields behind it takes six times as long as the whole decision.
      const { status, tps, mass, scoutsInFlight, barred } = this.stats.estimate(model, signature);
      const priorTps = priors[at] ?? 0;
      const hopCount = hops.length;
      const expected = expectations?.[at];
      return expected === undefined
        ? { signature, hopCount, priorTps, status, tps, mass, scoutsInFlight, barred }
        : { signature, hopCount, priorTps, status, tps, mass, scoutsInFlight, barred, expected };
    });
  }
}
