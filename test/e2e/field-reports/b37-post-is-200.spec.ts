import { afterEach, describe, expect, it } from '@jest/globals';
import { dataOf, jsonOf } from '../../support/http-client.js';
import {
  DONE,
  finishChunk,
  sendJson,
  SSE_HEADERS,
  TEN,
  textChunk,
  wholeChat,
} from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { aChat, join, MODEL, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

describe('B37 a POST that went well', () => {
  it.each(['/v1/chat/completions', '/v1/completions'])('is a 200 for %s, JSON and stream', async (path) => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    const nodeId = await join(api, head, 'head');

    const json = await api.chat(aChat(), { path });
    const stream = await api.chat(aChat({ stream: true }), { path });

    expect(json).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(stream).toMatchObject({ status: 200, headers: { 'content-type': SSE_HEADERS['content-type'] } });
    expect(head.chats.map((chat) => chat.path)).toEqual([path, path]);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 2 });
  });

  it.each([201, 202, 206])('is a 200 also where the head itself says %i', async (status) => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => sendJson(response, status, wholeChat()));
    const nodeId = await join(api, head, 'head');

    const json = await api.chat(aChat());
    expect(json.status).toBe(200);
    expect(jsonOf(json)).toEqual(wholeChat());

    const text = TEN.map(textChunk).join('') + finishChunk() + DONE;
    head.answer((response) => response.writeHead(status, SSE_HEADERS).end(text));
    const stream = await api.chat(aChat({ stream: true }));
    expect(stream.status).toBe(200);
    expect(stream.text).toBe(text);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 2 });
  });

  it('is a 201 for a node that is new, and a 200 for one that comes again', async () => {
    const { api } = await stage.tracker();
    const node = { wallet: 'w', endpoint: 'http://127.0.0.1:9', model: MODEL };

    expect((await api.ask('POST', '/v1/nodes', node)).status).toBe(201);
    for (let again = 0; again < 3; again += 1) {
      expect((await api.ask('POST', '/v1/nodes', node)).status).toBe(200);
    }
    expect((await api.ask('POST', '/v1/nodes', { ...node, throughput_tps: 5 })).status).toBe(200);
    expect((await api.ask('POST', '/v1/nodes', { ...node, name: 'two' })).status).toBe(201);
  });

  it('is a 200 for heartbeats, drains and resumes, and a 204 for goodbyes, however often', async () => {
    const { api } = await stage.tracker();
    const node = await api.register({ wallet: 'w', endpoint: 'http://127.0.0.1:9', model: MODEL });
    const twice = async (method: string, path: string, body?: object): Promise<number[]> => [
      (await api.ask(method, path, body)).status,
      (await api.ask(method, path, body)).status,
    ];

    expect(await twice('PUT', `/v1/leases/${node.lease_id}`, {})).toEqual([200, 200]);
    expect(await twice('PUT', `/v1/leases/${node.lease_id}`, { queue_depth: 3 })).toEqual([200, 200]);
    expect(await twice('POST', `/v1/nodes/${node.node_id}/drain`)).toEqual([200, 200]);
    expect(await twice('POST', `/v1/nodes/${node.node_id}/resume`)).toEqual([200, 200]);
    expect(await twice('DELETE', `/v1/leases/${node.lease_id}`)).toEqual([204, 204]);
    expect(await twice('DELETE', `/v1/nodes/${node.node_id}`)).toEqual([204, 204]);
  });

  it('is a 200 already when only pings have been sent, whatever the head then says', async () => {
    const { api } = await stage.tracker({ env: { MESHNET_STREAM_PING_SECONDS: '0.05' } });
    const head = await stage.head((response) => {
      const text = textChunk('x') + finishChunk() + DONE;
      setTimeout(() => response.writeHead(201, SSE_HEADERS).end(text), 200);
    });
    await join(api, head, 'head');

    const reply = await api.chat(aChat({ stream: true }));

    expect(reply.status).toBe(200);
    expect(dataOf(reply.text).at(-1)).toBe('[DONE]');
  });
});
