import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { errorOf, jsonOf } from '../../support/http-client.js';
import { sendJson, wholeChat } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import type { Registered, TrackerApi } from '../../support/tracker-api.js';
import { aChat, join } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

/** Two shards that cover the model, at one head. */
async function fullRoute(api: TrackerApi): Promise<{ front: Registered; back: Registered }> {
  const head = await stage.head();
  const tail = await stage.head();
  const layers = { model: 'm', num_layers: 10 };
  return {
    front: await api.register({
      ...layers,
      wallet: 'front',
      endpoint: head.url,
      shard_start: 0,
      shard_end: 4,
    }),
    back: await api.register({ ...layers, wallet: 'back', endpoint: tail.url, shard_start: 5, shard_end: 9 }),
  };
}

async function modelsListed({ api }: Pick<StagedTracker, 'api'>): Promise<string[]> {
  const { data } = jsonOf(await api.get('/v1/models')) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

/** What a chat for a model without a route must get, and what the list of models says then. */
async function expectNoRoute(tracker: Pick<StagedTracker, 'api'>, missing: string): Promise<void> {
  const { api } = tracker;
  for (const stream of [false, true]) {
    const reply = await api.chat(aChat({ stream }));
    expect(reply.status).toBe(503);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    expect(errorOf(reply)).toMatchObject({ type: 'server_error', code: 'no_route' });
    expect(errorOf(reply).message).toContain(missing);
  }
  expect(await modelsListed(tracker)).toEqual([]);
  expect((await api.get('/v1/models/m')).status).toBe(404);
  expect(await api.calls()).toEqual([]);
}

async function expectNeverSeen({ api }: Pick<StagedTracker, 'api'>): Promise<void> {
  for (const stream of [false, true]) {
    const reply = await api.chat(aChat({ model: 'never-seen', stream }));
    expect(reply.status).toBe(404);
    expect(reply.headers['retry-after']).toBeUndefined();
    expect(errorOf(reply)).toMatchObject({
      type: 'invalid_request_error',
      param: 'model',
      code: 'model_not_found',
    });
  }
}

describe('B31 all nodes of a model are gone', () => {
  it('gives 503 when their leases ran out, and 404 for a model that never was', async () => {
    const tracker = await stage.tracker({ env: { MESHNET_NODE_LEASE_SECONDS: '0.5' } });
    const { api } = tracker;
    await fullRoute(api);
    expect(await modelsListed(tracker)).toEqual(['m']);

    await eventually(async () => expect(await api.nodes()).toEqual([]));

    await expectNoRoute(tracker, 'layers 0-9');
    await expectNeverSeen(tracker);
    expect(await api.routing('m')).toMatchObject({
      num_layers: 10,
      gaps: [{ start_layer: 0, end_layer: 9 }],
      candidates: [],
    });
  });

  it('gives 503 when they said goodbye, naming who served last', async () => {
    const tracker = await stage.tracker();
    const { front, back } = await fullRoute(tracker.api);

    await tracker.api.ask('DELETE', `/v1/leases/${back.lease_id}`);
    await expectNoRoute(tracker, 'back:5-9');
    await tracker.api.ask('DELETE', `/v1/leases/${front.lease_id}`);
    await expectNoRoute(tracker, 'front:0-4');
    await expectNeverSeen(tracker);
  });

  it('gives 503 while they drain, and serves again when they are back', async () => {
    const tracker = await stage.tracker();
    const { api } = tracker;
    const { back } = await fullRoute(api);

    await api.ask('POST', `/v1/nodes/${back.node_id}/drain`);
    await expectNoRoute(tracker, 'layers 5-9');
    await api.ask('POST', `/v1/nodes/${back.node_id}/resume`);

    expect((await api.chat(aChat())).status).toBe(200);
    expect(await modelsListed(tracker)).toEqual(['m']);
  });

  it('gives 503 from the start for a model whose layers nobody ever served whole', async () => {
    const tracker = await stage.tracker();
    const head = await stage.head();
    await join(tracker.api, head, 'head', { num_layers: 10, shard_start: 0, shard_end: 4 });

    await expectNoRoute(tracker, 'layers 5-9');
    expect(head.chats).toEqual([]);
  });
});

describe('B31 all nodes of a model are there and fail', () => {
  it('still tries one rather than to say that there is none', async () => {
    const { api } = await stage.tracker();
    const heads = [
      await stage.head((response) => sendJson(response, 500, { error: { message: 'down' } })),
      await stage.head((response) => sendJson(response, 500, { error: { message: 'down' } })),
    ];
    for (const [at, head] of heads.entries()) await join(api, head, `head${String(at)}`);

    for (let asked = 0; asked < 10; asked += 1) {
      const reply = await api.chat(aChat());
      expect(reply.status).toBe(500);
      expect(errorOf(reply).message).toBe('down');
    }
    expect((await api.nodes()).map(({ breaker }) => breaker)).toContain('open');
    for (const head of heads) head.answer((response) => sendJson(response, 200, wholeChat()));

    expect((await api.chat(aChat())).status).toBe(200);
    expect(jsonOf(await api.get('/v1/models'))).toMatchObject({ data: [{ id: 'm' }] });
  });
});
