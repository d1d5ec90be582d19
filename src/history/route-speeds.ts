import { Slices } from './slices.js';

/** The samples of one route in one minute. */
export interface MinuteOfSpeed {
  readonly minute: number;
  readonly tps: number;
  /** What the route's arm held after the last of them. */
  readonly learnedTps: number;
  readonly samples: number;
}

/** What a route's samples were, by minute. */
export interface SpeedHistory {
  readonly signature: string;
  readonly minutes: readonly MinuteOfSpeed[];
}

interface Minute {
  tpsSum: number;
  learnedTps: number;
  samples: number;
}

interface RouteSpeeds {
  readonly model: string;
  readonly minutes: Slices<Minute>;
  lastMinute: number;
  /** Higher for those sampled later. */
  sampled: number;
}

const KEPT_MINUTES = 60;
/** Of all models together; clients can pin any order of nodes. */
const MOST_ROUTES = 4096;

/** Speeds of the routes sampled within the last hour, bounded: the one sampled longest ago makes room. */
export class RouteSpeedsStore {
  /** By signature, which names the model too. */
  private readonly routes = new Map<string, RouteSpeeds>();
  private samples = 0;
  private prunedAt = 0;

  record(model: string, signature: string, minute: number, tps: number, learnedTps: number): void {
    const route = this.routes.get(signature) ?? this.begin(model, signature);
    const counted = route.minutes.at(minute);
    counted.tpsSum += tps;
    counted.learnedTps = learnedTps;
    counted.samples += 1;
    route.lastMinute = minute;
    route.sampled = this.samples += 1;
    if (minute !== this.prunedAt) this.prune(minute);
    else if (this.routes.size > MOST_ROUTES) this.dropOldest();
  }

  /** The routes of a model, newest sampled first. */
  of(model: string, minute: number): SpeedHistory[] {
    this.prune(minute);
    return [...this.routes]
      .filter(([, route]) => route.model === model)
      .sort(([, a], [, b]) => b.sampled - a.sampled)
      .map(([signature, { minutes }]) => ({ signature, minutes: minutesOf(minutes, minute) }));
  }

  forget(model: string): void {
    for (const [signature, route] of this.routes) if (route.model === model) this.routes.delete(signature);
  }

  get size(): number {
    return this.routes.size;
  }

  private begin(model: string, signature: string): RouteSpeeds {
    const route = newRoute(model);
    this.routes.set(signature, route);
    return route;
  }

  /** Those without a sample in the last hour go. */
  private prune(minute: number): void {
    this.prunedAt = minute;
    for (const [signature, { lastMinute }] of this.routes) {
      if (lastMinute <= minute - KEPT_MINUTES) this.routes.delete(signature);
    }
    if (this.routes.size > MOST_ROUTES) this.dropOldest();
  }

  private dropOldest(): void {
    const [oldest] = [...this.routes].reduce((a, b) => (a[1].sampled < b[1].sampled ? a : b));
    this.routes.delete(oldest);
  }
}

function newRoute(model: string): RouteSpeeds {
  const minutes = new Slices<Minute>(KEPT_MINUTES, () => ({ tpsSum: 0, learnedTps: 0, samples: 0 }));
  return { model, minutes, lastMinute: 0, sampled: 0 };
}

function minutesOf(minutes: Slices<Minute>, now: number): MinuteOfSpeed[] {
  return minutes
    .between(now - KEPT_MINUTES + 1, now)
    .map(({ slice, value: { tpsSum, learnedTps, samples } }) => ({
      ...{ minute: slice, tps: tpsSum / samples, learnedTps, samples },
    }));
}
