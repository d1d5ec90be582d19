import { Inject, Injectable } from '@nestjs/common';
import { toHttpFault } from '../http/index.js';
import { CLOCK, EventBus, type Clock } from '../kernel/index.js';
import { RoutingService } from '../routing/index.js';
import { NO_TRACE, type CallTrace } from '../traces/index.js';

/** Tells of chats that became no call: no record will. */
@Injectable()
export class TurnedAwayService {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly bus: EventBus,
    private readonly routing: RoutingService,
  ) {}

  /**
   * @param model as the client named it; one that the mesh doesn't know is the client's own word and is not told
   * @param trace of the call that it nearly became
   */
  tell(requestId: string, model: string | null, fault: unknown, trace: CallTrace = NO_TRACE): void {
    const { status, cause } = toldOf(fault);
    const known = model !== null && this.routing.knows(model) ? model : null;
    const told = { model: known, code: cause, status };
    this.bus.publish('chat.turned_away', { request_id: requestId, ...told, at: this.clock.wallMs() });
    trace.turnedAway(told);
  }
}

/** What a fault is called by whoever is told of it, and the status that goes with it. */
export function toldOf(fault: unknown): { readonly status: number; readonly cause: string } {
  const { status, body } = toHttpFault(fault);
  return { status, cause: body.error.code ?? 'internal_error' };
}
