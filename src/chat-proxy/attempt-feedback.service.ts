import { Injectable } from '@nestjs/common';
import { CallsService } from '../calls/index.js';
import type { SampleVerdict } from '../routing-stats/index.js';
import { attemptError, NO_TRACE } from '../traces/index.js';
import type { AttemptContext } from './incoming-chat.js';
import { NodeLessonsService } from './node-lessons.service.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { RequestFaultsService } from './request-faults.service.js';
import type { RouteAttempt } from './route-attempt.js';
import { attemptEndingOf, endingOf, isEmptyAnswer } from './settlement.js';
import { SilenceService } from './silence.service.js';

/** A client that leaves sooner has shown nothing, however quick the model is. */
const LEAST_PATIENT_MS = 500;

/** The one place where an attempt's end becomes ticket, sample, lessons on its nodes, and a line of the call's record. */
@Injectable()
export class AttemptFeedbackService {
  constructor(
    private readonly calls: CallsService,
    private readonly silence: SilenceService,
    private readonly faults: RequestFaultsService,
    private readonly lessons: NodeLessonsService,
  ) {}

  /** An attempt is over; the client gets its last byte after this. */
  settle(attempt: RouteAttempt, end: AttemptEnd): SampleVerdict {
    const { call, chat, decision, head } = attempt;
    this.lessons.heedRest(attempt, end);
    const verdict = attempt.open.settle(end, this.lessons.isOtherModel(head, end));
    this.learnSilence(attempt, end);
    if (end.outcome === 'completed' && !isEmptyAnswer(end)) this.faults.completed(decision.model);
    this.lessons.learn(attempt, end);
    const ending = attemptEndingOf(end, decision.route);
    this.calls.attemptEnded(call, ending);
    if (call.trace !== NO_TRACE) trace(attempt, end, verdict, ending.failedNodeId);
    if (end.isCommitted || end.outcome === 'client_left') {
      this.close(attempt, end, verdict, chat.client.begun ? 200 : null);
    }
    return verdict;
  }

  /**
   * The call is over. Its client gets the last byte after this.
   *
   * @param status that the client gets; null: it left
   * @param isRequests the request was at fault
   */
  close(
    { call }: AttemptContext,
    end: AttemptEnd,
    verdict: SampleVerdict,
    status: number | null,
    isRequests = false,
  ): void {
    if (isRequests) call.requestWasAtFault();
    this.calls.finish(call, endingOf(end, verdict, isRequests), { status, cause: attemptError(end) });
  }

  /** The first word with content came. */
  spoke({ sentAt, chat, decision }: RouteAttempt, now: number): void {
    if (chat.request.stream) this.silence.spoke(decision.model, true, now - sentAt);
  }

  /** An attempt has been silent for far longer than usual. */
  fellSilent(attempt: RouteAttempt): void {
    this.silence.fellSilent(attempt);
  }

  /** A client that left before the usual first word has shown nothing; one that waited longer got nothing. */
  private learnSilence(attempt: RouteAttempt, end: AttemptEnd): void {
    const { decision, chat } = attempt;
    const { stream } = chat.request;
    if (attempt.wasSilent) this.silence.ended(attempt);
    if (!stream && end.outcome === 'completed') this.silence.spoke(decision.model, false, end.elapsedMs);
    if (end.outcome !== 'client_left' || end.contentChunks > 0 || end.isCommitted) return;
    const usualMs = this.silence.usualMs(decision.model, stream);
    if (usualMs !== null && end.elapsedMs > Math.max(usualMs, LEAST_PATIENT_MS)) attempt.gaveNothing();
  }
}

/** @param failedNodeId a head's own words for a node that is not on the route are no node's name, and may be anything */
function trace(
  { call }: RouteAttempt,
  end: AttemptEnd,
  verdict: SampleVerdict,
  failedNodeId: string | null,
): void {
  const { outcome, headStatus, fault, usage } = end;
  call.trace.attemptEnded({ outcome, headStatus, failedNodeId, fault, usage }, verdict);
}
