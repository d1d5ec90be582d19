import { Inject, Injectable } from '@nestjs/common';
import { toHttpFault } from '../http/index.js';
import { CLOCK, EventBus, type Clock } from '../kernel/index.js';
import { RoutingService } from '../routing/index.js';

/** Tells of chats that became no call: no record will. */
@Injectable()
export class TurnedAwayService {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly bus: EventBus,
    private readonly routing: RoutingService,
  ) {}

  /** @param model as the client named it; one that the mesh doesn't know is the client's own word and is not told */
  tell(requestId: string, model: string | null, fault: unknown): void {
    this.bus.publish('chat.turned_away', {
      request_id: requestId,
      model: model !== null && this.routing.knows(model) ? model : null,
      code: codeOf(fault),
      status: toHttpFault(fault).status,
      at: this.clock.wallMs(),
    });
  }
}

/** What a fault is called by whoever is told of it. */
export function codeOf(fault: unknown): string {
  return toHttpFault(fault).body.error.code ?? 'internal_error';
}
