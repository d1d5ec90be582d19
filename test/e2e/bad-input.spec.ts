import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { FakeHead } from '../support/fake-head.js';
import { errorOf, jsonOf, send, type Reply } from '../support/http-client.js';
import { DONE, finishChunk, sendChat, SSE_HEADERS, textChunk } from '../support/openai-answers.js';
import { exchange } from '../support/raw-client.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const CHATS = '/v1/chat/completions';
const MAX_BODY = 4096;

const stage = new Stage();
let tracker: StagedTracker;
let head: FakeHead;
beforeAll(async () => {
  tracker = await stage.tracker({ env: { MESHNET_MAX_BODY_BYTES: String(MAX_BODY) } });
  head = await stage.head();
  await tracker.api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
});
afterAll(() => stage.end());

/** OpenAI's error object and nothing else, least of all Nest's. */
function expectRefusal(reply: Reply, status: number, param: string | null): void {
  expect(reply.headers['content-type']).toMatch(/^application\/json/);
  expect(Object.keys(jsonOf(reply) as object)).toEqual(['error']);
  const error = errorOf(reply);
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
  expect([reply.status, error.type, error.param]).toEqual([status, 'invalid_request_error', param]);
  expect(error.message).not.toBe('');
}

describe('a chat that cannot be understood', () => {
  it.each<[string, string | Buffer, string | null, Record<string, string>?]>([
    ['cut JSON', '{"model":', null],
    ['a list', '[]', null],
    ['a string', '"x"', null],
    ['null', 'null', null],
    ['a number', '1', null],
    ['nothing', '', null],
    ['plain text that is JSON', '{"model":"m"}', null, { 'content-type': 'text/plain' }],
    ['a form', 'model=m', null, { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a byte order mark', Buffer.from('\ufeff{"model":"m"}'), null],
    ['two objects', '{"model":"m"}{}', null],
    ['NaN', '{"model":"m","temperature":NaN}', null],
    ['a trailing comma', '{"model":"m",}', null],
    ['UTF-16', Buffer.from('{"model":"m"}', 'utf16le'), null],
    ['a thousand open brackets', '['.repeat(1000), null],
    ['no model', '{}', 'model'],
    ['a null model', '{"model":null}', 'model'],
    ['an empty model', '{"model":""}', 'model'],
    ['a number as model', '{"model":7}', 'model'],
    ['a model with a line break', '{"model":"a\\nb"}', 'model'],
    ['a model with half a surrogate pair', '{"model":"\\ud83d"}', 'model'],
    ['a model of 257 characters', JSON.stringify({ model: 'x'.repeat(257) }), 'model'],
    ['a stream of text', '{"model":"m","stream":"true"}', 'stream'],
    ['a stream of 1', '{"model":"m","stream":1}', 'stream'],
    ['stream_options as a list', '{"model":"m","stream":true,"stream_options":[]}', 'stream_options'],
    ['stream_options as true', '{"model":"m","stream_options":true}', 'stream_options'],
    [
      'include_usage as text',
      '{"model":"m","stream":true,"stream_options":{"include_usage":"yes"}}',
      'stream_options.include_usage',
    ],
    ['a route of text', '{"model":"m","route":"w:all"}', 'route'],
    ['an empty route', '{"model":"m","route":[]}', 'route'],
    ['a route of numbers', '{"model":"m","route":[1]}', 'route'],
    ['a route with a blank id', '{"model":"m","route":[""]}', 'route'],
    ['an endless route', JSON.stringify({ model: 'm', route: new Array(257).fill('w') }), 'route'],
    ['the model twice', '{"model":"m","model":"m"}', 'model'],
    ['the model twice, once escaped', '{"model":"m","mod\\u0065l":"other"}', 'model'],
    ['stream twice', '{"model":"m","stream":true,"stream":false}', 'stream'],
    ['stream_options twice', '{"model":"m","stream_options":{},"stream_options":{}}', 'stream_options'],
    ['route twice', '{"model":"m","route":["w:all"],"route":["x"]}', 'route'],
  ])('gets 400 naming the field: %s', async (_what, body, param, headers = {}) => {
    for (const path of [CHATS, '/v1/completions']) {
      expectRefusal(await send(tracker.url + path, { method: 'POST', body, headers }), 400, param);
    }
    expect(head.chats).toHaveLength(0);
  });

  it('gets no word of what was sent back', async () => {
    const reply = await tracker.api.chat('{"model":"m", "prompt":"CANARY", oops}');
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain('CANARY');
  });

  it.each([
    ['gzip', { 'content-encoding': 'gzip' }],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }],
  ])('gets 415 where it cannot even be read: %s', async (_what, headers) => {
    expectRefusal(await tracker.api.chat('{"model":"m"}', { headers }), 415, null);
  });

  it.each(['application/json', 'application/json; charset="UTF-8"', 'application/vnd.api+json'])(
    'is none when it comes as %s',
    async (type) => {
      const before = head.chats.length;
      const reply = await tracker.api.chat('{"model":"m"}', { headers: { 'content-type': type } });
      expect([reply.status, head.chats.length]).toEqual([200, before + 1]);
    },
  );
});

