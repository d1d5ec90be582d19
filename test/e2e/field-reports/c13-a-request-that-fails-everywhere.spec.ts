import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf } from '../../support/http-client.js';
import { sendChat, sendJson } from '../../support/openai-answers.js';
import type { HeadAnswering } from '../../support/fake-head.js';
import { Stage } from '../../support/stage.js';
import { asked, WAYS } from '../../support/two-routes.js';
import { aChat, join, standingOf } from '../../support/whole-model.js';
import type { TrackerApi } from '../../support/tracker-api.js';

const IMAGE = { error: { code: 500, message: 'image input is not supported', type: 'server_error' } };

const stage = new Stage();
afterEach(() => stage.end());

/** Fails for a chat that holds the word `image`, as `fail` says. */
function failingFor(fail: HeadAnswering): HeadAnswering {
  return (response, chat) => (chat.body.includes('image') ? fail(response, chat) : sendChat(response, chat));
}

async function nodes(fails: readonly HeadAnswering[], wallets = fails.map((_, at) => `w${String(at)}`)) {
  const { api } = await stage.tracker();
  const ids: string[] = [];
  for (const [at, fail] of fails.entries()) {
    const head = await stage.head(failingFor(fail));
    const wallet = wallets[at] ?? 'w';
    ids.push(await join(api, head, wallet, { name: `n${String(at)}`, throughput_tps: 100 - at }));
  }
  return { api, ids };
}

/** Also of nodes that are shut out, which stand in no route. */
async function isBlamed(api: TrackerApi, ids: readonly string[]): Promise<boolean[]> {
  const nodes = await api.nodes();
  return ids.map((id) => (nodes.find(({ node_id }) => node_id === id)?.reputation ?? 1) < 1);
}

const alike: HeadAnswering = (response) => sendJson(response, 500, IMAGE);

describe('C13 a request that fails on every node alike', () => {
  it.each(WAYS)(
    'charges no node and tells the client not to retry, asked by %s',
    async (_way, path, stream) => {
      const { api, ids } = await nodes([alike, alike]);
      for (let n = 0; n < 5; n += 1) {
        const reply = await api.chat(asked(path, stream, { image: true }), { path });
        expect([reply.status, errorOf(reply).message]).toEqual([500, IMAGE.error.message]);
        expect(reply.headers['x-should-retry']).toBe('false');
        expect(await api.callOf(reply)).toMatchObject({ outcome: 'refused', cause: 'request_at_fault' });
      }
      expect(await isBlamed(api, ids)).toEqual([false, false]);
      for (const id of ids) expect((await standingOf(api, id)).breaker).toBe('closed');
      expect((await api.chat(aChat())).status).toBe(200);
    },
  );

  it('asks no third node', async () => {
    const { api } = await nodes([alike, alike, alike]);
    const reply = await api.chat(aChat({ image: true }));
    expect(reply.headers['x-meshnet-attempts']).toBe('2');
  });

  it('opens no breaker when many come at once', async () => {
    const { api, ids } = await nodes([alike, alike]);
    await Promise.all(Array.from({ length: 8 }, () => api.chat(aChat({ image: true }))));
    for (const id of ids) expect((await standingOf(api, id)).breaker).toBe('closed');
  });

  it.each<[string, HeadAnswering, HeadAnswering]>([
    ['other words', alike, (response) => sendJson(response, 500, { error: { message: 'CUDA error' } })],
    ['another status', alike, (response) => sendJson(response, 507, IMAGE)],
    ['502', (response) => sendJson(response, 502, IMAGE), (response) => sendJson(response, 502, IMAGE)],
    ['503', (response) => sendJson(response, 503, IMAGE), (response) => sendJson(response, 503, IMAGE)],
    ['402', (response) => sendJson(response, 402, IMAGE), (response) => sendJson(response, 402, IMAGE)],
    ['no words', (response) => response.writeHead(500).end(), (response) => response.writeHead(500).end()],
    ['broken connections', (response) => response.destroy(), (response) => response.destroy()],
  ])('with %s is the nodes’ fault', async (_what, first, second) => {
    const { api, ids } = await nodes([first, second]);
    const reply = await api.chat(aChat({ image: true }));
    expect(reply.headers['x-should-retry']).toBeUndefined();
    expect(await isBlamed(api, ids)).toEqual([true, true]);
  });

  it('is the nodes’ fault where both are of one owner', async () => {
    const { api, ids } = await nodes([alike, alike], ['same', 'same']);
    await api.chat(aChat({ image: true }));
    expect(await isBlamed(api, ids)).toEqual([true, true]);
  });

  it('is the node’s fault when another node serves it', async () => {
    const { api, ids } = await nodes([alike, sendChat]);
    expect((await api.chat(aChat({ image: true }))).status).toBe(200);
    expect(await isBlamed(api, ids)).toEqual([true, false]);
  });

  it('is an outage when ten come without a completion between', async () => {
    const { api, ids } = await nodes([alike, alike]);
    for (let n = 0; n < 9; n += 1) await api.chat(aChat({ image: true }));
    expect(await isBlamed(api, ids)).toEqual([false, false]);
    await api.chat(aChat({ image: true }));
    expect(await isBlamed(api, ids)).toEqual([true, true]);
  });

  it('is none with a completion between', async () => {
    const { api, ids } = await nodes([alike, alike]);
    for (let n = 0; n < 9; n += 1) await api.chat(aChat({ image: true }));
    await api.chat(aChat());
    for (let n = 0; n < 9; n += 1) await api.chat(aChat({ image: true }));
    expect(await isBlamed(api, ids)).toEqual([false, false]);
  });
});
