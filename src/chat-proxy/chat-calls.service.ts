import { Inject, Injectable } from '@nestjs/common';
import { CallsService, NOTHING_DONE, type Call } from '../calls/index.js';
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
   * Never throws; the client has its answer sooner or later, or `failed` is told.
   *
   * @param failed told at most once, and must not throw: a MeshnetError when the chat gets no route at all, or waited for one
   * in vain (the client has seen nothing then), or what the tracker itself threw; nothing is left counted
   */
  serve(chat: IncomingChat, failed: (fault: unknown) => void): void {
    const { requestId, request } = chat;
    let call: Call;
    try {
      if (this.calls.openCount >= this.serving.maxInFlight) throw this.tooMany(requestId, request.model);
      call = this.calls.begin(requestId, request.model, request.stream, chat, chat.keyName);
    } catch (fault) {
      failed(fault);
      return;
    }
    this.failover.run(chat, call, (fault) => failed(this.ended(call, fault)));
  }

  private tooMany(requestId: string, model: string): OverloadedError {
    const fault = new OverloadedError('Too many chats are under way (MESHNET_MAX_IN_FLIGHT).');
    this.turnedAway.tell(requestId, model, fault);
    return fault;
  }

  /** @returns what is to be told: this, or what was thrown on the way */
  private ended(call: Call, fault: unknown): unknown {
    const { requestId, model } = call.start;
    try {
      const outcome = fault instanceof QueueError ? 'busy' : 'failed';
      const told = toldOf(fault);
      this.calls.finish(call, { ...NOTHING_DONE, outcome, cause: told.cause }, told);
      if (!call.wasTaken) this.turnedAway.tell(requestId, model, fault, call.trace);
      return fault;
    } catch (another) {
      return another;
    }
  }
}
