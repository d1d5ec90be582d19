import { Inject, Injectable } from '@nestjs/common';
import { CallsService } from '../calls/index.js';
import { CLOCK, NodeFailedError, OverloadedError, type Clock } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';
import { RoutingService, type Decision } from '../routing/index.js';
import {
  CALL_SETTINGS,
  SERVING_SETTINGS,
  type CallSettings,
  type ServingSettings,
} from '../settings/index.js';
import { answerFault, routeHeaders } from './answer-headers.js';
import { AttemptsService, type SettledAttempt } from './attempts.service.js';
import type { AttemptContext, IncomingChat } from './incoming-chat.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { headersForClient } from './request/headers.js';
import { blamedNode } from './settlement.js';

/** Takes one chat from its decision to its end: attempt after attempt until the client has an answer. */
@Injectable()
export class ChatCallsService {
  constructor(
    @Inject(CALL_SETTINGS) private readonly settings: CallSettings,
    @Inject(SERVING_SETTINGS) private readonly serving: ServingSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly routing: RoutingService,
    private readonly calls: CallsService,
    private readonly attempts: AttemptsService,
  ) {}

  /** @throws MeshnetError when the chat gets no route at all; nothing has been counted then */
  async serve(chat: IncomingChat): Promise<void> {
    if (this.calls.openCount >= this.serving.maxInFlight) {
      throw new OverloadedError('Too many chats are under way (MESHNET_MAX_IN_FLIGHT).');
    }
    const { requestId, request } = chat;
    const first = this.routing.decide(request.model, request.pin);
    const call = this.calls.begin(requestId, request.model, request.stream);
    const startedAt = this.clock.now();
    const tried = new Set<MeshNode>();
    let decision: Decision | null = first;
    for (let number = 1; decision !== null; number += 1) {
      const context: AttemptContext = { chat, call, decision, number, startedAt };
      const settled = await this.attempts.run(context);
      if (!call.isOpen) return;
      decision = this.nextDecision(context, settled.end, tried);
      if (decision === null) this.giveUp(context, settled);
    }
  }

  /** Another route, where the head could not even be reached and nobody has seen anything yet. */
  private nextDecision(
    { chat, decision, number }: AttemptContext,
    end: AttemptEnd,
    tried: Set<MeshNode>,
  ): Decision | null {
    const { model, pin } = chat.request;
    if (!canTryAgain(end) || pin !== null || number >= this.settings.maxAttempts) return null;
    const blamed = blamedNode(end, decision.route);
    if (blamed !== null) tried.add(blamed);
    return this.routing.decideAgain(model, tried);
  }

  /** No attempt is left: the client gets the head's own answer, else ours. */
  private giveUp(context: AttemptContext, settled: SettledAttempt): void {
    const { client } = context.chat;
    const { answer, fault } = settled.end;
    this.attempts.close(context, settled);
    if (answer === null) {
      answerFault(
        client,
        fault ?? new NodeFailedError('The node failed.', 'node_failed'),
        routeHeaders(context),
      );
      return;
    }
    client.begin(answer.status, {
      ...headersForClient(answer.headers),
      ...routeHeaders(context),
      'content-length': String(answer.body.length),
    });
    client.end([answer.body]);
  }
}

/** For now only a connection that never came about; nothing was asked of anybody then. */
function canTryAgain(end: AttemptEnd): boolean {
  return end.outcome === 'failed' && !end.wasSent;
}
