import { Inject, Injectable } from '@nestjs/common';
import { NodeHealthService, type Outcome, type Ticket } from '../node-health/index.js';
import type { Decision } from '../routing/index.js';
import { RoutingStatsService, type SampleVerdict } from '../routing-stats/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { outcomeOf, sampleOf } from './settlement.js';
import type { AttemptWatch } from './speeds/attempt-watch.js';
import { SpeedWatchService } from './speeds/speed-watch.service.js';

/** An attempt that is counted in. */
export interface OpenAttempt {
  /** What is to be told how the attempt goes; null where nobody learns of that. */
  readonly watch: AttemptWatch | null;
  /** Counts it out and learns from it; call it once. */
  settle(end: AttemptEnd): SampleVerdict;
  /** Counts it out without a word, unless it is settled: the tracker itself failed. */
  abandon(): void;
}

/** A route, and the ticket that was taken for it in the same moment. */
export interface Turn {
  readonly decision: Decision;
  readonly open: OpenAttempt;
}

/** What the router learns of an attempt: in-flight, reputation, scouts and, of a good one, its speed. */
@Injectable()
export class LearningService {
  constructor(
    @Inject(ROUTING_SETTINGS) private readonly settings: RoutingSettings,
    private readonly health: NodeHealthService,
    private readonly stats: RoutingStatsService,
    private readonly watches: SpeedWatchService,
  ) {}

  /** @param freed called whenever it is counted out, or might be */
  open(decision: Decision, freed: () => void = NOBODY_WAITS): Turn {
    const { route, signature, mode } = decision;
    const ticket = this.health.take(route);
    const isScout = mode === 'scout';
    if (isScout) this.stats.scoutStarted(signature);
    return new Learning(this, decision, ticket, isScout, this.watches.begin(decision), freed);
  }

  sampleOf(end: AttemptEnd): SampleVerdict {
    return sampleOf(end, this.settings.minSampleTokens);
  }

  scoutEnded({ signature }: Decision, gaveSample: boolean): void {
    this.stats.scoutEnded(signature, gaveSample);
  }

  record(
    { model, signature, epoch, mode }: Decision,
    { tps, weight }: SampleVerdict & { kind: 'sample' },
  ): void {
    this.stats.record({ model, signature, tps, weight, epoch, isPinned: mode === 'pinned' });
  }
}

/** An attempt that is counted in, until it is counted out. */
class Learning implements OpenAttempt, Turn {
  constructor(
    private readonly learning: LearningService,
    readonly decision: Decision,
    private readonly ticket: Ticket,
    private isScouting: boolean,
    readonly watch: AttemptWatch | null,
    private readonly freed: () => void,
  ) {}

  get open(): OpenAttempt {
    return this;
  }

  settle(end: AttemptEnd): SampleVerdict {
    try {
      return this.learn(end);
    } finally {
      this.freed();
    }
  }

  abandon(): void {
    try {
      this.ticket.settle(NOBODYS_DOING);
      this.watch?.abandon();
      this.endScout(false);
    } finally {
      this.freed();
    }
  }

  private learn(end: AttemptEnd): SampleVerdict {
    this.ticket.settle(outcomeOf(end, this.decision.route));
    this.watch?.settle(end);
    const verdict = this.learning.sampleOf(end);
    this.endScout(verdict.kind === 'sample');
    if (verdict.kind === 'sample') this.learning.record(this.decision, verdict);
    return verdict;
  }

  private endScout(gaveSample: boolean): void {
    if (this.isScouting) this.learning.scoutEnded(this.decision, gaveSample);
    this.isScouting = false;
  }
}

const NOBODY_WAITS = (): void => undefined;
const NOBODYS_DOING: Outcome = { kind: 'neutral' };
