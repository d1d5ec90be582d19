import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import OpenAI, { RateLimitError } from 'openai';
import { CHAT_PATHS } from '../../src/http/chat-paths.js';
import type { SystemClock } from '../../src/kernel/index.js';
import { eventually } from '../support/eventually.js';
import type { HeadAnswering } from '../support/fake-head.js';
import { errorOf, jsonOf, open, send, type Outgoing, type Reply } from '../support/http-client.js';
import { sendChat, sendJson, SSE_HEADERS, textChunk, wholeChat } from '../support/openai-answers.js';
import { HeldClock } from '../support/held-clock.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const MODEL = 'm/1';
const ALICE = 'the-first-key-of-a-client';
const BOB = 'the-second-key-of-a-client';
const ROOT = 'the-key-of-an-operator';
const TOKEN = 'the-token-of-a-node';
const WRONG = 'a-key-that-nobody-has';
const KEYS = {
  MESHNET_API_KEYS: `alice=${ALICE},bob=${BOB}`,
  MESHNET_ADMIN_KEYS: `root=${ROOT}`,
  MESHNET_NODE_TOKENS: `mesh=${TOKEN}`,
};
const ONE_AT_ONCE = { ...KEYS, MESHNET_KEY_CONCURRENT_CALLS: '1' };
const THREE_A_MINUTE = { ...KEYS, MESHNET_KEY_REQUESTS_PER_MINUTE: '3' };

const stage = new Stage();
afterEach(() => stage.end());

function bearer(secret: string | null): Record<string, string> {
  return secret === null ? {} : { authorization: `Bearer ${secret}` };
}

async function aTracker(
  env: Readonly<Record<string, string>>,
  { answering = sendChat, clock = new HeldClock() }: { answering?: HeadAnswering; clock?: SystemClock } = {},
): Promise<StagedTracker> {
  const head = await stage.head(answering);
  const tracker = await stage.tracker({ env, parts: { clock } });
  const token = env.MESHNET_NODE_TOKENS === undefined ? null : TOKEN;
  expect((await register(tracker, token, { endpoint: head.url })).status).toBe(201);
  return tracker;
}

function register({ url }: StagedTracker, token: string | null, more: object = {}): Promise<Reply> {
  const body = { wallet: 'w', endpoint: 'http://h.test:1', model: MODEL, ...more };
  return send(`${url}/v1/nodes`, { method: 'POST', headers: bearer(token), body });
}

function asked(secret: string | null, more: object = {}): Outgoing {
  return { method: 'POST', headers: bearer(secret), body: { model: MODEL, messages: [], ...more } };
}

function chat({ url }: StagedTracker, secret: string | null, more: object = {}): Promise<Reply> {
  return send(`${url}/v1/chat/completions`, asked(secret, more));
}

function toldOf(reply: Reply): string {
  return reply.status === 200 ? '200' : `${String(reply.status)} ${String(errorOf(reply).code)}`;
}

