import type { FakeHead, HeadAnswering } from './fake-head.js';
import type { Stage, StagedTracker } from './stage.js';
import type { TrackerApi } from './tracker-api.js';
import { aChat, join } from './whole-model.js';

/** A faulty node that looks a hundred times faster beside a healthy one. */
export interface TwoRoutes {
  readonly tracker: StagedTracker;
  readonly api: TrackerApi;
  readonly faulty: FakeHead;
  readonly healthy: FakeHead;
  readonly faultyId: string;
  readonly healthyId: string;
}

export async function twoRoutes(
  stage: Stage,
  answering: HeadAnswering,
  env: Readonly<Record<string, string>> = {},
): Promise<TwoRoutes> {
  const tracker = await stage.tracker({ env: { MESHNET_ROUTE_SEED: '7', ...env } });
  const { api } = tracker;
  const faulty = await stage.head(answering);
  const healthy = await stage.head();
  const faultyId = await join(api, faulty, 'faulty', { throughput_tps: 1000 });
  const healthyId = await join(api, healthy, 'healthy', { throughput_tps: 10 });
  return { tracker, api, faulty, healthy, faultyId, healthyId };
}

/** The four ways to ask: chat and legacy completions, JSON and stream. */
export const WAYS = [
  ['chat JSON', '/v1/chat/completions', false],
  ['chat SSE', '/v1/chat/completions', true],
  ['legacy JSON', '/v1/completions', false],
  ['legacy SSE', '/v1/completions', true],
] as const;

export const BOTH = WAYS.slice(0, 2);

export function asked(path: string, stream: boolean, more: object = {}): object {
  if (path === '/v1/chat/completions') return aChat({ stream, ...more });
  return { model: 'm', prompt: 'Which way?', stream, ...more };
}
