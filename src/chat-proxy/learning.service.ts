import { Inject, Injectable } from '@nestjs/common';
import { NodeHealthService } from '../node-health/index.js';
import type { Decision } from '../routing/index.js';
import { RoutingStatsService, type SampleVerdict } from '../routing-stats/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { outcomeOf, sampleOf } from './settlement.js';

/** An attempt that is counted in. */
export interface OpenAttempt {
  /** Counts it out and learns from it; call it once. */
  settle(end: AttemptEnd): SampleVerdict;
  /** Counts it out without a word, unless it is settled: the tracker itself failed. */
  abandon(): void;
}

/** What the router learns of an attempt: in-flight, reputation, scouts and, of a good one, its speed. */
@Injectable()
export class LearningService {
  constructor(
    @Inject(ROUTING_SETTINGS) private readonly settings: RoutingSettings,
    private readonly health: NodeHealthService,
    private readonly stats: RoutingStatsService,
  ) {}

  open(decision: Decision): OpenAttempt {
    const { route, signature, mode } = decision;
    const ticket = this.health.take(route);
    let isScouting = mode === 'scout';
    if (isScouting) this.stats.scoutStarted(signature);
    const endScout = (gaveSample: boolean): void => {
      if (isScouting) this.stats.scoutEnded(signature, gaveSample);
      isScouting = false;
    };
    return {
      settle: (end) => {
        ticket.settle(outcomeOf(end, route));
        const verdict = sampleOf(end, this.settings.minSampleTokens);
        endScout(verdict.kind === 'sample');
        if (verdict.kind === 'sample') this.record(decision, verdict);
        return verdict;
      },
      abandon: () => {
        ticket.settle({ kind: 'neutral' });
        endScout(false);
      },
    };
  }

  private record(
    { model, signature, epoch, mode }: Decision,
    { tps, weight }: SampleVerdict & { kind: 'sample' },
  ): void {
    this.stats.record({ model, signature, tps, weight, epoch, isPinned: mode === 'pinned' });
  }
}