function limitsIn({ headers }: Reply): unknown[] {
  return ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}-requests`]);
}

/** A head that leaves chats unanswered whose user is `hang`, until it is told to answer them. */
class PatientHead {
  private readonly held: ServerResponse[] = [];

  readonly answering: HeadAnswering = (response, received) => {
    if (received.body.includes('hang')) this.held.push(response);
    else sendChat(response, received);
  };

  async holds(count: number): Promise<void> {
    await eventually(() => expect(this.held).toHaveLength(count));
  }

  answerAll(): void {
    for (const response of this.held.splice(0)) sendJson(response, 200, wholeChat());
  }
}

describe('chats a minute', () => {
  it('are counted for each key, on both paths together, and told of', async () => {
    const clock = new HeldClock();
    const tracker = await aTracker(THREE_A_MINUTE, { clock });
    const replies = [await chat(tracker, ALICE), await chat(tracker, ALICE, { stream: true })];
    replies.push(await send(`${tracker.url}/v1/completions/`, asked(ALICE)));
    expect(replies.map((reply) => [reply.status, ...limitsIn(reply)])).toEqual([
      [200, '3', '2', '20s'],
      [200, '3', '1', '40s'],
      [200, '3', '0', '60s'],
    ]);
    const refused = await chat(tracker, ALICE);
    expect(toldOf(refused)).toBe('429 rate_limit_exceeded');
    expect(errorOf(refused)).toMatchObject({ type: 'rate_limit_error', param: null });
    expect(errorOf(refused).message).toContain('MESHNET_KEY_REQUESTS_PER_MINUTE');
    expect([refused.headers['retry-after'], ...limitsIn(refused)]).toEqual(['20', '3', '0', '60s']);
    expect([toldOf(await chat(tracker, BOB)), toldOf(await chat(tracker, ROOT))]).toEqual(['200', '200']);
    clock.nowMs += 20_000;
    expect([toldOf(await chat(tracker, ALICE)), toldOf(await chat(tracker, ALICE))]).toEqual([
      '200',
      '429 rate_limit_exceeded',
    ]);
  });

  it('are those of an address where no key is shown', async () => {
    const tracker = await aTracker({ MESHNET_KEY_REQUESTS_PER_MINUTE: '1' });
    const forwarded = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' };
    expect(toldOf(await chat(tracker, null))).toBe('200');
    const again = await send(`${tracker.url}/v1/chat/completions`, { ...asked(null), headers: forwarded });
    expect(toldOf(again)).toBe('429 rate_limit_exceeded');
    const socket = connect({ port: tracker.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\n{}');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    // It has no model; but it was heard.
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('are nothing but chats that are sent', async () => {
    const tracker = await aTracker({ ...KEYS, MESHNET_KEY_REQUESTS_PER_MINUTE: '1' });
    for (let times = 0; times < 3; times += 1) {
      for (const path of ['/v1/models', ...CHAT_PATHS]) {
        const { status } = await send(tracker.url + path, { headers: bearer(ALICE) });
        expect(status).toBe(path === '/v1/models' ? 200 : 405);
      }
    }
    expect(toldOf(await chat(tracker, ALICE))).toBe('200');
  });

  it('are told of by the tracker, whatever a head says of its own', async () => {
    const answering: HeadAnswering = (response) => {
      response.setHeader('x-ratelimit-remaining-requests', '99');
      response.setHeader('x-ratelimit-remaining-tokens', '7');
      sendJson(response, 200, wholeChat());
    };
    const limited = await chat(await aTracker(THREE_A_MINUTE, { answering }), ALICE);
    expect(limitsIn(limited)).toEqual(['3', '2', '20s']);
    expect(limited.headers['x-ratelimit-remaining-tokens']).toBe('7');
    const free = await chat(await aTracker(KEYS, { answering }), ALICE);
    // What a head says of its own limits is for whoever has its key.
    expect(limitsIn(free)).toEqual([undefined, undefined, undefined]);
  });

  it('that were too many are counted among those turned away, and have an id', async () => {
    const tracker = await aTracker({ ...KEYS, MESHNET_KEY_REQUESTS_PER_MINUTE: '1' });
    await chat(tracker, ALICE);
    const headers = { ...bearer(ALICE), 'x-request-id': 'mine' };
    const refused = await send(`${tracker.url}/v1/chat/completions`, { ...asked(ALICE), headers });
    expect(refused.headers['x-request-id']).toBe('mine');
    const metrics = await send(`${tracker.url}/metrics`, { headers: bearer(ROOT) });
    expect(metrics.text).toMatch(/meshnet_turned_away_total\{[^}]*code="rate_limit_exceeded"[^}]*\} 1/);
  });

  it('beyond the limit are a RateLimitError of the official client', async () => {
    const { url } = await aTracker({ ...KEYS, MESHNET_KEY_REQUESTS_PER_MINUTE: '1' });
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: ALICE, maxRetries: 0 });
    const ask = () => client.chat.completions.create({ model: MODEL, messages: [] });
    await ask();
    await expect(ask()).rejects.toThrow(RateLimitError);
  });
});

describe('chats at once', () => {
  it('are so many for each key, and one that ends makes room', async () => {
    const head = new PatientHead();
    const tracker = await aTracker(ONE_AT_ONCE, { answering: head.answering });
    const first = chat(tracker, ALICE, { user: 'hang' });
    await head.holds(1);
    const refused = await chat(tracker, ALICE);
    expect([toldOf(refused), refused.headers['retry-after']]).toEqual(['429 rate_limit_exceeded', '1']);
    expect(limitsIn(refused)).toEqual([undefined, undefined, undefined]);
    expect(toldOf(await chat(tracker, BOB))).toBe('200');
    head.answerAll();
    expect(toldOf(await first)).toBe('200');
    expect(toldOf(await chat(tracker, ALICE))).toBe('200');
  });

  it('are never too many of a client that waits for each', async () => {
    const tracker = await aTracker(ONE_AT_ONCE);
    const told = new Set<string>();
    for (let times = 0; times < 50; times += 1) {
      told.add(toldOf(await chat(tracker, ALICE, { stream: times % 2 === 0 })));
    }
    expect([...told]).toEqual(['200']);
  });

  const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const raw = (...lines: string[]): string =>
    [`POST ${CHAT_PATHS[0]} HTTP/1.1`, 'host: h', `authorization: Bearer ${ALICE}`, ...lines].join('\r\n');

  /** How a chat may end, by what is sent. */
  const ENDINGS: readonly (readonly [name: string, end: (tracker: StagedTracker) => Promise<unknown>])[] = [
    ['a refused body', (tracker) => chat(tracker, ALICE, { stream: 'perhaps' })],
    ['no such model', (tracker) => chat(tracker, ALICE, { model: 'nobodys' })],
    ['a head that fails', (tracker) => chat(tracker, ALICE, { user: 'fail' })],
    ['a stream that breaks off', (tracker) => chat(tracker, ALICE, { user: 'cut', stream: true })],
    [
      'a body that is too long',
      (tracker) =>
        send(`${tracker.url}${CHAT_PATHS[0]}`, {
          ...asked(ALICE),
          body: { model: MODEL, user: 'x'.repeat(3000) },
        }),
    ],
    [
      'a client that leaves a stream',
      async (tracker) => {
        const answer = await open(
          tracker.url + CHAT_PATHS[0],
          asked(ALICE, { user: 'endless', stream: true }),
        );
        await answer.until('data:');
        answer.leave();
      },
    ],
    [
      'a client that leaves within its body',
      async ({ port }) => {
        const socket = connect(port, '127.0.0.1');
        socket.write(`${raw('content-length: 500')}\r\n\r\n{"model"`);
        await once(socket, 'connect');
        socket.end();
        socket.resume();
        await once(socket, 'close');
      },
    ],
    [
      'a client that leaves at once',
      async ({ port }) => {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(`${raw('transfer-encoding: chunked')}\r\n\r\n${chunked('{}')}`, () =>
          socket.resetAndDestroy(),
        );
        await once(socket, 'close');
      },
    ],
    [
      'two requests of which one is ahead',
      async ({ port }) => {
        const socket = connect(port, '127.0.0.1');
        const whole = `${raw('content-length: 2')}\r\n\r\n{}`;
        socket.write(whole + whole);
        await once(socket, 'data');
        socket.destroy();
      },
    ],
  ];

  const answering: HeadAnswering = (response, received) => {
    if (received.body.includes('"fail"')) response.writeHead(500).end('{}');
    else if (received.body.includes('"cut"')) response.writeHead(200, SSE_HEADERS).end(textChunk('x'));
    else if (received.body.includes('"endless"')) response.writeHead(200, SSE_HEADERS).write(textChunk('x'));
    else sendChat(response, received);
  };

  it.each(ENDINGS)('are given back after %s, once', async (_, end) => {
    const head = new PatientHead();
    const either: HeadAnswering = (response, received) =>
      (received.body.includes('hang') ? head.answering : answering)(response, received);
    const tracker = await aTracker({ ...ONE_AT_ONCE, MESHNET_MAX_BODY_BYTES: '2000' }, { answering: either });
    await end(tracker);
    await eventually(async () => expect(toldOf(await chat(tracker, ALICE))).toBe('200'));
    const last = chat(tracker, ALICE, { user: 'hang' });
    await head.holds(1);
    expect(toldOf(await chat(tracker, ALICE))).toBe('429 rate_limit_exceeded');
    head.answerAll();
    await last;
  });
});

describe('wrong keys from one address', () => {
  it('get 429 after 60 a minute; right ones are taken all the same', async () => {
    const clock = new HeldClock();
    const tracker = await aTracker(KEYS, { clock });
    for (let times = 0; times < 60; times += 1) {
      const path = times % 2 === 0 ? '/v1/chat/completions' : '/v1/routing';
      expect(toldOf(await send(tracker.url + path, { headers: bearer(WRONG) }))).toBe('401 invalid_api_key');
    }
    const refused = await chat(tracker, WRONG);
    expect([toldOf(refused), refused.headers['retry-after']]).toEqual(['429 rate_limit_exceeded', '1']);
    expect(refused.text).not.toContain(WRONG);
    expect(refused.headers['www-authenticate']).toBeUndefined();
    expect(toldOf(await register(tracker, WRONG))).toBe('429 rate_limit_exceeded');
    // Nothing was guessed here.
    expect(toldOf(await chat(tracker, null))).toBe('401 missing_api_key');
    expect(toldOf(await chat(tracker, ALICE))).toBe('200');
    expect((await send(`${tracker.url}/v1/routing`, { headers: bearer(ROOT) })).status).toBe(200);
    expect((await register(tracker, TOKEN, { wallet: 'v' })).status).toBe(201);
    clock.nowMs += 1000;
    expect([toldOf(await chat(tracker, WRONG)), toldOf(await chat(tracker, WRONG))]).toEqual([
      '401 invalid_api_key',
      '429 rate_limit_exceeded',
    ]);
  });
});

describe('refused registrations from one address', () => {
  const REFUSED: readonly (readonly [told: string, token: string | null, more: object])[] = [
    ['401 missing_api_key', null, {}],
    ['403 wrong_key_role', ALICE, {}],
    ['409 conflict', TOKEN, { num_layers: 7, shard_start: 0, shard_end: 6 }],
    ['400 invalid_request', TOKEN, { endpoint: 'http://169.254.169.254' }],
    ['400 invalid_request', TOKEN, { endpoint: 5 }],
  ];

  it.each(REFUSED)('of %s get 429 after 60 a minute, good ones none', async (told, token, more) => {
    const tracker = await aTracker(KEYS);
    await register(tracker, TOKEN, { wallet: 'u', num_layers: 4, shard_start: 0, shard_end: 3 });
    for (let times = 0; times < 60; times += 1) {
      expect(toldOf(await register(tracker, token, more))).toBe(told);
    }
    const refused = await register(tracker, token, more);
    expect([toldOf(refused), refused.headers['retry-after']]).toEqual(['429 rate_limit_exceeded', '1']);
    const good = await register(tracker, TOKEN, { wallet: 'good', model: 'm/2' });
    expect(good.status).toBe(201);
    expect(jsonOf(good)).toMatchObject({ node_id: 'good:all' });
  });
});
