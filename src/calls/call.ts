import type { Hop } from '../candidate-enumeration/index.js';
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
  type RoutingNote,
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
  private routing: RoutingNote | null = null;
  private hops: readonly Hop[] = [];
  private readonly attempts: AttemptNote[] = [];
  private readonly considered: Considered[] = [];
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
    this.routing = routingNote(decision);
    this.hops = decision.route.hops;
    this.attempts.push(attemptNote(decision));
    this.considered.push(decision.considered);
    this.attemptAt = now;
  }

  attemptEnded({ outcome, status, failedNodeId, cause }: AttemptEnding, now: number): void {
    const attempt = this.attempts.pop();
    if (attempt === undefined) return;
    const { signature, mode, probability } = attempt;
    const ms = now - this.attemptAt;
    const ended = { outcome, status, ms, failed_node_id: failedNodeId, cause };
    this.attempts.push(attemptNote({ signature, mode, probability }, ended));
  }

  /** What each attempt's route was chosen from. */
  get choices(): readonly Considered[] {
    return this.considered;
  }

  /** It got a route, or waited for one. */
  get wasTaken(): boolean {
    return this.attempts.length > 0 || this.queuedSince !== null || this.queuedMs > 0;
  }

  get attemptCount(): number {
    return this.attempts.length;
  }

  /** A data event of the stream came. */
  heard(now: number, hasContent: boolean): void {
    this.lastEventAt = now;
    if (!hasContent) return;
    this.firstTokenAt ??= now;
    if (this.gaps === null) this.gaps = new TokenGaps(now);
    else this.gaps.heard(now);
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
      routing: this.routing,
      attempts: [...this.attempts],
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
      work_units: workUnits(this.hops, ending?.completionTokens ?? 0),
    };
    return ending === null ? { ...record, age_ms: now - start.at, phase: this.phase(now) } : record;
  }

  private scoutSeconds(): number | null {
    const elapsedMs = this.attempts.at(-1)?.ms ?? null;
    const { outcome, completionTokens = null } = this.ending ?? {};
    const lost = this.abandonedSeconds();
    if (this.routing?.mode !== 'scout' || outcome !== 'completed') return lost;
    if (completionTokens === null || elapsedMs === null) return lost;
    const cost = scoutCostSeconds(this.considered.at(-1)?.eligible ?? [], completionTokens, elapsedMs);
    return cost === null ? lost : cost + (lost ?? 0);
  }

  /** Spent on scouts that were too slow to be shown; null where there was none. */
  private abandonedSeconds(): number | null {
    const abandoned = this.attempts.filter(({ outcome }) => outcome === 'abandoned');
    return abandoned.length === 0 ? null : abandoned.reduce((sum, { ms }) => sum + (ms ?? 0), 0) / 1000;
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
