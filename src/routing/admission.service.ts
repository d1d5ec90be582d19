import { Inject, Injectable } from '@nestjs/common';
import { CandidatesService, type Route } from '../candidate-enumeration/index.js';
import { NodeHealthService } from '../node-health/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import { ExpectationsService } from './expectations.service.js';
import { SHOWN_TOKENS, type Expectation } from './policy.js';

/** Whether new chats of a model are better off waiting. */
export interface Admission {
  /** False: never. */
  readonly isOn: boolean;
  isOver(model: string): boolean;
}

/**
 * Keeps chats off a mesh that is slow for all that it holds: over the limit is a model whose best route with room is predicted
 * to take more than `admissionSecondsPerToken` for each token of a 200-token answer, the way there included. A route that
 * holds nothing is taken, however slow it is: nobody would make it quicker by waiting.
 */
@Injectable()
export class AdmissionService implements Admission {
  constructor(
    @Inject(ROUTING_SETTINGS) private readonly settings: RoutingSettings,
    private readonly candidates: CandidatesService,
    private readonly expectations: ExpectationsService,
    private readonly health: NodeHealthService,
  ) {}

  get isOn(): boolean {
    return this.settings.admissionSecondsPerToken > 0;
  }

  isOver(model: string): boolean {
    if (!this.isOn) return false;
    const routes = this.candidates.candidates(model).filter((route) => this.hasRoom(route));
    const best = quickest(this.expectations.of(model, routes, null) ?? []);
    return best !== null && isBusy(best) && secondsPerToken(best) > this.settings.admissionSecondsPerToken;
  }

  private hasRoom({ hops }: Route): boolean {
    const { health } = this;
    return hops.every(
      ({ node }) => !health.isBlocked(node) && !health.isResting(node) && !health.isFull(node),
    );
  }
}

function secondsPerToken({ shownSeconds = 0 }: Expectation): number {
  return shownSeconds / SHOWN_TOKENS;
}

function isBusy({ nodeLoads = [] }: Expectation): boolean {
  return nodeLoads.some((load) => load > 0);
}

function quickest(expected: readonly Expectation[]): Expectation | null {
  return expected.reduce<Expectation | null>(
    (best, one) => (best === null || secondsPerToken(one) < secondsPerToken(best) ? one : best),
    null,
  );
}
