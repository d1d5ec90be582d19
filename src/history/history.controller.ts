import { Controller, Get, Query } from '@nestjs/common';
import { queryCount, queryText } from '../http/index.js';
import { InvalidRequestError } from '../kernel/index.js';
import type { ListAnswer } from '../openapi/index.js';
import type { EarningsRow } from './earnings.js';
import { EarningsService } from './earnings.service.js';
import { IncidentsService } from './incidents.service.js';
import { WINDOW_SECONDS, type IncidentRow } from './model-incidents.js';
import { BUCKET_SECONDS, RouteHistoryService, type RouteHistory } from './route-history.service.js';
import type { TimelineEntry } from './timeline.js';
import { TimelineService } from './timeline.service.js';

/** Answer of `GET /v1/routing/history`. */
export interface RoutingHistory {
  readonly object: 'routing_history';
  readonly model: string;
  readonly bucket_seconds: number;
  readonly routes: readonly RouteHistory[];
}

/** Answer of `GET /v1/incidents`. */
export interface IncidentList extends ListAnswer<IncidentRow> {
  readonly window_seconds: number;
}

export const TIMELINE_ROWS = { byDefault: 200, most: 1000 };

@Controller('v1')
export class HistoryController {
  constructor(
    private readonly routes: RouteHistoryService,
    private readonly incidents: IncidentsService,
    private readonly timeline: TimelineService,
    private readonly earnings: EarningsService,
  ) {}

  @Get('routing/history')
  routingHistory(@Query('model') named: unknown, @Query('signature') signature: unknown): RoutingHistory {
    const model = queryText(named, 'model');
    if (model === null) throw new InvalidRequestError('model must be given.', 'model');
    const routes = this.routes.of(model, queryText(signature, 'signature'));
    return { object: 'routing_history', model, bucket_seconds: BUCKET_SECONDS, routes };
  }

  @Get('routing/earnings')
  earningsRows(@Query('model') model: unknown): ListAnswer<EarningsRow> {
    return { object: 'list', data: this.earnings.rows(queryText(model, 'model')) };
  }

  @Get('incidents')
  incidentRows(@Query('model') model: unknown): IncidentList {
    const data = this.incidents.rows(queryText(model, 'model'));
    return { object: 'list', window_seconds: WINDOW_SECONDS, data };
  }

  @Get('timeline')
  timelineEntries(@Query('model') model: unknown, @Query('limit') limit: unknown): ListAnswer<TimelineEntry> {
    const rows = queryCount(limit, 'limit', TIMELINE_ROWS);
    return { object: 'list', data: this.timeline.newest(queryText(model, 'model'), rows) };
  }
}
