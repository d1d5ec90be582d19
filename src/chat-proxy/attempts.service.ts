import { Injectable } from '@nestjs/common';
import { CallsService } from '../calls/index.js';
import { Deadlines } from '../kernel/index.js';
import { RegistryService, type MeshNode } from '../registry/index.js';
import type { SampleVerdict } from '../routing-stats/index.js';
import { AttemptCareService, type MayFollow } from './attempt-care.service.js';
import { AttemptFeedbackService } from './attempt-feedback.service.js';
import { LoopsService } from './loops.service.js';
import { Attempt } from './relay/attempt.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import type { TrialTerms } from './relay/scout-trial.js';
import { headersForHead } from './request/headers.js';
import { mustAskUsage, upstreamBody } from './request/upstream-body.js';
import { RouteAttempt, type AttemptDesk, type AttemptFollower } from './route-attempt.js';
import type { Turn } from './turns.service.js';
import { HeadPoolsService } from './upstream/head-pools.service.js';

/** An attempt that was learned from. */
export interface SettledAttempt {
  readonly end: AttemptEnd;
  readonly verdict: SampleVerdict;
}

/** Runs one attempt: asks the head and relays; its end goes to the feedback. */
@Injectable()
export class AttemptsService implements AttemptDesk {
  /** Heads that refused a `stream_options` of ours; the node itself is the key, so it goes with the node. */
  private readonly refuseUsage = new WeakSet<MeshNode>();

  constructor(
    private readonly deadlines: Deadlines,
    private readonly registry: RegistryService,
    private readonly pools: HeadPoolsService,
    private readonly calls: CallsService,
    private readonly loops: LoopsService,
    private readonly care: AttemptCareService,
    readonly feedback: AttemptFeedbackService,
  ) {}

  /**
   * Its follower is told once when it is over, or what was thrown meanwhile. Whatever is thrown, here or later, the ticket is
   * still the caller's to give back.
   *
   * @param number 1 for the call's first
   */
  run(
    follower: AttemptFollower,
    turn: Turn,
    trial: TrialTerms | null,
    number: number,
    mayFollow: MayFollow,
  ): void {
    const { call, chat } = follower;
    this.calls.decided(call, turn.decision);
    const attempt = new RouteAttempt(this, follower, turn, trial, number);
    const stripUsage = mustAskUsage(chat.request);
    attempt.takeCare(stripUsage, this.care.careOf(turn.decision, attempt.head, mayFollow));
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
    const limits = this.care.limitsOf(decision, head, chat.request.stream, attempt.startedAt);
    attempt.asks({ path: pool.prefix + chat.path, headers, body }, limits, asksUsage, this.deadlines.now());
    const request = new Attempt(attempt, chat.client, this.deadlines);
    open.watch?.follow(request);
    request.run(pool);
  }

  sign(node: MeshNode, now: number): void {
    this.registry.touch(node, now);
  }

  refusesUsage(head: MeshNode): void {
    this.refuseUsage.add(head);
  }
}