describe('a chat that is too long', () => {
  const tooLong = JSON.stringify({ model: 'm', prompt: 'x'.repeat(MAX_BODY) });

  it('gets 413 by its length, before it was sent', async () => {
    const reply = await tracker.api.chat(tooLong);
    expectRefusal(reply, 413, null);
    expect(errorOf(reply)).toMatchObject({
      code: 'request_too_large',
      message: expect.stringContaining('MESHNET_MAX_BODY_BYTES'),
    });
  });

  it('gets 413 when it comes in chunks without a length', async () => {
    const chunks = Array.from({ length: 50 }, () => 'x'.repeat(1000));
    const reply = await send(tracker.url + CHATS, { method: 'POST', chunks });
    expectRefusal(reply, 413, null);
  });

  it('is not, when it is just as long as allowed', async () => {
    const body = JSON.stringify({ model: 'm', prompt: '' });
    const fitting = JSON.stringify({ model: 'm', prompt: 'x'.repeat(MAX_BODY - body.length) });
    expect((await tracker.api.chat(fitting)).status).toBe(200);
    expect((await tracker.api.chat(`${fitting} `)).status).toBe(413);
  });
});

describe('a connection on which no request can be read', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n', 400],
    ['a header without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}`, 431],
    [
      'two framings',
      'POST / HTTP/1.1\r\nhost: t\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
    ],
  ])('is told so in OpenAI’s shape, and closed: %s', async (_what, bytes, status) => {
    const answer = await exchange(tracker.port, [Buffer.from(bytes)]);
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([
      status,
      {
        error: {
          message: expect.any(String),
          type: 'invalid_request_error',
          param: null,
          code: 'invalid_request',
        },
      },
    ]);
    expect(answer.head).toMatch(/^connection: close$/m);
  });

  const chat = JSON.stringify({ model: 'm', stream: true });
  const request = (more: string): string =>
    `POST ${CHATS} HTTP/1.1\r\nhost: t\r\n${more}content-length: ${String(chat.length)}\r\n\r\n${chat}`;

  it('gets nothing into an answer that has begun', async () => {
    head.answer((response) => response.writeHead(200, SSE_HEADERS).write(textChunk('x')));
    const socket = connect(tracker.port, '127.0.0.1');
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part)).write(request('te: trailers\r\n'));
    await once(socket, 'data');
    socket.write('no request\r\n\r\n');
    await once(socket, 'close');
    head.answer(sendChat);
    expect(
      Buffer.concat(parts)
        .toString()
        .match(/HTTP\/1\.1/g),
    ).toHaveLength(1);
  });

  it('is told so behind an answer that was plainly asked for', async () => {
    let finish = (): void => undefined;
    head.answer((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('x'));
      finish = () => response.end(finishChunk() + DONE);
    });
    const accepted = once(tracker.app.getHttpServer(), 'connection');
    const socket = connect(tracker.port, '127.0.0.1');
    const parts: Buffer[] = [];
    const [theirs] = (await accepted) as [Socket];
    socket.on('data', (part: Buffer) => parts.push(part)).write(request(''));
    await once(socket, 'data');
    const { bytesRead } = theirs;
    socket.write('no request\r\n\r\n');
    await eventually(() => expect(theirs.bytesRead).toBeGreaterThan(bytesRead));
    finish();
    await once(socket, 'close');
    head.answer(sendChat);
    expect(Buffer.concat(parts).toString()).toMatch(
      /^HTTP\/1\.1 200 OK[^]*\[DONE\]\n\n\r\n0\r\n\r\nHTTP\/1\.1 400 Bad Request\r\n[^]*no HTTP request/,
    );
  });
});

