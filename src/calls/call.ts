import { isoTime, type Rostered } from '../kernel/index.js';
import type { Considered, Decision } from '../routing/index.js';
import { NO_TRACE, type CallTrace } from '../traces/index.js';
import {
  attemptNote,
  routingNote,
  workUnits,
  type AttemptEnding,
  type AttemptNote,
  type CallOutcome,
  type CallPhase,
  type CallRecord,
  type SampleNote,
} from './call-record.js';
import { scoutCostSeconds } from './scout-cost.js';
import { TokenGaps } from './token-gaps.js';

/** What is known of a call when it ends. */
export interface CallEnding {
  readonly outcome: CallOutcome;
  /** Code of the fault that ended it, where no attempt tells. */
  readonly cause: string | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly tokensEstimated: boolean;
  readonly tps: number | null;
  readonly sample: SampleNote | null;
}

/** What is known of a call that no node ever saw. */
export const NOTHING_DONE: Omit<CallEnding, 'outcome'> = {
  cause: null,
  promptTokens: null,
  completionTokens: null,
  tokensEstimated: false,
  tps: null,
  sample: null,
};

export interface CallStart {
  readonly requestId: string;
  readonly model: string;
  readonly stream: boolean;
  /** The name of the key that it came with; null: none. */
  readonly keyName?: string | null;
  /** Monotonic ms. */
  readonly at: number;
  /** Unix ms. */
  readonly wallMs: number;
}

/** What is measured of a call and stands in no record. */
export interface CallMeasures {
  /** Of a stream with any content. */
  readonly tokenGaps: TokenGaps | null;
  /** Of a completed scout whose tokens are known: see {@link scoutCostSeconds}; of scouts abandoned, all their time. */
  readonly scoutSeconds: number | null;
}

/** A stream without a data event for so long is silent. */
const SILENT_AFTER_MS = 5000;

/** One call as it goes, told by the relay and read by whoever looks at the call wall. */
export class Call implements Rostered {
  place = -1;
  /** Of the newest attempt. */
  private decision: Decision | null = null;
  private isTrying = false;
  /** The attempts that are over. Most calls have one, so their lists are made anew rather than given room to grow. */
  private ended: readonly AttemptNote[] = [];
  private considered: readonly Considered[] = [];
  private attemptAt = 0;
  private firstTokenAt: number | null = null;
  private gaps: TokenGaps | null = null;
  private lastEventAt = 0;
  private queuedSince: number | null = null;
  private queuedMs = 0;
  private ending: CallEnding | null = null;
  private endedAt = 0;

  /**
   * @param trace the call's part of a trace; whoever tells the call what happens tells that too
   * @param number higher for those that began later
   */
  constructor(
    readonly start: CallStart,
    readonly trace: CallTrace = NO_TRACE,
    readonly number = 0,
  ) {}

  /** It waits for a node with room. */
  queued(now: number): void {
    this.queuedSince ??= now;
  }

  get isQueued(): boolean {
    return this.queuedSince !== null;
  }

  decided(decision: Decision, now: number): void {
    this.unqueued(now);
    this.ended = this.attempts;
    this.considered = withLast(this.considered, decision.considered);
    this.decision = decision;
    this.isTrying = true;
    this.attemptAt = now;
  }

  attemptEnded({ outcome, status, failedNodeId, cause }: AttemptEnding, now: number): void {
    if (this.decision === null || !this.isTrying) return;
    this.isTrying = false;
    const ms = now - this.attemptAt;
    const ended = { outcome, status, ms, failed_node_id: failedNodeId, cause };
    this.ended = withLast(this.ended, attemptNote(this.decision, ended));
  }

  /** What each attempt's route was chosen from. */
  get choices(): readonly Considered[] {
    return this.considered;
  }

  /** It got a route, or waited for one. */
  get wasTaken(): boolean {
    return this.decision !== null || this.queuedSince !== null || this.queuedMs > 0;
  }

  get attemptCount(): number {
    return this.ended.length + (this.isTrying ? 1 : 0);
  }

