import { Controller, Get, Inject, Query } from '@nestjs/common';
import { queryCount, queryName, queryNumber, queryText } from '../http/index.js';
import { InvalidRequestError, ROUTE_POLICIES, type RoutePolicy } from '../kernel/index.js';
import { ROUTING_SETTINGS, RoutingSettings } from '../settings/index.js';
import type { Replay } from './replay.js';
import { ReplayService } from './replay.service.js';

/** What of the setting a replay may change. */
export interface ReplaySetting {
  readonly policy: RoutePolicy;
  readonly explore_share: number;
  readonly weight_alpha: number;
}

/** Answer of `GET /v1/routing/replay`. */
export interface RoutingReplay extends Replay {
  readonly object: 'routing_replay';
  readonly model: string;
  readonly window_seconds: number;
  readonly in_force: ReplaySetting;
  readonly proposed: ReplaySetting;
}

export const WINDOW_SECONDS = { byDefault: 86_400, most: 86_400 };
export const EXPLORE_SHARE = { least: 0, most: 1 };
export const WEIGHT_ALPHA = { least: 0, most: 16 };

@Controller('v1/routing/replay')
export class ReplayController {
  constructor(
    @Inject(ROUTING_SETTINGS) private readonly inForce: RoutingSettings,
    private readonly replays: ReplayService,
  ) {}

  @Get()
  async replay(
    @Query('model') named: unknown,
    @Query('policy') policy: unknown,
    @Query('explore_share') exploreShare: unknown,
    @Query('weight_alpha') weightAlpha: unknown,
    @Query('window') window: unknown,
  ): Promise<RoutingReplay> {
    const { inForce } = this;
    const model = queryText(named, 'model');
    if (model === null) throw new InvalidRequestError('model must be given.', 'model');
    const proposed = Object.assign(new RoutingSettings(), inForce, {
      policy: queryName(policy, 'policy', ROUTE_POLICIES) ?? inForce.policy,
      exploreShare: queryNumber(exploreShare, 'explore_share', EXPLORE_SHARE) ?? inForce.exploreShare,
      weightAlpha: queryNumber(weightAlpha, 'weight_alpha', WEIGHT_ALPHA) ?? inForce.weightAlpha,
    });
    const window_seconds = queryCount(window, 'window', WINDOW_SECONDS);
    return {
      ...{ object: 'routing_replay', model, window_seconds },
      ...{ in_force: settingOf(inForce), proposed: settingOf(proposed) },
      ...(await this.replays.replay(model, proposed, window_seconds)),
    };
  }
}

function settingOf({ policy, exploreShare, weightAlpha }: RoutingSettings): ReplaySetting {
  return { policy, explore_share: exploreShare, weight_alpha: weightAlpha };
}
