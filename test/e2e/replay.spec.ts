import { afterEach, describe, expect, it } from '@jest/globals';
import type { RoutingReplay } from '../../src/replay/replay.controller.js';
import { errorOf, jsonOf } from '../support/http-client.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const MODEL = 'Qwen/Qwen3.6-35B-A3B';
const PATH = `/v1/routing/replay?model=${encodeURIComponent(MODEL)}`;
const stage = new Stage();
afterEach(() => stage.end());

async function trackerWithTwo(env: Readonly<Record<string, string>>): Promise<StagedTracker> {
  const tracker = await stage.tracker({ env });
  for (const wallet of ['a', 'b']) {
    await tracker.api.register({ wallet, endpoint: (await stage.head()).url, model: MODEL });
  }
  return tracker;
}

async function chats(tracker: StagedTracker, count: number): Promise<void> {
  for (let times = 0; times < count; times += 1) {
    await tracker.api.chat({ model: MODEL, stream: times % 2 === 0 });
  }
}

describe('GET /v1/routing/replay', () => {
  it('tells from the calls that there were what another setting would have earned', async () => {
    const tracker = await trackerWithTwo({ MESHNET_ROUTE_SEED: '1' });
    await chats(tracker, 120);
    await tracker.api.chat({ model: MODEL, route: ['b:all'] });
    const replay = jsonOf(await tracker.api.get(`${PATH}&explore_share=0.1&window=3600`)) as RoutingReplay;
    expect(replay).toMatchObject({
      ...{ object: 'routing_replay', model: MODEL, window_seconds: 3600, calls: 120 },
      in_force: { policy: 'proportional', explore_share: 0.3, weight_alpha: 1 },
      proposed: { policy: 'proportional', explore_share: 0.1, weight_alpha: 1 },
      left_out: { not_chosen: 1, failed: 0, client_left: 0, no_sample: 0 },
      ...{ verdict: 'estimated', reason: null, why: null },
    });
    const { low, mean, high } = replay.estimates!.doubly_robust.seconds;
    expect([low <= mean, mean <= high]).toEqual([true, true]);
  });

  it('says that it cannot tell where nothing was left to chance, and why', async () => {
    const tracker = await trackerWithTwo({ MESHNET_ROUTE_EXPLORE_SHARE: '0' });
    await chats(tracker, 101);
    const replay = jsonOf(await tracker.api.get(`${PATH}&explore_share=0.3`));
    expect(replay).toMatchObject({ verdict: 'cannot_tell', reason: 'no_randomness', estimates: null });
    expect((replay as RoutingReplay).why).toMatch(/one route/);
  });

  it('is refused over too few calls, which it counts', async () => {
    const tracker = await trackerWithTwo({});
    await chats(tracker, 3);
    const reply = await tracker.api.get(PATH);
    expect(reply.status).toBe(422);
    expect(errorOf(reply)).toMatchObject({ code: 'too_few_calls', param: 'window' });
    expect(errorOf(reply).message).toContain('has 3');
  });

  it.each([
    ['', 'model'],
    ['?model=a&model=b', 'model'],
    [`?model=m&policy=fastest`, 'policy'],
    [`?model=m&explore_share=1.5`, 'explore_share'],
    [`?model=m&weight_alpha=-1`, 'weight_alpha'],
    [`?model=m&window=0`, 'window'],
    [`?model=m&window=86401`, 'window'],
  ])('refuses %j by its parameter', async (query, param) => {
    const tracker = await stage.tracker();
    const reply = await tracker.api.get(`/v1/routing/replay${query}`);
    expect(reply.status).toBe(400);
    expect(errorOf(reply)).toMatchObject({ code: 'invalid_request', param });
  });
});
