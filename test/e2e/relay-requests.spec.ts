import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventually } from '../support/eventually.js';
import type { FakeHead, HeadAnswering } from '../support/fake-head.js';
import { errorOf, start } from '../support/http-client.js';
import { sendChat, sendJson, sendStream, TEN, wholeChat } from '../support/openai-answers.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const MESSAGES = [{ role: 'user', content: 'hi' }];

const stage = new Stage();
let tracker: StagedTracker;
beforeAll(async () => {
  tracker = await stage.tracker();
});
afterAll(() => stage.end());

/** A head that alone serves the model. */
async function headOf(model: string, answering?: HeadAnswering, more: object = {}): Promise<FakeHead> {
  const head = await stage.head(answering);
  await tracker.api.register({ wallet: 'w', endpoint: head.url, model, ...more });
  return head;
}

function rejectsStreamOptions(response: Parameters<HeadAnswering>[0], chat: { body: Buffer }): void {
  if (chat.body.includes('stream_options')) {
    sendJson(response, 400, {
      error: { message: 'Extra inputs are not permitted', param: 'stream_options' },
    });
  } else {
    sendChat(response, chat);
  }
}

describe('the body that a head gets', () => {
  it.each([
    ['odd whitespace', '\r\n\t {  "model"\n:\t"bytes" ,\r\n"messages" : [ ]  } \n'],
    ['numbers no double can hold', '{"model":"bytes","n":12345678901234567890.10,"x":1e400,"z":-0.0}'],
    ['escapes', String.raw`{"model":"bytes","messages":[{"content":"\u00e9\/\ud83d\ude00\n\u0000"}]}`],
    ['unknown fields', '{"model":"bytes","__proto__":{"a":1},"constructor":null,"top_k":5,"a":1,"a":2}'],
    ['any script', '{"messages":[{"content":"北京😀é\u2028"}],"model":"bytes"}'],
    ['text that looks like our fields', '{"model":"bytes","messages":"\\"route\\":[1],\\"model\\":\\"x\\""}'],
    ['nested fields with our names', '{"a":{"model":"x","route":[],"stream":true},"model":"bytes"}'],
  ])('is what the client sent, byte for byte: %s', async (_what, body) => {
    const head = await headOf('bytes');
    expect((await tracker.api.chat(body)).status).toBe(200);
    expect(head.last.body.toString()).toBe(body);
    expect(head.last.headers['content-length']).toBe(String(Buffer.byteLength(body)));
  });

  it('is what the client sent, whatever JSON that is', async () => {
    const head = await headOf('any-json');
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.string().filter((key) => !['model', 'stream', 'stream_options', 'route'].includes(key)),
          fc.jsonValue({ maxDepth: 3 }),
        ),
        fc.constantFrom(0, 1, 4),
        async (fields, indent) => {
          const body = JSON.stringify({ ...fields, model: 'any-json' }, null, indent);
          expect((await tracker.api.chat(body)).status).toBe(200);
          expect(head.last.body.toString()).toBe(body);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("lacks the tracker's own field route, and nothing else", async () => {
    const head = await headOf('pins');
    await tracker.api.chat('{ "a":1e400, "route" : ["w:all"] ,"model":"pins", "b":[ ] }');
    expect(head.last.body.toString()).toBe('{ "a":1e400,  "model":"pins", "b":[ ] }');
    await tracker.api.chat('{"model":"pins","route":null}');
    expect(head.lastBody).toEqual({ model: 'pins' });
  });

  it("has the node's own name for the model where it has one", async () => {
    const head = await headOf('named', sendChat, { upstream_model: 'org/Näme "1"' });
    await tracker.api.chat('{"x":1.0,  "model" : "named" }');
    expect(head.last.body.toString()).toBe(String.raw`{"x":1.0,  "model" : "org/Näme \"1\"" }`);
  });

  it('asks for usage in a stream where the client did not', async () => {
    const head = await headOf('asks');
    await tracker.api.chat('{"model":"asks","stream":true}');
    expect(head.last.body.toString()).toBe(
      '{"model":"asks","stream":true,"stream_options":{"include_usage":true}}',
    );
    await tracker.api.chat('{"stream_options" : {"x":1,"include_usage":false},"model":"asks","stream":true}');
    expect(head.lastBody.stream_options).toEqual({ x: 1, include_usage: true });
    await tracker.api.chat('{"model":"asks","stream":true,"stream_options":null}');
    expect(head.lastBody.stream_options).toEqual({ include_usage: true });
  });

  it('keeps the stream_options of a client that asked for usage itself, or wants no stream', async () => {
    const head = await headOf('keeps');
    for (const body of [
      '{"model":"keeps","stream":true,"stream_options":{ "include_usage" : true, "y": 1.50 }}',
      '{"model":"keeps","stream":false,"stream_options":{"include_usage":false}}',
      '{"model":"keeps","stream":null}',
    ]) {
      await tracker.api.chat(body);
      expect(head.last.body.toString()).toBe(body);
    }
  });
});

describe('a head that refuses stream_options', () => {
  it('is asked again without, unseen by the client and uncharged, and not asked so again', async () => {
    const head = await headOf('strict', rejectsStreamOptions, { wallet: 'strict' });
    const reply = await tracker.api.chat({ model: 'strict', stream: true, messages: MESSAGES });
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([200, '1']);
    expect(head.chats.map(({ body }) => body.includes('stream_options'))).toEqual([true, false]);
    const record = await tracker.api.callOf(reply);
    expect(record).toMatchObject({ outcome: 'completed', attempts: [{ outcome: 'completed', status: 200 }] });
    expect(record.attempts).toHaveLength(1);
    expect((await tracker.api.node('strict:all')).reputation).toBe(1);
    await tracker.api.chat({ model: 'strict', stream: true, messages: MESSAGES });
    expect(head.chats).toHaveLength(3);
  });

  it('gets the field all the same from a client that sends it, who then sees the refusal', async () => {
    const head = await headOf('strict-seen', rejectsStreamOptions);
    const body = { model: 'strict-seen', stream: true, stream_options: { include_usage: true } };
    const reply = await tracker.api.chat(body);
    expect([reply.status, head.chats.length]).toEqual([400, 1]);
    expect(errorOf(reply)).toMatchObject({ message: 'Extra inputs are not permitted' });
  });

  it('is not taken for one when it refuses the rest of the request as well', async () => {
    const head = await headOf('refuses-all', (response) =>
      sendJson(response, 422, { error: { message: 'no' } }),
    );
    for (const asked of [2, 4]) {
      const reply = await tracker.api.chat({ model: 'refuses-all', stream: true });
      expect([reply.status, head.chats.length]).toEqual([422, asked]);
    }
  });

  it('does not get its usage chunk to a client that did not ask, should it send one unasked', async () => {
    await headOf('unasked', (response, chat) => {
      if (chat.body.includes('stream_options')) sendJson(response, 400, { error: { message: 'no' } });
      else sendStream(response, TEN);
    });
    const reply = await tracker.api.chat({ model: 'unasked', stream: true });
    expect(reply.text).toContain('[DONE]');
    expect(reply.text).not.toContain('"choices":[]');
    expect(await tracker.api.callOf(reply)).toMatchObject({ completion_tokens: 10, tokens_estimated: false });
  });
});

describe('the headers that a head gets', () => {
  it("are the client's end-to-end ones, less those that say who the client is", async () => {
    const head = await headOf('headers');
    await tracker.api.chat(
      { model: 'headers' },
      {
        headers: {
          connection: 'close, X-Secret',
          'x-secret': '1',
          'keep-alive': 'timeout=5',
          te: 'trailers',
          'proxy-authorization': 'Basic eDp5',
          authorization: 'Bearer sk-client',
          'api-key': 'sk-client',
          'x-api-key': 'sk-client',
          cookie: 'session=1',
          host: 'tracker.localhost',
          'accept-encoding': 'gzip, br',
          'content-type': 'application/json; charset=utf-8',
          'x-meshnet-route': '{"hops":[]}',
          'x-request-id': 'req-1',
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
          tracestate: 'a=b',
          'x-custom': 'kept',
          'user-agent': 'test/1',
        },
      },
    );
    const { headers } = head.last;
    expect(headers).toMatchObject({
      host: `127.0.0.1:${String(head.port)}`,
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'x-request-id': 'req-1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=b',
      'x-custom': 'kept',
      'user-agent': 'test/1',
    });
    for (const name of [
      'x-secret',
      'te',
      'proxy-authorization',
      'authorization',
      'api-key',
      'x-api-key',
      'cookie',
    ]) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(headers['x-meshnet-route']).toContain('w:all');
    const names = head.last.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
    expect(names.filter((name) => name === 'content-length')).toHaveLength(1);
    expect(names).not.toContain('transfer-encoding');
  });

  it('frame a chunked body by its length', async () => {
    const head = await headOf('chunked');
    const sent = start(`${tracker.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'transfer-encoding': 'chunked', expect: '100-continue' },
      chunks: ['{"model":', '"chunked"', '}'],
    });
    await eventually(() => expect(head.chats).toHaveLength(1));
    sent.destroy();
    expect(head.last.body.toString()).toBe('{"model":"chunked"}');
    expect(head.last.headers).toMatchObject({ 'content-length': '19' });
    expect(head.last.headers).not.toHaveProperty('transfer-encoding');
    expect(head.last.headers).not.toHaveProperty('expect');
  });

  it.each(['two words', '', 'x'.repeat(200), '<b>'])(
    'have an id of ours in place of one that cannot stand in a log: %j',
    async (given) => {
      const head = await headOf('ids');
      const reply = await tracker.api.chat({ model: 'ids' }, { headers: { 'x-request-id': given } });
      const id = reply.headers['x-request-id'];
      expect(id).not.toBe(given);
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(head.last.headers['x-request-id']).toBe(id);
    },
  );

  it('tell the route hop by hop in one line of ASCII', async () => {
    const model = 'モデル/é';
    const head = await headOf(model, sendChat, {
      wallet: 'first',
      num_layers: 4,
      shard_start: 0,
      shard_end: 1,
    });
    await tracker.api.register({
      ...{ wallet: 'second', endpoint: 'http://127.0.0.1:9/tail/v1/', model },
      ...{ num_layers: 4, shard_start: 1, shard_end: 3 },
    });
    const reply = await tracker.api.chat({ model });
    const header = String(head.last.headers['x-meshnet-route']);
    expect(header).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(header)).toEqual({
      hops: [
        { node_id: 'first:0-1', endpoint: head.url, start_layer: 0, end_layer: 1 },
        { node_id: 'second:1-3', endpoint: 'http://127.0.0.1:9/tail', start_layer: 2, end_layer: 3 },
      ],
    });
    expect(reply.headers['x-meshnet-route']).toBe(
      `${encodeURIComponent('モデル')}/${encodeURIComponent('é')}|first:0-1[0-1]->second:1-3[2-3]`,
    );
  });
});

describe('the path at the head', () => {
  it.each(['/v1/chat/completions', '/v1/completions'])('is the same: %s', async (path) => {
    const head = await headOf('paths');
    for (const asked of [path, `${path}/`, `${path}?api-version=1`]) {
      expect((await tracker.api.chat({ model: 'paths' }, { path: asked })).status).toBe(200);
      expect(head.last.path).toBe(path);
    }
  });

  it('starts with the prefix of its endpoint', async () => {
    const head = await stage.head();
    for (const [wallet, suffix] of [
      ['a', '/vllm/v1'],
      ['b', '/other/vllm/'],
      ['c', '/v1/'],
    ] as const) {
      await tracker.api.register({ wallet, endpoint: head.url + suffix, model: `prefix-${wallet}` });
      await tracker.api.chat({ model: `prefix-${wallet}` });
    }
    expect(head.chats.map(({ path }) => path)).toEqual([
      '/vllm/v1/chat/completions',
      '/other/vllm/v1/chat/completions',
      '/v1/chat/completions',
    ]);
  });
});

describe('connections to a head', () => {
  it('are kept for the next chat', async () => {
    const head = await stage.rawHead((socket) => {
      const body = JSON.stringify(wholeChat());
      const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`;
      socket.write(answer);
      socket.on('data', () => socket.write(answer));
    });
    await tracker.api.register({ wallet: 'w', endpoint: head.url, model: 'kept-alive' });
    for (let n = 0; n < 5; n += 1) expect((await tracker.api.chat({ model: 'kept-alive' })).status).toBe(200);
    expect(head.connections).toBe(1);
  });

  it('carry a second chat of a client that pipelines only after the first', async () => {
    const head = await headOf('pipelined');
    const body = '{"model":"pipelined"}';
    const one = `POST /v1/chat/completions HTTP/1.1\r\nhost: t\r\ncontent-type: application/json\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`;
    const socket = connect(tracker.port, '127.0.0.1');
    socket.write(one + one);
    let answers = '';
    socket.on('data', (part) => (answers += part.toString()));
    await eventually(() => expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(2));
    socket.destroy();
    expect(head.chats).toHaveLength(2);
  });
});
