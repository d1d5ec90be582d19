import { Inject, Injectable } from '@nestjs/common';
import { Afterwork, CLOCK, EventBus, LOGGER, Roster, type Clock, type Logger } from '../kernel/index.js';
import type { Considered, Decision } from '../routing/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import { CALL_TRACER, type CallOrigin, type CallTracer, type ClientTold } from '../traces/index.js';
import { recordMembers } from './call-line.js';
import { routingNote, type AttemptEnding, type CallRecord } from './call-record.js';
import { CallRing } from './call-ring.js';
import { callStory, type CallStory } from './call-story.js';
import { Call, type CallEnding } from './call.js';

const KEPT_CALLS = 1000;

export interface OpenCalls {
  readonly open: number;
  readonly queued: number;
}

/** What happened: open calls, the newest finished ones, and the announcements and the log line of each. */
@Injectable()
export class CallsService {
  private readonly open = new Roster<Call>();
  private readonly ring = new CallRing(KEPT_CALLS);
  private begun = 0;
  /** The call that observers are being told of: it need not be looked for. */
  private booked: Call | null = null;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly bus: EventBus,
    @Inject(ROUTING_SETTINGS) private readonly settings: RoutingSettings,
    @Inject(CALL_TRACER) private readonly tracer: CallTracer,
    private readonly afterwork: Afterwork,
  ) {}

  /** A call that is about to get its first route. It counts as open until {@link finish}. */
  begin(
    requestId: string,
    model: string,
    stream: boolean,
    origin: CallOrigin,
    keyName: string | null = null,
  ): Call {
    const { clock } = this;
    const start = { requestId, model, stream, keyName, at: clock.now(), wallMs: clock.wallMs() };
    const call = new Call(start, this.tracer.begin(start, origin), (this.begun += 1));
    this.open.add(call);
    return call;
  }

  queued(call: Call): void {
    call.queued(this.clock.now());
    call.trace.queued();
  }

  decided(call: Call, decision: Decision): void {
    call.decided(decision, this.clock.now());
    call.trace.attempt(decision);
    // Under most policies nobody hears of it unless somebody watches.
    if (!this.bus.isHeard('route.selected')) return;
    this.bus.publish('route.selected', {
      request_id: call.start.requestId,
      model: call.start.model,
      routing: routingNote(decision),
      attempt: call.attemptCount,
      at: this.clock.wallMs(),
    });
  }

  attemptEnded(call: Call, ending: AttemptEnding): void {
    call.attemptEnded(ending, this.clock.now());
  }

  /**
   * Ends a call for good; a second ending changes nothing. One that got no route and waited for none leaves no record. What is
   * written down of it is there for whoever asks, but may be told to observers at the end of the loop's turn only.
   */
  finish(call: Call, ending: CallEnding, told: ClientTold): void {
    if (!this.open.has(call)) return;
    const now = this.clock.now();
    this.open.delete(call);
    if (!call.wasTaken) return;
    call.finished(ending, now);
    this.afterwork.putOff(() => this.book(call, now, told));
    // Most calls end well, and many in one turn of the loop; of a fault nobody should hear later than its client.
    if (ending.outcome !== 'completed') this.afterwork.settle();
  }

  private book(call: Call, now: number, told: ClientTold): void {
    const record = call.record(now);
    call.trace.ended(record, told);
    this.ring.add({ record, choices: call.choices }, call.start.wallMs);
    this.booked = call;
    this.tellMeasures(call);
    this.bus.publish('call.finished', {
      request_id: record.request_id,
      model: record.model,
      call: record,
      at: this.clock.wallMs(),
    });
    this.booked = null;
    this.logger.info(record, 'call.finished', recordMembers);
  }

  get openCount(): number {
    return this.open.size;
  }

  /** How many calls of each model are open, and how many of those wait for a node with room. */
  openByModel(): Map<string, OpenCalls> {
    const counts = new Map<string, OpenCalls>();
    for (const call of this.open) {
      const { model } = call.start;
      const { open, queued } = counts.get(model) ?? { open: 0, queued: 0 };
      counts.set(model, { open: open + 1, queued: queued + (call.isQueued ? 1 : 0) });
    }
    return counts;
  }

  /** Newest first, open calls before finished ones. */
  list(model: string | null, limit: number, openOnly: boolean): CallRecord[] {
    this.afterwork.settle();
    const found: CallRecord[] = [];
    for (const record of this.newestFirst(openOnly)) {
      if (found.length === limit) break;
      if (model === null || record.model === model) found.push(record);
    }
    return found;
  }

  /** All that is known of one call, with what its routes were chosen from. */
  get(requestId: string): CallStory | null {
    this.afterwork.settle();
    const open = this.newestOpen().find(({ start }) => start.requestId === requestId);
    const kept =
      open === undefined
        ? this.ring.get(requestId)
        : { record: open.record(this.clock.now()), choices: open.choices };
    return kept === null ? null : callStory(kept, this.settings);
  }

  /** What each attempt's route of a finished call was chosen from; nothing of a call no longer remembered. */
  choicesOf(requestId: string): readonly Considered[] {
    if (this.booked?.start.requestId === requestId) return this.booked.choices;
    return this.ring.get(requestId)?.choices ?? [];
  }

  private tellMeasures(call: Call): void {
    const { tokenGaps, scoutSeconds } = call.measures;
    if (tokenGaps === null && scoutSeconds === null) return;
    this.bus.publish('call.measured', {
      model: call.start.model,
      token_gaps: tokenGaps && { counts: tokenGaps.counts, sum_seconds: tokenGaps.sumSeconds },
      scout_seconds: scoutSeconds,
    });
  }

  private newestOpen(): Call[] {
    return [...this.open].sort((a, b) => b.number - a.number);
  }

  private *newestFirst(openOnly: boolean): Generator<CallRecord> {
    const now = this.clock.now();
    for (const call of this.newestOpen()) yield call.record(now);
    if (openOnly) return;
    yield* this.ring.newestFirst();
  }
}
