import type { LoggedCall } from './logged-call.js';

/** How calls slow each other down, as far as the log shows. */
export interface Contention {
  /** Part of the speed that calls lost to others on the same nodes, on average. */
  readonly lostShare: number;
  /** Whether that is more than chance and more than a little. */
  readonly matters: boolean;
}

/** Below this much a setting that moves the load moves what was measured less than the interval does. */
const LEAST_LOST_SHARE = 0.05;
/** In standard errors: without contention, one log in a thousand seems to have some. */
const SIGNIFICANT = 3;
const NONE: Contention = { lostShare: 0, matters: false };

/**
 * Fits `log(tps) = route + slope × others`, others being the calls beside it on the busiest of its nodes, on average of
 * its start and its end. Each route is compared with itself alone, so that a slow one is not taken for a crowded one.
 */
export function contention(calls: readonly LoggedCall[]): Contention {
  const others = othersOf(calls);
  const points = calls.flatMap(({ standing, tokens, lastMs, lastSignature }, at) =>
    standing === 'counted' && lastMs > 0
      ? [{ route: lastSignature, x: others[at] ?? 0, y: Math.log(tokens / lastMs) }]
      : [],
  );
  const { slope, error } = slopeWithin(points);
  if (!Number.isFinite(slope) || !Number.isFinite(error)) return NONE;
  const meanOthers = points.reduce((sum, { x }) => sum + x, 0) / points.length;
  const lostShare = Math.max(0, 1 - Math.exp(slope * meanOthers));
  return { lostShare, matters: slope < -SIGNIFICANT * error && lostShare > LEAST_LOST_SHARE };
}

/** Of each call, how many others ran on the busiest of its nodes: the mean of when it started and when it ended. */
export function othersOf(calls: readonly LoggedCall[]): number[] {
  const nodesOf = nodesBySignature(calls);
  const running = new Map<string, number>();
  const others = new Array<number>(calls.length).fill(0);
  for (const { call, at, isStart } of momentsOf(calls)) {
    const nodes = nodesOf.get(call.lastSignature) ?? [];
    if (!isStart) for (const node of nodes) running.set(node, (running.get(node) ?? 1) - 1);
    others[at] = (others[at] ?? 0) + Math.max(0, ...nodes.map((node) => running.get(node) ?? 0)) / 2;
    if (isStart) for (const node of nodes) running.set(node, (running.get(node) ?? 0) + 1);
  }
  return others;
}

interface Moment {
  readonly call: LoggedCall;
  readonly at: number;
  readonly ms: number;
  readonly isStart: boolean;
}

/** In the order of time; of one moment, ends first. */
function momentsOf(calls: readonly LoggedCall[]): Moment[] {
  return (
    calls
      .flatMap((call, at) => [
        { call, at, ms: call.endedAt - call.lastMs, isStart: true },
        { call, at, ms: call.endedAt, isStart: false },
      ])
      // A call that took no time at all starts before it ends.
      .sort(
        (a, b) =>
          a.ms - b.ms ||
          (a.at === b.at ? Number(b.isStart) - Number(a.isStart) : Number(a.isStart) - Number(b.isStart)),
      )
  );
}

/** Node ids have neither `>` nor `[` in them, and the model's own name comes before. */
function nodesBySignature(calls: readonly LoggedCall[]): Map<string, readonly string[]> {
  const known = new Map<string, readonly string[]>();
  for (const { model, lastSignature } of calls) {
    if (known.has(lastSignature)) continue;
    const hops = lastSignature.slice(model.length + 1).split('->');
    known.set(
      lastSignature,
      hops.map((hop) => hop.slice(0, hop.lastIndexOf('['))),
    );
  }
  return known;
}

interface Point {
  readonly route: string;
  readonly x: number;
  readonly y: number;
}

/** Least squares on how points differ from their own route's mean. NaN where nothing differs. */
function slopeWithin(points: readonly Point[]): { slope: number; error: number } {
  const byRoute = new Map<string, Point[]>();
  for (const point of points) {
    const own = byRoute.get(point.route);
    if (own === undefined) byRoute.set(point.route, [point]);
    else own.push(point);
  }
  const differences = [...byRoute.values()].flatMap((own) => {
    const [x, y] = [mean(own.map((point) => point.x)), mean(own.map((point) => point.y))];
    return own.map((point) => ({ x: point.x - x, y: point.y - y }));
  });
  const spread = differences.reduce((sum, { x }) => sum + x * x, 0);
  const slope = differences.reduce((sum, { x, y }) => sum + x * y, 0) / spread;
  const left = differences.reduce((sum, { x, y }) => sum + (y - slope * x) ** 2, 0);
  const freedom = points.length - byRoute.size - 1;
  return { slope, error: Math.sqrt(left / freedom / spread) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
