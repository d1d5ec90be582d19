import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from '../calls/index.js';
import type { NodeTimeoutError } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';
import type { Decision } from '../routing/index.js';
import type { SampleVerdict } from '../routing-stats/index.js';
import { routeHeaders } from './answer-headers.js';
import type { AttemptCare } from './attempt-care.service.js';
import { timeoutFault } from './call-timeouts.js';
import type { AttemptContext, IncomingChat } from './incoming-chat.js';
import type { OpenAttempt } from './learning.service.js';
import type { ReadTerms } from './relay/answer-reader.js';
import type { AttemptOwner } from './relay/attempt.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import type { TrialTerms } from './relay/scout-trial.js';
import type { CallLimits, TimeoutKind } from './relay/watchdog.js';
import { headersForClient, type HeaderMap } from './request/headers.js';
import type { SilentAttempt } from './silence.service.js';
import type { Turn } from './turns.service.js';
import type { HeadCall } from './upstream/head-request.js';

/** Whose call it is; told how the attempt went, by exactly one of the two, and once. */
export interface AttemptFollower {
  readonly chat: IncomingChat;
  readonly call: Call;
  /** When the call began, in monotonic ms. */
  readonly startedAt: number;
  /** It was learned from. Must not throw. */
  ended(attempt: RouteAttempt): void;
  /** The tracker itself threw. Must not throw. */
  failed(fault: unknown): void;
}

/** What an attempt has done for it. */
export interface AttemptDesk {
  /** Asks the attempt's head, with usage asked for on the tracker's behalf or without. */
  send(attempt: RouteAttempt, asksUsage: boolean): void;
  sign(node: MeshNode, now: number): void;
  readonly feedback: Feedback;
  /** The head refuses a `stream_options` of ours, and answers without. */
  refusesUsage(head: MeshNode): void;
}

/** What an attempt reports to. */
export interface Feedback {
  spoke(attempt: RouteAttempt, now: number): void;
  fellSilent(attempt: RouteAttempt): void;
  settle(attempt: RouteAttempt, end: AttemptEnd): SampleVerdict;
}

/** Stands until the attempt's end is known, which is before anybody can see it. */
const NOT_SETTLED: SampleVerdict = { kind: 'rejected', reason: 'failed' };
const NOT_ASKED: HeadCall = { path: '', headers: {}, body: Buffer.alloc(0) };
const PLAIN_TERMS: ReadTerms = {
  stripUsage: false,
  isUsageOurs: false,
  choices: 1,
  finishReasons: 'sent',
  holdsWhole: false,
  holdsEmpty: false,
};
const NO_LIMITS: CallLimits = {
  firstByteMs: Infinity,
  idleMs: Infinity,
  totalAt: Infinity,
  silentMs: Infinity,
};

/** One attempt of a call, over one route: one object for all that has to do with it, since each chat needs it. */
export class RouteAttempt implements AttemptContext, AttemptOwner, SilentAttempt {
  readonly chat: IncomingChat;
  readonly call: Call;
  readonly decision: Decision;
  readonly open: OpenAttempt;
  readonly startedAt: number;
  readonly head: MeshNode;
  readonly nodeId: string;
  isUnproven = false;
  isFailing = false;
  terms = PLAIN_TERMS;
  asked = NOT_ASKED;
  /** Monotonic ms. */
  sentAt = 0;
  limits = NO_LIMITS;
  verdict = NOT_SETTLED;
  /** It was silent for far longer than usual. */
  wasSilent = false;
  /** Once it is over. */
  end: AttemptEnd | null = null;
  private asksUsage = false;
  private isAskedAgain = false;
  private hasSpoken = false;

  constructor(
    private readonly desk: AttemptDesk,
    private readonly follower: AttemptFollower,
    turn: Turn,
    readonly trial: TrialTerms | null,
    readonly number: number,
  ) {
    this.chat = follower.chat;
    this.call = follower.call;
    this.startedAt = follower.startedAt;
    this.decision = turn.decision;
    this.open = turn.open;
    this.head = headOf(turn.decision);
    this.nodeId = this.head.nodeId;
  }

  /** @param stripUsage some heads send usage unasked; a client that did not ask does not get it */
  takeCare(stripUsage: boolean, { isUnproven, isFailing, holdsWhole, holdsEmpty }: AttemptCare): void {
    const { choices } = this.chat.request;
    const { finishReasons } = this.head;
    this.isUnproven = isUnproven;
    this.isFailing = isFailing;
    this.terms = { stripUsage, isUsageOurs: false, choices, finishReasons, holdsWhole, holdsEmpty };
  }

  asks(asked: HeadCall, limits: CallLimits, asksUsage: boolean, now: number): void {
    this.asked = asked;
    this.limits = limits;
    this.sentAt = now;
    this.asksUsage = asksUsage;
    if (asksUsage !== this.terms.isUsageOurs) this.terms = { ...this.terms, isUsageOurs: asksUsage };
  }

  /** Whose chat it is: of one without a key, only that chat's. */
  get caller(): string {
    return this.chat.keyName ?? this.chat.requestId;
  }

  isClients(text: string): boolean {
    const { model, body } = this.chat.request;
    return (
      text !== model && text !== this.head.upstreamModel && body.includes(JSON.stringify(text).slice(1, -1))
    );
  }

  gaveNothing(): void {
    this.open.gaveNothing();
  }

  clientHeaders(head: IncomingHttpHeaders): HeaderMap {
    return headersForClient(head, routeHeaders(this));
  }

  timeoutFault(kind: TimeoutKind, afterMs: number): NodeTimeoutError {
    return timeoutFault(kind, afterMs, this.head, this.asked.body.length);
  }

  onSign(now: number): void {
    for (const { node } of this.decision.route.hops) this.desk.sign(node, now);
  }

  onHeard(now: number, hasContent: boolean, isShown: boolean): void {
    if (isShown) this.call.heard(now, hasContent);
    if (!hasContent) return;
    this.open.watch?.heardContent(now);
    if (this.hasSpoken) return;
    this.hasSpoken = true;
    this.desk.feedback.spoke(this, now);
  }

  onSilent(): void {
    this.wasSilent = true;
    this.desk.feedback.fellSilent(this);
  }

  onSettled(end: AttemptEnd): void {
    if (this.isRefusedField(end)) return;
    this.end = end;
    this.verdict = this.desk.feedback.settle(this, end);
  }

  onEnded(end: AttemptEnd): void {
    // In a turn of its own: who tells is the head's connection, in the middle of what it does.
    if (this.end === null) queueMicrotask(() => this.askAgain());
    else {
      if (this.isAskedAgain && end.outcome === 'completed') this.desk.refusesUsage(this.head);
      this.follower.ended(this);
    }
  }

  onFailed(fault: unknown): void {
    this.follower.failed(fault);
  }

  /** A 400 that may be for what we added is neither the node's fault nor the client's: ask again without. */
  private isRefusedField({ answer, outcome, isCommitted }: AttemptEnd): boolean {
    if (!this.asksUsage || isCommitted || outcome !== 'refused') return false;
    // Told by the head's status, or inside a 200.
    return answer?.status === 400 || answer?.status === 422;
  }

  private askAgain(): void {
    this.isAskedAgain = true;
    try {
      this.desk.send(this, false);
    } catch (fault) {
      this.follower.failed(fault);
    }
  }
}

function headOf({ route }: Decision): MeshNode {
  const [hop] = route.hops;
  if (hop === undefined) throw new Error('a route has at least one hop');
  return hop.node;
}
