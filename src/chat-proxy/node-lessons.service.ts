import { Injectable } from '@nestjs/common';
import { SignsOfLifeService, type MeshNode } from '../registry/index.js';
import { demandOf } from './incoming-chat.js';
import { LoopsService } from './loops.service.js';
import { NodeLimitsService } from './node-limits.service.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { RestRequestsService } from './rest-requests.service.js';
import type { RouteAttempt } from './route-attempt.js';

/** What an attempt's end says of its nodes, apart from their speed and their reputation. */
@Injectable()
export class NodeLessonsService {
  constructor(
    private readonly loops: LoopsService,
    private readonly limits: NodeLimitsService,
    private readonly signs: SignsOfLifeService,
    private readonly rests: RestRequestsService,
  ) {}

  /** To be called before the ticket is settled, which gives the slot to the next call: that must not go to a node that rests. */
  heedRest({ decision }: RouteAttempt, end: AttemptEnd): void {
    this.rests.heed(end, decision.route);
  }

  /** That the node leads back to a tracker, lacks an endpoint, or takes no request of this length. */
  learn({ head, chat }: RouteAttempt, end: AttemptEnd): void {
    if (end.outcome === 'completed') this.limits.served(head, { bodyBytes: chat.request.body.length });
    if (end.answer === null) return;
    this.loops.learn(head, end.answer, chat.passage);
    this.limits.learn(head, end, demandOf(chat));
  }

  /**
   * Returns whether the head answered as another model than it is known to serve. Another program may listen on its
   * port by now, so the next probe is brought forward by what hints at it.
   */
  isOtherModel(head: MeshNode, { outcome, model, isBroken, headStatus }: AttemptEnd): boolean {
    const lacksModel = outcome === 'misconfigured' && headStatus === 404;
    if (isBroken || lacksModel) this.signs.connectionBroke(head);
    return outcome === 'completed' && model !== null && this.signs.answered(head, model) === 'new';
  }
}
