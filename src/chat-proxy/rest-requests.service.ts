import { Inject, Injectable } from '@nestjs/common';
import type { Route } from '../candidate-enumeration/index.js';
import { CLOCK, type Clock } from '../kernel/index.js';
import { NodeHealthService, retryAfterMs } from '../node-health/index.js';
import type { AttemptEnd } from './relay/attempt-end.js';
import { blamedNode } from './settlement.js';

/** Of a 508 the node says that the chat came back, and of other statuses nothing about its load. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([429, 503]);

/** Lets nodes rest that ask for it: by `Retry-After` of a 429, or of a 503 that counts as busy. */
@Injectable()
export class RestRequestsService {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly health: NodeHealthService,
  ) {}

  /** The hop that rests is the one that the head named, else the head. */
  heed(end: AttemptEnd, route: Route): void {
    const { outcome, answer } = end;
    if (outcome !== 'busy' || answer === null || !BUSY_STATUSES.has(answer.status)) return;
    const ms = retryAfterMs(answer.headers, this.clock.wallMs());
    const node = blamedNode(end, route);
    if (ms !== null && node !== null) this.health.rest(node, ms);
  }
}
