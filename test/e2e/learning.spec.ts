import { afterEach, describe, expect, it } from '@jest/globals';
import { expectedText } from '../../src/demo/canned-text.js';
import type { ReferenceNode } from '../../src/demo/reference-node.js';
import { eventually } from '../support/eventually.js';
import type { FakeHead } from '../support/fake-head.js';
import { jsonOf, send, type Reply } from '../support/http-client.js';
import { sendJson, wholeChat } from '../support/openai-answers.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const MODEL = 'Qwen/Qwen3.6-35B-A3B';
const MESSAGES = [{ role: 'user', content: 'Which way is the fastest?' }];
const TOKENS = 16;
const WELL = expectedText(MESSAGES, TOKENS);
const GPU = 'w.gpu:0-21';
const CPU = 'w.cpu:0-39';
const GARBLED = '\ufffd';

const stage = new Stage();
afterEach(() => stage.end());

interface Mixed {
  readonly tracker: StagedTracker;
  readonly gpu: ReferenceNode;
  readonly cpu: ReferenceNode;
}

/** The ADR's mesh: a GPU with the first 22 of 40 layers, a CPU with all of them. */
async function mixedMesh(env: Readonly<Record<string, string>> = {}): Promise<Mixed> {
  const tracker = await stage.tracker({ env: { MESHNET_ROUTE_SEED: '7', ...env } });
  const mesh = stage.mesh(tracker.url);
  const gpu = await mesh.add({
    ...{ wallet: 'w', name: 'gpu', model: MODEL, numLayers: 40 },
    shard: { start: 0, end: 21 },
    msPerLayer: 0.01,
  });
  const cpu = await mesh.add({
    ...{ wallet: 'w', name: 'cpu', model: MODEL, numLayers: 40 },
    shard: { start: 0, end: 39 },
    msPerLayer: 0.1,
  });
  return { tracker, gpu, cpu };
}

function chatBody(more: object = {}): object {
  return { model: MODEL, messages: MESSAGES, max_tokens: TOKENS, ...more };
}

function textOf(reply: Reply): string {
  const { choices } = jsonOf(reply) as { choices: [{ message: { content: string } }] };
  return choices[0].message.content;
}

/** Chats one after the other; the answers. */
async function chatTimes({ api }: StagedTracker, times: number, more: object = {}): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let n = 0; n < times; n += 1) replies.push(await api.chat(chatBody(more)));
  return replies;
}

function routesOf(replies: readonly Reply[]): string[] {
  return replies.map(({ headers }) => String(headers['x-meshnet-route']));
}

const HYBRID_ROUTE = `${MODEL}|${GPU}[0-21]->${CPU}[22-39]`;
const CPU_ROUTE = `${MODEL}|${CPU}[0-39]`;