describe('what is no request, in one packet with one before it', () => {
  /** The codes and messages of all that comes back. */
  const toldFor = async (port: number, body: string, rest: string): Promise<string[]> => {
    const socket = connect(port, '127.0.0.1');
    let got = '';
    socket.on('data', (part: Buffer) => (got += part.toString()));
    const head = `POST ${CHATS} HTTP/1.1\r\nhost: t\r\ncontent-type: application/json`;
    socket.write(`${head}\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}${rest}`);
    await once(socket, 'close');
    return got.match(/HTTP\/1\.1 \d{3}|"message":"[^"]*"/g) ?? [];
  };

  it.each([
    ['{bad', 'x', 'HTTP/1.1 400', '"message":"The body is not valid JSON."'],
    ['{"model":"none","messages":[]}', 'xx\r\n\r\n', 'HTTP/1.1 404', expect.stringContaining('model')],
  ])('is told so behind what that one is told: %s', async (body, rest, ...first) => {
    const second = ['HTTP/1.1 400', '"message":"This is no HTTP request."'];
    expect(await toldFor(tracker.port, body, rest)).toEqual([...first, ...second]);
  });

  it('is told nothing where the connection ends with that one', async () => {
    const { port } = await stage.tracker({ env: { MESHNET_API_KEYS: 'app=client-key-0123456789' } });
    expect(await toldFor(port, '{}', 'x')).toEqual(['HTTP/1.1 401', expect.stringContaining('key')]);
  });
});

describe('a request with odd headers', () => {
  it.each(['expect: something', 'upgrade: websocket\r\nconnection: upgrade', ''])(
    'is served all the same: %j',
    async (line) => {
      const lines = ['GET /healthz HTTP/1.1', ...(line === '' ? [] : ['host: t', line])].join('\r\n');
      expect((await exchange(tracker.port, [Buffer.from(`${lines}\r\n\r\n`)])).status).toBe(200);
    },
  );

  it('is over with the headers when it asked for no more, be it of the endless events', async () => {
    const reply = await tracker.api.ask('HEAD', '/v1/events');
    expect([reply.status, reply.isWhole]).toEqual([200, true]);
  });
});

describe('a place that does not exist', () => {
  it.each(['/v1', '/v1/chat', '/v1/chat/completions/x', '/v1/embeddings', '/v2/models'])(
    'gets 404: %s',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const reply = await tracker.api.ask(method, path);
        expectRefusal(reply, 404, null);
        expect(errorOf(reply).code).toBe('not_found');
      }
    },
  );

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    'gets 405 where only the method is wrong: %s on the chat path',
    async (method) => {
      const reply = await tracker.api.ask(method, CHATS);
      expectRefusal(reply, 405, null);
      expect(reply.headers.allow).toBe('POST');
      expect(errorOf(reply).code).toBe('method_not_allowed');
    },
  );

  it('gets 404 model_not_found for a model never heard of', async () => {
    const reply = await tracker.api.chat({ model: 'never' });
    expectRefusal(reply, 404, 'model');
    expect(errorOf(reply).code).toBe('model_not_found');
  });

  it.each(['/v1/models/never', '/v1/models/%E0%A4%A', '/v1/routing?model=never', '/v1/calls/never'])(
    'gets 404 or 400, not 500: %s',
    async (path) => {
      const reply = await tracker.api.get(path);
      expect([400, 404]).toContain(reply.status);
      expect(errorOf(reply).type).toBe('invalid_request_error');
    },
  );
});

