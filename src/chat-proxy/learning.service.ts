import { Inject, Injectable } from '@nestjs/common';
import { NodeHealthService, type Charge, type Outcome, type Ticket } from '../node-health/index.js';
import type { MeshNode } from '../registry/index.js';
import type { Decision } from '../routing/index.js';
import { RoutingStatsService, type SampleVerdict } from '../routing-stats/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import { mayBeRequests } from './call-verdicts.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { isEmptyAnswer, outcomeOf, sampleOf } from './settlement.js';
import type { AttemptWatch } from './speeds/attempt-watch.js';
import { SpeedWatchService } from './speeds/speed-watch.service.js';

/** An attempt that is counted in. */
export interface OpenAttempt {
  /** What is to be told how the attempt goes; null where nobody learns of that. */
  readonly watch: AttemptWatch | null;
  /** Once settled: a failure that is not counted yet, since it may be the request's; else null. */
  readonly charge: Charge | null;
  /**
   * Counts it out and learns from it; call it once.
   *
   * @param isOtherModel the head answered as another model than the one it is known to serve
   */
  settle(end: AttemptEnd, isOtherModel?: boolean): SampleVerdict;
  /** The chat got nothing of this route: neither a completion nor a failure that counts. Only the first call counts. */
  gaveNothing(): void;
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

  sampleOf(end: AttemptEnd, isOtherModel: boolean): SampleVerdict {
    return sampleOf(end, this.settings.minSampleTokens, isOtherModel);
  }

  scoutEnded({ signature }: Decision, gaveSample: boolean): void {
    this.stats.scoutEnded(signature, gaveSample);
  }

  completed({ signature }: Decision): void {
    this.stats.completed(signature);
  }

  /** A client that names its route learns what that route does; others' chats are not led by it. */
  gaveNothing({ model, signature, mode }: Decision): void {
    if (mode !== 'pinned') this.stats.gaveNothing(model, signature);
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
  charge: Charge | null = null;
  private hasGivenNothing = false;

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

  settle(end: AttemptEnd, isOtherModel = false): SampleVerdict {
    try {
      return this.learn(end, isOtherModel);
    } finally {
      this.freed();
    }
  }

  gaveNothing(): void {
    if (this.hasGivenNothing) return;
    this.hasGivenNothing = true;
    this.learning.gaveNothing(this.decision);
  }

  abandon(): void {
    try {
      this.ticket.settle(NEUTRAL);
      this.watch?.abandon();
      this.endScout(false);
    } finally {
      this.freed();
    }
  }

  private learn(end: AttemptEnd, isOtherModel: boolean): SampleVerdict {
    const outcome = outcomeOf(end, this.decision.route);
    const blame = outcome.kind === 'failure' && this.mayBeRequests(end) ? outcome.blame : null;
    this.ticket.settle(blame === null ? outcome : NEUTRAL);
    if (blame !== null) this.charge = this.chargeOf(blame);
    const verdict = this.learning.sampleOf(end, isOtherModel);
    this.watch?.settle(end, isEmptyAnswer(end) || isOtherModel);
    this.endScout(verdict.kind === 'sample');
    if (isEmptyAnswer(end)) this.gaveNothing();
    else if (end.outcome === 'completed') this.learning.completed(this.decision);
    if (verdict.kind === 'sample') this.learning.record(this.decision, verdict);
    return verdict;
  }

  /** A pinned call asks no second node, so nothing can show that its request was at fault. */
  private mayBeRequests(end: AttemptEnd): boolean {
    return this.decision.mode !== 'pinned' && mayBeRequests(end);
  }

  private chargeOf(blame: MeshNode): Charge {
    return this.ticket.chargeOf(blame);
  }

  private endScout(gaveSample: boolean): void {
    if (this.isScouting) this.learning.scoutEnded(this.decision, gaveSample);
    this.isScouting = false;
  }
}

const NOBODY_WAITS = (): void => undefined;
const NEUTRAL: Outcome = { kind: 'neutral' };
