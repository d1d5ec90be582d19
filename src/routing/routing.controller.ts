import { Controller, Get, Inject, Query } from '@nestjs/common';
import { queryText } from '../http/index.js';
import type { RouteEnumeration, RoutePolicy } from '../kernel/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import { RoutingTableService, type ModelRouting } from './routing-table.service.js';

/** What the table was made by. */
export interface RoutingConfig {
  readonly policy: RoutePolicy;
  readonly enumeration: RouteEnumeration;
  readonly explore_share: number;
  readonly weight_alpha: number;
  readonly stats_half_life_seconds: number;
  readonly min_sample_tokens: number;
  readonly max_candidates: number;
}

/** Answer of `GET /v1/routing`. */
export interface RoutingTable {
  readonly object: 'routing_table';
  readonly config: RoutingConfig;
  readonly models: readonly ModelRouting[];
}

@Controller('v1/routing')
export class RoutingController {
  constructor(
    @Inject(ROUTING_SETTINGS) private readonly settings: RoutingSettings,
    private readonly table: RoutingTableService,
  ) {}

  @Get()
  routing(@Query('model') model: unknown): RoutingTable {
    const { settings } = this;
    return {
      object: 'routing_table',
      config: {
        policy: settings.policy,
        enumeration: settings.enumeration,
        explore_share: settings.exploreShare,
        weight_alpha: settings.weightAlpha,
        stats_half_life_seconds: settings.statsHalfLifeSeconds,
        min_sample_tokens: settings.minSampleTokens,
        max_candidates: settings.maxCandidates,
      },
      models: this.table.tables(queryText(model, 'model')),
    };
  }
}
