import { Inject, Injectable } from '@nestjs/common';
import { CallsService, type Call } from '../calls/index.js';
import { Deadlines } from '../kernel/index.js';
import { RoutingService } from '../routing/index.js';
import { CALL_SETTINGS, type CallSettings } from '../settings/index.js';
import { AttemptsService } from './attempts.service.js';
import { ChatRun, type RunRooms } from './chat-run.js';
import type { IncomingChat } from './incoming-chat.js';
import { NodeLimitsService } from './node-limits.service.js';
import { RequestFaultsService } from './request-faults.service.js';
import { TrialsService } from './trials.service.js';
import { TurnsService } from './turns.service.js';

/** Takes each call from its first route to its end: attempt after attempt until the client has an answer. */
@Injectable()
export class FailoverService implements RunRooms {
  constructor(
    @Inject(CALL_SETTINGS) readonly settings: CallSettings,
    readonly deadlines: Deadlines,
    readonly routing: RoutingService,
    readonly calls: CallsService,
    readonly turns: TurnsService,
    readonly attempts: AttemptsService,
    readonly trials: TrialsService,
    readonly limits: NodeLimitsService,
    readonly faults: RequestFaultsService,
  ) {}

  /**
   * Never throws.
   *
   * @param failed told at most once, and must not throw: a MeshnetError when the call gets no route at all, or waited for one in
   * vain (the client has seen nothing), or what the tracker itself threw
   */
  run(chat: IncomingChat, call: Call, failed: (fault: unknown) => void): void {
    new ChatRun(this, chat, call, failed).begin();
  }
}