  /** A data event of the stream came. */
  heard(now: number, hasContent: boolean): void {
    this.lastEventAt = now;
    if (!hasContent) return;
    this.firstTokenAt ??= now;
    if (this.gaps === null) this.gaps = new TokenGaps(now);
    else this.gaps.heard(now);
  }

  /** The request was at fault, so no node failed in the attempts that are over. */
  requestWasAtFault(): void {
    this.ended = this.attempts.map((attempt) =>
      attempt.outcome === 'failed'
        ? { ...attempt, outcome: 'refused', failed_node_id: null, cause: null }
        : attempt,
    );
    this.isTrying = false;
  }

  finished(ending: CallEnding, now: number): void {
    this.unqueued(now);
    this.ending = ending;
    this.endedAt = now;
  }

  get isOpen(): boolean {
    return this.ending === null;
  }

  /** Once it has finished. */
  get measures(): CallMeasures {
    return { tokenGaps: this.gaps, scoutSeconds: this.scoutSeconds() };
  }

  /** As it stands at `now`. */
  record(now: number): CallRecord {
    const { start, ending } = this;
    const record: CallRecord = {
      request_id: start.requestId,
      started_at: isoTime(start.wallMs),
      model: start.model,
      stream: start.stream,
      key_name: start.keyName ?? null,
      routing: this.decision === null ? null : routingNote(this.decision),
      attempts: this.attempts,
      outcome: ending?.outcome ?? null,
      cause: ending?.cause ?? null,
      prompt_tokens: ending?.promptTokens ?? null,
      completion_tokens: ending?.completionTokens ?? null,
      tokens_estimated: ending?.tokensEstimated ?? false,
      tps: ending?.tps ?? null,
      queued_ms: this.queuedFor(now),
      ttft_ms: this.firstTokenAt === null ? null : this.firstTokenAt - start.at,
      total_ms: ending === null ? null : this.endedAt - start.at,
      sample: ending?.sample ?? null,
      work_units: workUnits(this.decision?.route.hops ?? [], ending?.completionTokens ?? 0),
    };
    return ending === null ? { ...record, age_ms: now - start.at, phase: this.phase(now) } : record;
  }

  /** All attempts, the one under way last. */
  private get attempts(): readonly AttemptNote[] {
    const { decision, ended } = this;
    return decision === null || !this.isTrying ? ended : withLast(ended, attemptNote(decision));
  }

  private scoutSeconds(): number | null {
    const lost = this.abandonedSeconds();
    if (this.decision?.mode !== 'scout' || this.ending?.outcome !== 'completed') return lost;
    const elapsedMs = this.attempts.at(-1)?.ms ?? null;
    const { completionTokens } = this.ending;
    if (completionTokens === null || elapsedMs === null) return lost;
    const cost = scoutCostSeconds(this.decision.considered.eligible, completionTokens, elapsedMs);
    return cost === null ? lost : cost + (lost ?? 0);
  }

  /** Spent on scouts that were too slow to be shown; null where there was none. */
  private abandonedSeconds(): number | null {
    let abandonedMs: number | null = null;
    for (const { outcome, ms } of this.ended) {
      if (outcome === 'abandoned') abandonedMs = (abandonedMs ?? 0) + (ms ?? 0);
    }
    return abandonedMs === null ? null : abandonedMs / 1000;
  }

  private queuedFor(now: number): number {
    return this.queuedMs + (this.queuedSince === null ? 0 : now - this.queuedSince);
  }

  private unqueued(now: number): void {
    this.queuedMs = this.queuedFor(now);
    this.queuedSince = null;
  }

  private phase(now: number): CallPhase {
    if (this.isQueued) return 'queued';
    if (this.firstTokenAt === null) return 'prefill';
    return now - this.lastEventAt > SILENT_AFTER_MS ? 'silent' : 'streaming';
  }
}

function withLast<T>(list: readonly T[], last: T): readonly T[] {
  return list.length === 0 ? [last] : [...list, last];
}
