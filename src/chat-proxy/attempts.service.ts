import { Inject, Injectable } from '@nestjs/common';
import { CallsService } from '../calls/index.js';
import { Deadlines } from '../kernel/index.js';
import { RegistryService, type MeshNode } from '../registry/index.js';
import type { SampleVerdict } from '../routing-stats/index.js';
import { CALL_SETTINGS, type CallSettings } from '../settings/index.js';
import { attemptError, NO_TRACE } from '../traces/index.js';
import type { AttemptContext } from './incoming-chat.js';
import { limitsOf } from './call-timeouts.js';
import { LoopsService } from './loops.service.js';
import { Attempt } from './relay/attempt.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { headersForHead } from './request/headers.js';
import { mustAskUsage, upstreamBody } from './request/upstream-body.js';
import { RouteAttempt, type AttemptDesk, type AttemptFollower } from './route-attempt.js';
import { attemptEndingOf, endingOf } from './settlement.js';
import type { Turn } from './turns.service.js';
import type { TrialTerms } from './relay/scout-trial.js';
import { HeadPoolsService } from './upstream/head-pools.service.js';

/** An attempt that was learned from. */
export interface SettledAttempt {
  readonly end: AttemptEnd;
  readonly verdict: SampleVerdict;
}

/** Runs one attempt: opens the head, relays, learns, and tells the call's record. */
@Injectable()
export class AttemptsService implements AttemptDesk {
  /** Heads that refused a `stream_options` of ours; the node itself is the key, so it goes with the node. */
  private readonly refuseUsage = new WeakSet<MeshNode>();

  constructor(
    @Inject(CALL_SETTINGS) private readonly settings: CallSettings,
    private readonly deadlines: Deadlines,
    private readonly registry: RegistryService,
    private readonly pools: HeadPoolsService,
    private readonly calls: CallsService,
    private readonly loops: LoopsService,
  ) {}

  /**
   * Its follower is told once when it is over, or what was thrown meanwhile. Whatever is thrown, here or later, the ticket is
   * still the caller's to give back.
   *
   * @param number 1 for the call's first
   */
  run(follower: AttemptFollower, turn: Turn, trial: TrialTerms | null, number: number): void {
    const { call, chat } = follower;
    this.calls.decided(call, turn.decision);
    const stripUsage = mustAskUsage(chat.request);
    const attempt = new RouteAttempt(this, follower, turn, trial, number, stripUsage);
    this.send(attempt, stripUsage && !this.refuseUsage.has(attempt.head));
  }

  send(attempt: RouteAttempt, asksUsage: boolean): void {
    const { chat, call, head, decision, open } = attempt;
    const pool = this.pools.of(head.endpoint);
    const body = upstreamBody(chat.request, head.upstreamModel, asksUsage);
    const headers = headersForHead(chat.headers, {
      requestId: chat.requestId,
      route: decision.route,
      via: this.loops.through(chat.headers),
      access: this.registry.accessOf(head).headers,
      trace: call.trace.headers,
      forwarded: chat.forwarded,
    });
    const limits = limitsOf(this.settings, head, attempt.startedAt);
    attempt.asks({ path: pool.prefix + chat.path, headers, body }, limits, asksUsage);
    const request = new Attempt(attempt, chat.client, this.deadlines);
    open.watch?.follow(request);
    request.run(pool);
  }

  sign(node: MeshNode, now: number): void {
    this.registry.touch(node, now);
  }

  settle(attempt: RouteAttempt, end: AttemptEnd): SampleVerdict {
    const { call, chat, decision, head } = attempt;
    const verdict = attempt.open.settle(end);
    if (end.answer !== null) this.loops.learn(head, end.answer, chat.passage);
    const ending = attemptEndingOf(end, decision.route);
    this.calls.attemptEnded(call, ending);
    if (call.trace !== NO_TRACE) this.trace(attempt, end, verdict, ending.failedNodeId);
    if (end.isCommitted || end.outcome === 'client_left') {
      this.close(attempt, end, verdict, chat.client.begun ? 200 : null);
    }
    return verdict;
  }

  refusesUsage(head: MeshNode): void {
    this.refuseUsage.add(head);
  }

  /**
   * The call is over. Its client gets the last byte after this.
   *
   * @param status what the client is told; null: nothing, it left
   */
  close({ call }: AttemptContext, end: AttemptEnd, verdict: SampleVerdict, status: number | null): void {
    this.calls.finish(call, endingOf(end, verdict), { status, cause: attemptError(end) });
  }

  /** @param failedNodeId a head's own words for a node that is not on the route are nobody's name, and may be anything */
  private trace(
    { call }: RouteAttempt,
    end: AttemptEnd,
    verdict: SampleVerdict,
    failedNodeId: string | null,
  ): void {
    const { outcome, headStatus, fault, usage } = end;
    call.trace.attemptEnded({ outcome, headStatus, failedNodeId, fault, usage }, verdict);
  }
}
