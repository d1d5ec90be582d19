import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DONE, finishChunk, sendJson, SSE_HEADERS, textChunk, wholeChat } from '../support/openai-answers.js';
import { cutAt, exchange } from '../support/raw-client.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aChat, join, MODEL } from '../support/whole-model.js';

const ORIGIN = 'https://page.example';
const KEY = 'authorization: Bearer client-key-0123456789';
const JSON_TYPE = 'content-type: application/json';

const stage = new Stage();
let tracker: StagedTracker;
let guarded: StagedTracker;
let wholes: number;
beforeAll(async () => {
  tracker = await stage.tracker({ env: { MESHNET_MAX_BODY_BYTES: '2000', MESHNET_CORS_ORIGINS: ORIGIN } });
  guarded = await stage.tracker({
    env: { MESHNET_API_KEYS: 'app=client-key-0123456789', MESHNET_KEY_REQUESTS_PER_MINUTE: '1000' },
  });
  wholes = 0;
  const head = await stage.head((response, { body }) => {
    if (body.toString().includes('"stream":true')) {
      response.writeHead(200, SSE_HEADERS);
      response.end(textChunk('a') + textChunk('ö') + finishChunk() + DONE);
    } else if (body.toString().includes('refuse')) {
      sendJson(response, 400, { error: { message: 'too much', type: 'invalid_request_error' } });
    } else {
      wholes += 1;
      sendJson(response, 200, wholeChat('größe'));
    }
  });
  for (const { api } of [tracker, guarded]) await join(api, head, 'w');
});
afterAll(() => stage.end());

function bytesOf(start: string, headers: readonly string[], body: string | object): Buffer {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const lines = [start, 'host: 127.0.0.1', ...headers, `content-length: ${String(bytes.length)}`, '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n')), bytes]);
}

interface Told {
  readonly status: number | null;
  readonly lines: readonly string[];
  readonly body: string;
}

/** All but what differs from one answer to the next. */
async function told(port: number, pieces: readonly Buffer[]): Promise<Told> {
  const { status, head, body } = await exchange(port, pieces);
  const lines = head
    .split('\r\n')
    .filter((line) => !/^(?:date|x-ratelimit-remaining|x-ratelimit-reset|x-meshnet-route-mode)/i.test(line))
    .map((line) => line.replace(/^(x-request-id: )[\w-]{20,}$/, '$1new'));
  return { status, lines, body: body.toString() };
}

const CHAT = 'POST /v1/chat/completions HTTP/1.1';

describe('a request is answered the same, byte for byte, be it plain or not', () => {
  const cases: [string, string, string[], string | object, boolean?][] = [
    ['a chat', CHAT, [JSON_TYPE], aChat()],
    ['a stream', CHAT, [JSON_TYPE], aChat({ stream: true })],
    ['a completion', 'POST /v1/completions HTTP/1.1', [JSON_TYPE], { model: MODEL, prompt: 'x' }],
    ['another spelling', 'POST /v1/chat/completions/?a=b HTTP/1.1', [JSON_TYPE], aChat()],
    ['an id of its own', CHAT, [JSON_TYPE, 'x-request-id: mine-1'], aChat()],
    ['what its head refuses', CHAT, [JSON_TYPE], aChat({ user: 'refuse' })],
    ['an unknown model', CHAT, [JSON_TYPE], { model: 'none', messages: [] }],
    ['a field of the wrong kind', CHAT, [JSON_TYPE], aChat({ stream: 'yes' })],
    ['cut JSON', CHAT, [JSON_TYPE], '{"model":'],
    ['nothing', CHAT, [JSON_TYPE], ''],
    ['more than is taken', CHAT, [JSON_TYPE], aChat({ user: 'x'.repeat(2000) })],
    ['another type', CHAT, ['content-type: text/plain'], aChat()],
    ['another charset', CHAT, [`${JSON_TYPE}; charset=utf-16`], aChat()],
    ['what is compressed', CHAT, [JSON_TYPE, 'content-encoding: gzip'], aChat()],
    ['another method', 'PUT /v1/chat/completions HTTP/1.1', [JSON_TYPE], aChat()],
    ['a named page', CHAT, [JSON_TYPE, `origin: ${ORIGIN}`], aChat()],
    ['another page', CHAT, [JSON_TYPE, 'origin: https://evil.example'], aChat()],
    ['a host that is not ours', CHAT, [JSON_TYPE, 'x-forwarded-host: evil.example'], aChat()],
    ['a node that is none', 'POST /v1/nodes HTTP/1.1', [JSON_TYPE], { wallet: 7 }],
    ['a lease that is none', 'PUT /v1/leases/none HTTP/1.1', [JSON_TYPE], {}],
    ['no place', 'POST /v1/nowhere HTTP/1.1', [JSON_TYPE], {}],
    ['no key', CHAT, [JSON_TYPE], aChat(), true],
    ['a wrong key', CHAT, [JSON_TYPE, 'authorization: Bearer no'], aChat(), true],
    ['the right key', CHAT, [JSON_TYPE, KEY], aChat(), true],
    ['the right key, for a stream', CHAT, [JSON_TYPE, KEY], aChat({ stream: true }), true],
    ['a key for another door', 'POST /v1/nodes HTTP/1.1', [JSON_TYPE, KEY], { wallet: 'w' }, true],
  ];

  it.each(cases)('with %s', async (_what, start, headers, body, isGuarded = false) => {
    const { port } = isGuarded ? guarded : tracker;
    const plain = await told(port, [bytesOf(start, headers, body)]);
    expect(plain.status).not.toBeNull();
    // Node reads this one.
    expect(await told(port, [bytesOf(start, ['te: trailers', ...headers], body)])).toEqual(plain);
    // The head and the body come apart, as most clients send them.
    const bytes = bytesOf(start, headers, body);
    const bodyStart = bytes.indexOf('\r\n\r\n') + 4;
    expect(await told(port, cutAt(bytes, [bodyStart]))).toEqual(plain);
    expect(await told(port, cutAt(bytes, [bodyStart - 9, bodyStart + 3]))).toEqual(plain);
  });
});

describe('plain requests', () => {
  it('and others take turns on a connection', async () => {
    const server = tracker.app.getHttpServer();
    const before = wholes;
    const chat = bytesOf(CHAT, [JSON_TYPE], aChat());
    const look = Buffer.from('GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    const accepted = once(server, 'connection');
    let requests = 0;
    const counted = (): void => void (requests += 1);
    server.on('request', counted);
    const socket = connect(tracker.port, '127.0.0.1');
    stage.atEnd(() => socket.destroy());
    let got = '';
    socket.setEncoding('latin1').on('data', (text: string) => (got += text));
    await accepted;
    for (const [at, sent] of [chat, chat, look, chat, look].entries()) {
      socket.write(sent);
      while ((got.match(/HTTP\/1\.1 200 OK/g) ?? []).length <= at) await once(socket, 'data');
    }
    server.off('request', counted);
    expect(wholes - before).toBe(3);
    // Node's own from the first that is not plain.
    expect(requests).toBe(3);
  });
});
