import { Inject, Injectable } from '@nestjs/common';
import { RoutingService, type Decision } from '../routing/index.js';
import {
  ROUTING_SETTINGS,
  SPEED_SETTINGS,
  type RoutingSettings,
  type SpeedSettings,
} from '../settings/index.js';
import type { Failover } from './failover.js';
import type { TrialTerms } from './relay/scout-trial.js';
import { askOf } from './request/call-ask.js';
import type { ChatRequest } from './request/chat-request.js';
import { TurnsService, type Applicant, type Turn } from './turns.service.js';

/**
 * Safe scouting: what a scout has to prove before its client sees anything of it, and who takes over where it can't.
 * It is `safeScouting` times what the fastest proven candidate does; while none is proven, nothing better is known.
 */
@Injectable()
export class TrialsService {
  constructor(
    @Inject(ROUTING_SETTINGS) private readonly settings: RoutingSettings,
    @Inject(SPEED_SETTINGS) private readonly speeds: SpeedSettings,
    private readonly routing: RoutingService,
    private readonly turns: TurnsService,
  ) {}

  /** Whether {@link of} need be asked at all. What isn't streamed is held until it is whole anyway. */
  mayBe({ stream }: ChatRequest, { mode }: Decision): boolean {
    return stream && mode === 'scout' && this.settings.safeScouting > 0;
  }

  /** null where the attempt need prove nothing. */
  of(request: ChatRequest, decision: Decision, failover: Failover): Trial | null {
    const { model } = request;
    if (!this.mayBe(request, decision) || failover.isAtLast) return null;
    const leastTps = this.settings.safeScouting * bestProvenTps(decision);
    if (leastTps === 0) return null;
    const ask = askOf(request);
    const promptMs = (ask.promptTokens * this.speeds.prefillRatio * 1000) / leastTps;
    const abandoned = new Set([...failover.abandoned, decision.signature]);
    const takeOver: Applicant = {
      model,
      isPlain: false,
      decide: () => this.routing.decideSurely(model, failover.tried, abandoned, ask),
    };
    return new Trial(leastTps, promptMs, () => this.turns.take(takeOver));
  }
}

/** A scout's trial, and the turn that was taken for its call when it was too slow. */
export class Trial implements TrialTerms {
  successor: Turn | null = null;

  constructor(
    readonly leastTps: number,
    readonly promptMs: number,
    private readonly take: () => Turn | 'full' | null,
  ) {}

  readonly takeOver = (): boolean => {
    const turn = this.take();
    if (turn === null || turn === 'full') return false;
    this.successor = turn;
    return true;
  };
}

/** Of the candidates beside the one chosen, as they stood then; 0 where none is proven. */
function bestProvenTps({ signature, considered }: Decision): number {
  return considered.eligible.reduce(
    (best, one) =>
      one.status === 'proven' && one.signature !== signature ? Math.max(best, one.tps ?? 0) : best,
    0,
  );
}
