import { Inject, Injectable } from '@nestjs/common';
import { CallsService } from '../calls/index.js';
import { CLOCK, EventBus, type Clock } from '../kernel/index.js';
import { CallLog } from './call-log.js';
import { loggedCall, type LoggedCall } from './logged-call.js';

/** Remembers of each finished call what its route was chosen from and what came of it. */
@Injectable()
export class CallLogService {
  private readonly log = new CallLog();

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    calls: CallsService,
    bus: EventBus,
  ) {
    bus.on('call.finished', ({ request_id, call }) => {
      const logged = loggedCall(call, calls.choicesOf(request_id)[0], clock.now());
      if (logged !== null) this.log.add(logged);
    });
    bus.on('model.forgotten', ({ model }) => this.log.forget(model));
  }

  /** Calls of a model that ended within the last seconds, oldest first. */
  within(model: string, seconds: number): LoggedCall[] {
    return this.log.within(model, seconds * 1000, this.clock.now());
  }
}
