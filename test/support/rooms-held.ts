import { CallsService, EventsService } from '../../src/calls/index.js';
import { TurnsService } from '../../src/chat-proxy/turns.service.js';
import { NodeHealthService } from '../../src/node-health/index.js';
import type { RunningTracker } from '../../src/bootstrap.js';

/** What a tracker holds for calls under way. */
export interface Held {
  readonly inFlight: number;
  readonly openCalls: number;
  readonly waiting: number;
  readonly watchers: number;
}

export const NOTHING_HELD: Held = { inFlight: 0, openCalls: 0, waiting: 0, watchers: 0 };

export function heldBy({ app }: Pick<RunningTracker, 'app'>): Held {
  return {
    inFlight: app.get(NodeHealthService).inFlight,
    openCalls: app.get(CallsService).openCount,
    waiting: app.get(TurnsService).waitingCount,
    watchers: app.get(EventsService).watcherCount,
  };
}