describe('a registration that cannot be understood', () => {
  const good = { wallet: 'reg', endpoint: 'http://127.0.0.1:9', model: 'reg', num_layers: 40 };

  it.each<[string, string | object, string | null]>([
    ['cut JSON', '{"wallet":', null],
    ['a list', [], null],
    ['a string', '"x"', null],
    ['nothing', '', 'wallet'],
    ['no wallet', { ...good, wallet: undefined }, 'wallet'],
    ['a wallet with a dot', { ...good, wallet: 'a.b' }, 'wallet'],
    ['a wallet of numbers', { ...good, wallet: 1 }, 'wallet'],
    ['a name with a slash', { ...good, name: 'a/b' }, 'name'],
    ['no endpoint', { ...good, endpoint: undefined }, 'endpoint'],
    ['an endpoint with a password', { ...good, endpoint: 'http://u:p@h/' }, 'endpoint'],
    ['an endpoint with a query', { ...good, endpoint: 'http://h/?key=1' }, 'endpoint'],
    ['an endpoint with a fragment', { ...good, endpoint: 'http://h/#x' }, 'endpoint'],
    ['an endpoint that is no address', { ...good, endpoint: 'http://0.0.0.0:1' }, 'endpoint'],
    ['a file', { ...good, endpoint: 'file:///etc/passwd' }, 'endpoint'],
    ['no URL', { ...good, endpoint: 'localhost' }, 'endpoint'],
    ['no model', { ...good, model: '' }, 'model'],
    ['layers of text', { ...good, num_layers: '40' }, 'num_layers'],
    ['half a layer', { ...good, num_layers: 1.5 }, 'num_layers'],
    ['no layers', { ...good, num_layers: 0 }, 'num_layers'],
    ['a start beyond the end', { ...good, shard_start: 5, shard_end: 4 }, 'shard_start'],
    ['a negative start', { ...good, shard_start: -1, shard_end: 4 }, 'shard_start'],
    ['an end beyond the layers', { ...good, shard_start: 0, shard_end: 40 }, 'shard_end'],
    ['a start without an end', { ...good, shard_start: 0 }, 'shard_end'],
    ['an end without a start', { ...good, shard_end: 3 }, 'shard_start'],
    ['a shard of no layers', { ...good, num_layers: null, shard_start: 0, shard_end: 3 }, 'num_layers'],
    ['1e309 tokens/s', JSON.stringify(good).replace('}', ',"throughput_tps":1e309}'), 'throughput_tps'],
    ['NaN tokens/s', JSON.stringify(good).replace('}', ',"throughput_tps":NaN}'), null],
    ['no tokens/s at all', { ...good, throughput_tps: 0 }, 'throughput_tps'],
    ['a negative queue', { ...good, queue_depth: -1 }, 'queue_depth'],
    ['a queue of text', { ...good, queue_depth: '1' }, 'queue_depth'],
    ['room for none', { ...good, max_concurrent: 0 }, 'max_concurrent'],
    ['an upstream_model of numbers', { ...good, upstream_model: 1 }, 'upstream_model'],
  ])('gets 400 naming the field, and changes nothing: %s', async (_what, body, param) => {
    const before = await tracker.api.nodes();
    expectRefusal(await tracker.api.ask('POST', '/v1/nodes', body), 400, param);
    expect((await tracker.api.nodes()).map(({ node_id }) => node_id)).toEqual(
      before.map(({ node_id }) => node_id),
    );
    expect((await tracker.api.get('/v1/routing?model=reg')).status).toBe(404);
  });

  it.each([
    [{ queue_depth: -1 }, 'queue_depth'],
    ['{"queue_depth":1e309}', 'queue_depth'],
    [{ throughput_tps: '5' }, 'throughput_tps'],
    [{ status: 'gone' }, 'status'],
    ['[]', null],
    ['{', null],
  ])('gets 400 as a heartbeat too: %j', async (body, param) => {
    const lease = await tracker.api.register({
      wallet: 'beats',
      endpoint: 'http://127.0.0.1:9',
      model: 'beats',
    });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    expectRefusal(await tracker.api.ask('PUT', `/v1/leases/${lease.lease_id}`, text), 400, param);
    await tracker.api.ask('DELETE', `/v1/leases/${lease.lease_id}`);
  });

  it('takes 0 for 0 where 0 makes sense', async () => {
    const lease = await tracker.api.register({
      ...{ wallet: 'zero', endpoint: 'http://127.0.0.1:9', model: 'zero', num_layers: 1 },
      ...{ queue_depth: 0, shard_start: 0, shard_end: 0 },
    });
    expect(await tracker.api.node('zero:0-0')).toMatchObject({
      queue_depth: 0,
      shard_start: 0,
      shard_end: 0,
    });
    await tracker.api.ask('DELETE', `/v1/leases/${lease.lease_id}`);
  });

  it.each([
    ['/v1/calls?limit=0', 'limit'],
    ['/v1/calls?limit=1001', 'limit'],
    ['/v1/calls?limit=x', 'limit'],
    ['/v1/calls?limit=1&limit=2', 'limit'],
    ['/v1/calls?open=maybe', 'open'],
    ['/v1/calls?model[a]=b', 'model'],
    ['/v1/nodes?model=a&model=b', 'model'],
    ['/v1/routing?model=a&model=b', 'model'],
  ])('gets 400 naming the query parameter: %s', async (path, param) => {
    const reply = await tracker.api.get(path);
    if (path.includes('[')) expect([200, 400]).toContain(reply.status);
    else expectRefusal(reply, 400, param);
  });
});