describe('a mesh of a GPU with layers 0-21 and a CPU with layers 0-39', () => {
  it('gets both its routes measured, and reads well on either', async () => {
    const { tracker } = await mixedMesh({ MESHNET_ROUTE_EXPLORE_SHARE: '1' });
    const replies = await chatTimes(tracker, 6);
    expect(replies.map(textOf)).toEqual(replies.map(() => WELL));
    expect(new Set(routesOf(replies))).toEqual(new Set([HYBRID_ROUTE, CPU_ROUTE]));
    const { candidates } = await tracker.api.routing(MODEL);
    expect(candidates.map(({ signature }) => signature).sort()).toEqual([CPU_ROUTE, HYBRID_ROUTE].sort());
    expect(candidates.map(({ status }) => status)).toEqual(['proven', 'proven']);
    const samples = candidates.map(({ sample_count }) => sample_count);
    expect(samples.reduce((sum, count) => sum + count, 0)).toBe(6);
  });

  it("sends the hybrid's second hop its layers from 22 on, the first one past the head's", async () => {
    const { tracker } = await mixedMesh();
    const head = await stage.head((response) => sendJson(response, 200, wholeChat()));
    await tracker.api.register({
      ...{ wallet: 'w', name: 'gpu', model: MODEL, endpoint: head.url },
      ...{ num_layers: 40, shard_start: 0, shard_end: 21 },
    });
    await tracker.api.chat(chatBody({ route: [GPU, CPU] }));
    const { hops } = JSON.parse(String(head.last.headers['x-meshnet-route'])) as { hops: object[] };
    expect(hops).toMatchObject([
      { node_id: GPU, endpoint: head.url, start_layer: 0, end_layer: 21 },
      { node_id: CPU, start_layer: 22, end_layer: 39 },
    ]);
  });

  it('says garbage when the second hop is made to start elsewhere', async () => {
    const { tracker, gpu } = await mixedMesh();
    let startLayer = 22;
    const proxy = await stage.head((response, chat) => {
      const route = String(chat.headers['x-meshnet-route']).replace(
        '"start_layer":22',
        `"start_layer":${String(startLayer)}`,
      );
      void send(gpu.url + chat.path, {
        method: 'POST',
        headers: { 'x-meshnet-route': route.replace(proxy.url, gpu.url) },
        body: chat.body,
      }).then(({ status, text }) => sendJson(response, status, text));
    });
    await tracker.api.register({
      ...{ wallet: 'w', name: 'gpu', model: MODEL, endpoint: proxy.url },
      ...{ num_layers: 40, shard_start: 0, shard_end: 21 },
    });
    const pinned = (): Promise<Reply> => tracker.api.chat(chatBody({ route: [GPU, CPU] }));
    expect(textOf(await pinned())).toBe(WELL);
    startLayer = 0;
    expect(textOf(await pinned())).toContain(GARBLED);
    startLayer = 23;
    expect(textOf(await pinned())).toContain(GARBLED);
  });

  it('gets most of its traffic on the faster route, and on the other one when speeds swap', async () => {
    const { tracker, gpu, cpu } = await mixedMesh({
      MESHNET_ROUTE_EXPLORE_SHARE: '0.3',
      MESHNET_ROUTE_STATS_HALF_LIFE: '1',
      MESHNET_ROUTE_WEIGHT_ALPHA: '4',
    });
    const tail = await stage.mesh(tracker.url).add({
      ...{ wallet: 'w', name: 'tail', model: MODEL, numLayers: 40, shard: { start: 22, end: 39 } },
      throughputTps: 1000,
    });
    const hybrid = `${MODEL}|${GPU}[0-21]->${String(tail.nodeId)}[22-39]`;
    const settlesOn = async (fast: string): Promise<void> => {
      await eventually(async () => {
        await chatTimes(tracker, 4);
        const { candidates } = await tracker.api.routing(MODEL);
        expect(candidates.map(({ signature }) => signature).sort()).toEqual([CPU_ROUTE, hybrid].sort());
        const [first, second] = candidates.toSorted((a, b) => b.traffic_share - a.traffic_share);
        expect(first).toMatchObject({ signature: fast, status: 'proven', coefficient: 1 });
        expect(second?.sample_count).toBeGreaterThan(0);
      }, 15_000);
      const routes = routesOf(await chatTimes(tracker, 20));
      expect(routes.filter((route) => route === fast).length).toBeGreaterThan(10);
    };
    cpu.msPerLayer = 0.2;
    gpu.msPerLayer = tail.msPerLayer = 0.01;
    await settlesOn(hybrid);
    gpu.msPerLayer = tail.msPerLayer = 0.2;
    cpu.msPerLayer = 0.01;
    await settlesOn(CPU_ROUTE);
    cpu.msPerLayer = 0.2;
    gpu.msPerLayer = tail.msPerLayer = 0.01;
    await settlesOn(hybrid);
  });

  it('gets a new arm, unsampled, for a node that comes back with another shard', async () => {
    const { tracker, gpu } = await mixedMesh();
    await chatTimes(tracker, 1, { route: [GPU, CPU] });
    const { epoch } = await tracker.api.routing(MODEL);
    await tracker.api.register({
      ...{ wallet: 'w', name: 'gpu', model: MODEL, endpoint: gpu.url },
      ...{ num_layers: 40, shard_start: 0, shard_end: 19 },
    });
    const after = await tracker.api.routing(MODEL);
    expect(after.epoch).toBe(epoch + 1);
    expect(after.candidates.map(({ signature }) => signature)).not.toContain(HYBRID_ROUTE);
    expect(await tracker.api.candidate(MODEL, 'w.gpu:0-19', CPU)).toMatchObject({
      signature: `${MODEL}|w.gpu:0-19[0-19]->${CPU}[20-39]`,
      status: 'unsampled',
      sample_count: 0,
      tps: null,
    });
  });

  it('bumps the epoch once each time a node joins, leaves in order, or lets its lease run out', async () => {
    const tracker = await stage.tracker({ env: { MESHNET_NODE_LEASE_SECONDS: '0.6' } });
    const mesh = stage.mesh(tracker.url);
    const whole = { wallet: 'w', model: MODEL, numLayers: 4, shard: { start: 0, end: 3 } };
    const epoch = async (): Promise<number> => (await tracker.api.routing(MODEL)).epoch;
    await mesh.add({ ...whole, name: 'stays' });
    expect(await epoch()).toBe(1);
    const leaver = await mesh.add({ ...whole, name: 'leaves' });
    expect(await epoch()).toBe(2);
    await mesh.remove(leaver);
    expect(await epoch()).toBe(3);
    const silent = await mesh.add({ ...whole, name: 'falls-silent' });
    expect(await epoch()).toBe(4);
    silent.pauseHeartbeats();
    await eventually(async () => {
      expect((await tracker.api.nodes()).map(({ node_id }) => node_id)).toEqual(['w.stays:0-3']);
    });
    expect(await epoch()).toBe(5);
    // Nine heartbeats of the one that stays.
    await tracker.api.chat({ model: MODEL, messages: MESSAGES });
    await eventually(async () => {
      expect((await tracker.api.candidate(MODEL, 'w.stays:0-3')).last_sample_seconds_ago).toBeGreaterThan(
        1.8,
      );
    });
    expect(await epoch()).toBe(5);
  });

  it('keeps what it learned for display when a node joins, as stale until measured anew', async () => {
    const { tracker } = await mixedMesh();
    await chatTimes(tracker, 1, { route: [CPU] });
    const before = await tracker.api.candidate(MODEL, CPU);
    expect(before.status).toBe('proven');
    await tracker.api.register({
      ...{ wallet: 'w', name: 'new', model: MODEL, endpoint: 'http://127.0.0.1:9', num_layers: 40 },
      ...{ shard_start: 30, shard_end: 39 },
    });
    expect(await tracker.api.candidate(MODEL, CPU)).toMatchObject({ status: 'stale', tps: before.tps });
    await chatTimes(tracker, 1, { route: [CPU] });
    expect(await tracker.api.candidate(MODEL, CPU)).toMatchObject({ status: 'proven', sample_count: 2 });
  });

  it('forgets a proof after a half-life', async () => {
    const { tracker } = await mixedMesh({ MESHNET_ROUTE_STATS_HALF_LIFE: '1' });
    await chatTimes(tracker, 1, { route: [CPU] });
    expect(await tracker.api.candidate(MODEL, CPU)).toMatchObject({ status: 'proven' });
    const decayed = await eventually(async () => {
      const candidate = await tracker.api.candidate(MODEL, CPU);
      expect(candidate.status).toBe('decayed');
      return candidate;
    });
    expect(decayed.weight).toBeLessThan(0.5);
    expect(decayed.tps).toBeGreaterThan(0);
    expect(decayed.last_sample_seconds_ago).toBeGreaterThanOrEqual(1);
  });

  it('goes where a chat is pinned, whatever it learned, and learns from it all the same', async () => {
    const { tracker } = await mixedMesh({ MESHNET_ROUTE_EXPLORE_SHARE: '0' });
    const [first, second] = await chatTimes(tracker, 2, { route: [GPU, CPU] });
    for (const reply of [first, second]) {
      expect(reply?.headers).toMatchObject({
        'x-meshnet-route': HYBRID_ROUTE,
        'x-meshnet-route-mode': 'pinned',
      });
    }
    expect(await tracker.api.candidate(MODEL, GPU, CPU)).toMatchObject({
      status: 'proven',
      sample_count: 2,
    });
    expect(routesOf(await chatTimes(tracker, 3))).toEqual([HYBRID_ROUTE, HYBRID_ROUTE, HYBRID_ROUTE]);
    expect(routesOf(await chatTimes(tracker, 1, { route: [CPU] }))).toEqual([CPU_ROUTE]);
  });

  it.each([
    [[GPU], 'layer 39'],
    [[CPU, GPU], 'route[1]'],
    [['w.nobody:0-39'], 'route[0]'],
    [[GPU, GPU], 'route[1]'],
  ])('refuses the pin %j, which is no route', async (route, named) => {
    const { tracker } = await mixedMesh();
    const [reply] = await chatTimes(tracker, 1, { route });
    expect(reply?.status).toBe(400);
    expect(jsonOf(reply!)).toMatchObject({
      error: { type: 'invalid_request_error', param: 'route', message: expect.stringContaining(named) },
    });
  });
});

