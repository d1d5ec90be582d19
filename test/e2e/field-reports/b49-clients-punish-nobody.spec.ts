import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { HeadAnswering } from '../../support/fake-head.js';
import { start } from '../../support/http-client.js';
import { sendChat, sendJson, SSE_HEADERS, textChunk } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';

const MODEL = 'm';
const TWENTY = 20;
const stage = new Stage();
afterEach(() => stage.end());

interface Scene {
  readonly tracker: StagedTracker;
  /** How many chats reached a head since the warm-up, and how many of them lost their client. */
  readonly reached: () => number;
  readonly aborted: () => number;
  answer(answering: HeadAnswering): void;
}

/** Two nodes of measured speed, which from then on answer as the test says. */
async function warm(): Promise<Scene> {
  const tracker = await stage.tracker();
  const heads = [await stage.head(), await stage.head()];
  for (const [at, head] of heads.entries()) {
    await tracker.api.register({ wallet: 'ab'.charAt(at), endpoint: head.url, model: MODEL });
  }
  await expectServed(tracker);
  for (const head of heads) head.chats.length = 0;
  const chats = () => heads.flatMap((head) => head.chats);
  return {
    tracker,
    reached: () => chats().length,
    aborted: () => chats().filter((chat) => chat.aborted).length,
    answer: (answering) => heads.forEach((head) => head.answer(answering)),
  };
}

/** All that the router holds for or against the two. */
async function standing({ api }: StagedTracker): Promise<unknown> {
  const rows = await Promise.all(['a:all', 'b:all'].map((id) => api.candidate(MODEL, id)));
  const nodes = await api.nodes();
  return {
    routes: rows.map(({ status, tps, sample_count, traffic_share, coefficient }) => {
      return { status, tps, sample_count, traffic_share, coefficient };
    }),
    nodes: nodes.map(({ reputation, breaker, in_flight }) => ({ reputation, breaker, in_flight })),
  };
}

async function expectServed({ api }: StagedTracker): Promise<void> {
  for (const route of [['a:all'], ['b:all']])
    expect((await api.chat({ model: MODEL, route })).status).toBe(200);
}

describe('B49: clients that give up at once', () => {
  it.each<[string, HeadAnswering]>([
    ['before the first token', () => undefined],
    ['in the midst of a stream', (response) => response.writeHead(200, SSE_HEADERS).write(textChunk('x'))],
  ])('%s change nothing for anybody', async (_when, answering) => {
    const scene = await warm();
    const { api } = scene.tracker;
    const before = await standing(scene.tracker);
    scene.answer(answering);
    for (let n = 1; n <= TWENTY; n += 1) {
      const impatient = start(`${api.url}/v1/chat/completions`, {
        method: 'POST',
        body: { model: MODEL, stream: n % 2 === 0 },
      });
      await eventually(() => expect(scene.reached()).toBe(n));
      impatient.destroy();
      await eventually(() => expect(scene.aborted()).toBe(n));
    }
    await eventually(async () => expect(await standing(scene.tracker)).toEqual(before));
    const calls = (await api.calls()).slice(0, TWENTY);
    expect(calls.map(({ outcome }) => outcome)).toEqual(calls.map(() => 'client_left'));
    scene.answer(sendChat);
    await expectServed(scene.tracker);
  });
});

describe('B49: clients that ask for what cannot be had', () => {
  it('change nothing for anybody', async () => {
    const scene = await warm();
    const { api } = scene.tracker;
    const before = await standing(scene.tracker);
    scene.answer((response) => sendJson(response, 400, { error: { message: 'top_p must be below 1' } }));
    let attempts = 0;
    for (let n = 0; n < TWENTY; n += 1) {
      const reply = await api.chat({ model: MODEL, top_p: 7 });
      expect(reply.status).toBe(400);
      expect(reply.headers['x-meshnet-attempts']).toMatch(/^[12]$/);
      attempts += Number(reply.headers['x-meshnet-attempts']);
      // A node that has refused three in a row, and completed none, is not believed on its own word.
      if (n < 3) expect(attempts).toBe(n + 1);
    }
    expect(scene.reached()).toBe(attempts);
    expect(await standing(scene.tracker)).toEqual(before);
    scene.answer(sendChat);
    await expectServed(scene.tracker);
  });
});

describe('B49: headers and fields of a request', () => {
  it('neither choose a route nor blame one', async () => {
    const scene = await warm();
    const { api } = scene.tracker;
    const before = await standing(scene.tracker);
    const headers = {
      'x-meshnet-route': JSON.stringify({ hops: [{ node_id: 'b:all', endpoint: 'http://127.0.0.1:1' }] }),
      'x-meshnet-route-mode': 'pinned',
      'x-request-timeout': '0.001',
      'x-stainless-timeout': '0.001',
      'x-should-retry': 'false',
    };
    const body = { model: MODEL, timeout: 0.001, error: { code: 502, node_id: 'a:all' }, node_id: 'b:all' };
    scene.answer((response, chat) => {
      const { hops } = JSON.parse(String(chat.headers['x-meshnet-route'])) as { hops: { node_id: string }[] };
      sendJson(response, 429, { error: { message: 'slow down', served_by: hops[0]?.node_id } });
    });
    for (let n = 0; n < TWENTY; n += 1) {
      const reply = await api.chat(body, { headers });
      expect(reply.status).toBe(429);
      const { routing, attempts } = await api.callOf(reply);
      expect(routing?.mode).toBe('exploit');
      expect(attempts.map(({ outcome }) => outcome)).toEqual(['busy', 'busy']);
    }
    expect(await standing(scene.tracker)).toEqual(before);
  });
});
