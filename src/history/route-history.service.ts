import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, EventBus, ModelNotFoundError, type Clock } from '../kernel/index.js';
import { TopologyService } from '../topology/index.js';
import { RouteSpeedsStore } from './route-speeds.js';
import { SteadyTime } from './steady-time.js';

/** A route's samples in one minute. */
export interface RoutePoint {
  /** When the minute began, in Unix seconds. */
  readonly at: number;
  /** Mean of its samples. */
  readonly tps: number;
  /** What the route's arm held after the last of them. */
  readonly learned_tps: number;
  readonly samples: number;
}

export interface RouteHistory {
  readonly signature: string;
  readonly points: readonly RoutePoint[];
}

export const BUCKET_SECONDS = 60;

/** Remembers each route's speed over the last hour, minute by minute. */
@Injectable()
export class RouteHistoryService {
  private readonly speeds = new RouteSpeedsStore();
  private readonly minutes: SteadyTime;

  constructor(
    @Inject(CLOCK) clock: Clock,
    private readonly topology: TopologyService,
    bus: EventBus,
  ) {
    this.minutes = new SteadyTime(clock, BUCKET_SECONDS * 1000);
    bus.on('sample.recorded', ({ model, signature, tps, learned_tps }) => {
      if (!topology.isKnown(model)) return;
      this.speeds.record(model, signature, this.minutes.slice, tps, learned_tps);
    });
    bus.on('model.forgotten', ({ model }) => this.speeds.forget(model));
  }

  /**
   * Routes with a sample within the hour, newest sampled first; with a signature that one alone.
   *
   * @throws ModelNotFoundError
   */
  of(model: string, signature: string | null): RouteHistory[] {
    if (!this.topology.isKnown(model)) throw new ModelNotFoundError(model);
    return this.speeds
      .of(model, this.minutes.slice)
      .filter((route) => signature === null || route.signature === signature)
      .map((route) => ({
        signature: route.signature,
        points: route.minutes.map(({ minute, tps, learnedTps, samples }) => ({
          ...{ at: this.minutes.startOf(minute) / 1000, tps, learned_tps: learnedTps, samples },
        })),
      }));
  }
}
