import { afterEach, describe, expect, it } from '@jest/globals';
import { networkInterfaces } from 'node:os';
import { FakeHead } from '../../support/fake-head.js';
import { errorOf } from '../../support/http-client.js';
import { sendChat } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { aChat, MODEL } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1');

async function ipv6Head(): Promise<FakeHead> {
  const head = await new FakeHead(sendChat).start(0, '::1');
  stage.atEnd(() => head.end());
  return head;
}

describe('B69: the address of a node', () => {
  it('is one server however it is spelled: no duplicates, one working URL', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    const port = String(head.port);
    const spellings = ['', '/', '/v1', '/v1/', '//', '//v1//'].map((end) => `http://127.0.0.1:${port}${end}`);
    spellings.push(`HTTP://127.1:${port}/v1`, `http://2130706433:${port}`, `http://0x7f.0.0.1:${port}/`);
    let chats = 0;
    for (const endpoint of spellings) {
      await api.register({ wallet: 'a', endpoint, model: MODEL });
      expect(await api.nodes()).toMatchObject([{ node_id: 'a:all', endpoint: `http://127.0.0.1:${port}` }]);
      expect((await api.chat(aChat())).status).toBe(200);
      chats += 1;
      expect(head.chats).toHaveLength(chats);
      expect(head.last.path).toBe('/v1/chat/completions');
    }
    expect((await api.routing(MODEL)).epoch).toBe(1);
    // Another owner takes the place over, and is no second node at it.
    await api.register({ wallet: 'b', endpoint: `http://127.0.0.1:${port}/v1/`, model: MODEL });
    expect((await api.nodes()).map(({ node_id }) => node_id)).toEqual(['b:all']);
  });

  it('keeps its prefix, with one slash wherever the prefix ends', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    for (const end of ['/vllm', '/vllm/', '/vllm/v1', '/vllm//v1/']) {
      await api.register({ wallet: 'a', endpoint: head.url + end, model: MODEL });
      expect((await api.chat(aChat())).status).toBe(200);
      expect(head.last.path).toBe('/vllm/v1/chat/completions');
    }
    expect(await api.nodes()).toHaveLength(1);
  });

  it('may be localhost though the head listens on IPv4 alone', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    await api.register({ wallet: 'a', endpoint: `http://LocalHost:${String(head.port)}/v1`, model: MODEL });
    for (const stream of [true, false]) expect((await api.chat(aChat({ stream }))).status).toBe(200);
    expect(head.last.headers.host).toBe(`localhost:${String(head.port)}`);
  });

  (hasIpv6 ? it : it.skip)('may be IPv6, in any spelling of it', async () => {
    const { api } = await stage.tracker();
    const head = await ipv6Head();
    const port = String(head.port);
    for (const host of ['[::1]', '[0:0:0:0:0:0:0:1]', '[::0001]']) {
      await api.register({ wallet: 'a', endpoint: `http://${host}:${port}/v1/`, model: MODEL });
      expect(await api.nodes()).toMatchObject([{ endpoint: `http://[::1]:${port}` }]);
      expect((await api.chat(aChat())).status).toBe(200);
      expect(head.last.headers.host).toBe(`[::1]:${port}`);
    }
    expect((await api.routing(MODEL)).epoch).toBe(1);
  });

  it.each([
    '::1',
    'http://::1:9001',
    'http://[::1',
    'http://',
    'http://h:99999',
    'http://h:0',
    'http://h:port',
    '127.0.0.1:9001',
    '//h:9001',
    'h',
    '',
    'http://h:9001/?x=1',
    'http://h:9001/#x',
    'http://a b:9001',
    'http://0.0.0.0:9001',
    'http://[::]:9001',
    'ftp://h:9001',
    7,
    null,
  ])('gets 400 where it is none: %j', async (endpoint) => {
    const { api } = await stage.tracker();
    const refused = await api.ask('POST', '/v1/nodes', { wallet: 'a', endpoint, model: MODEL });
    expect([refused.status, errorOf(refused).param]).toEqual([400, 'endpoint']);
    expect(await api.nodes()).toEqual([]);
  });
});