describe('two plain servers that call one model by two names', () => {
  it('serve it as one, and each hears its own name', async () => {
    const tracker = await stage.tracker({ env: { MESHNET_ROUTE_EXPLORE_SHARE: '1' } });
    const [one, other] = [await stage.head(), await stage.head()];
    const join = (wallet: string, head: FakeHead, upstream_model?: string): Promise<unknown> =>
      tracker.api.register({ wallet, endpoint: head.url, model: 'llama3:8b', upstream_model });
    await join('vllm', one, 'meta-llama/Meta-Llama-3-8B-Instruct');
    await join('ollama', other, 'llama3:8b-instruct-q4');
    for (let n = 0; n < 6; n += 1) await tracker.api.chat({ model: 'llama3:8b', messages: MESSAGES });
    const asked = (head: FakeHead): unknown[] =>
      head.chats.map(({ body }) => (JSON.parse(body.toString()) as { model: unknown }).model);
    expect(new Set(asked(one))).toEqual(new Set(['meta-llama/Meta-Llama-3-8B-Instruct']));
    expect(new Set(asked(other))).toEqual(new Set(['llama3:8b-instruct-q4']));
    expect(one.chats.length + other.chats.length).toBe(6);
    const models = jsonOf(await tracker.api.get('/v1/models')) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(['llama3:8b']);
    const unknown = await tracker.api.chat({ model: 'llama3:8b-instruct-q4', messages: MESSAGES });
    expect(unknown.status).toBe(404);
  });
});
