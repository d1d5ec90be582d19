import type { Type } from '@nestjs/common';
import type { RunningTracker } from '../../src/bootstrap.js';
import { CallsService, EventsService } from '../../src/calls/index.js';
import { CandidatesService } from '../../src/candidate-enumeration/index.js';
import { TurnsService } from '../../src/chat-proxy/turns.service.js';
import { HeadPoolsService } from '../../src/chat-proxy/upstream/head-pools.service.js';
import { IncidentsService } from '../../src/history/incidents.service.js';
import { RouteHistoryService } from '../../src/history/route-history.service.js';
import { TimelineService } from '../../src/history/timeline.service.js';
import { Deadlines, EventBus, WordPage } from '../../src/kernel/index.js';
import { CallMetrics } from '../../src/metrics/call-metrics.service.js';
import { MeshMetrics } from '../../src/metrics/mesh-metrics.service.js';
import { ModelLabels } from '../../src/metrics/model-labels.js';
import { NodeHealthService } from '../../src/node-health/index.js';
import { RegistryService } from '../../src/registry/index.js';
import { RoutingStatsService } from '../../src/routing-stats/index.js';
import { TopologyService } from '../../src/topology/index.js';

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

const ROOMS: readonly Type[] = [
  EventBus,
  RegistryService,
  TopologyService,
  NodeHealthService,
  CandidatesService,
  RoutingStatsService,
  TurnsService,
  HeadPoolsService,
  CallsService,
  EventsService,
  Deadlines,
  RouteHistoryService,
  IncidentsService,
  TimelineService,
  CallMetrics,
  MeshMetrics,
  ModelLabels,
];
/** Deep enough for what a service keeps in objects of its own. */
const DEPTH = 3;

/**
 * How many entries each map, set and list within the rooms' services has, by where it is. What a page of words has texts of
 * depends on where among its calls it begins; call-ring.spec.ts holds how many they may be.
 */
export function entriesOf({ app }: Pick<RunningTracker, 'app'>): Record<string, number> {
  const counts: Record<string, number> = {};
  const services = ROOMS.map((room) => [room.name, app.get<object>(room)] as const);
  const seen = new Set<object>(services.map(([, service]) => service));
  const isDone = (value: object): boolean => seen.has(value) || value instanceof WordPage;
  const count = (owner: object, path: string, depth: number): void => {
    for (const [name, value] of Object.entries(owner) as [string, unknown][]) {
      const place = `${path}.${name}`;
      if (value instanceof Map || value instanceof Set) counts[place] = value.size;
      else if (Array.isArray(value)) counts[place] = value.length;
      else if (typeof value === 'object' && value !== null && depth > 0 && !isDone(value)) {
        seen.add(value);
        count(value, place, depth - 1);
      }
    }
  };
  for (const [name, service] of services) count(service, name, DEPTH);
  return counts;
}
