import { Inject, Injectable } from '@nestjs/common';
import { CallsService, NOTHING_DONE } from '../calls/index.js';
import { OverloadedError, QueueError } from '../kernel/index.js';
import { SERVING_SETTINGS, type ServingSettings } from '../settings/index.js';
import { FailoverService } from './failover.service.js';
import type { IncomingChat } from './incoming-chat.js';
import { toldOf, TurnedAwayService } from './turned-away.service.js';

/** Makes a call of each chat that comes in, and sees to it that whatever becomes none is told of. */
@Injectable()
export class ChatCallsService {
  constructor(
    @Inject(SERVING_SETTINGS) private readonly serving: ServingSettings,
    private readonly calls: CallsService,
    private readonly failover: FailoverService,
    private readonly turnedAway: TurnedAwayService,
  ) {}

  /** What came in was no chat that the tracker could read, or came too late. */
  unread(requestId: string, fault: unknown): void {
    this.turnedAway.tell(requestId, null, fault);
  }

  /**
   * @throws MeshnetError when the chat gets no route at all, or waited for one in vain; the client has seen nothing
   * then, and nothing is left counted
   */
  async serve(chat: IncomingChat): Promise<void> {
    const { requestId, request } = chat;
    if (this.calls.openCount >= this.serving.maxInFlight) {
      const fault = new OverloadedError('Too many chats are under way (MESHNET_MAX_IN_FLIGHT).');
      this.turnedAway.tell(requestId, request.model, fault);
      throw fault;
    }
    const call = this.calls.begin(requestId, request.model, request.stream, chat, chat.keyName);
    try {
      await this.failover.run(chat, call);
    } catch (fault) {
      const outcome = fault instanceof QueueError ? 'busy' : 'failed';
      const told = toldOf(fault);
      this.calls.finish(call, { ...NOTHING_DONE, outcome, cause: told.cause }, told);
      if (!call.wasTaken) this.turnedAway.tell(requestId, request.model, fault, call.trace);
      throw fault;
    }
  }
}
