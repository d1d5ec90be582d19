import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { AuthenticationError } from 'openai';
import { wholeDocument } from '../../src/api-docs/index.js';
import { ApiContract } from '../support/api-contract.js';
import { eventually } from '../support/eventually.js';
import type { HeadAnswering } from '../support/fake-head.js';
import { errorOf, jsonOf, open, send, type Reply } from '../support/http-client.js';
import { exchange } from '../support/raw-client.js';
import { DONE, sendChat, sendJson, SSE_HEADERS, textChunk } from '../support/openai-answers.js';
import { HastyClock } from '../support/hasty-clock.js';
import { SilentLogger } from '../support/silent-logger.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const MODEL = 'm/1';
const KEYS = {
  client: 'the-key-of-a-client',
  node: 'the-token-of-a-node',
  admin: 'the-key-of-an-operator',
};
const WRONG = 'a-key-that-nobody-has';
const ENV = {
  MESHNET_API_KEYS: `alice=${KEYS.client}`,
  MESHNET_NODE_TOKENS: `mesh=${KEYS.node}`,
  MESHNET_ADMIN_KEYS: `root=${KEYS.admin}`,
};
/** Listened on as 127.0.0.1, but not spelled so: the tracker takes it for an address that others reach. */
const EXPOSED = { MESHNET_HOST: '127.1' };

const stage = new Stage();
afterEach(() => stage.end());

function bearer(secret: string): Record<string, string> {
  return { authorization: `Bearer ${secret}` };
}

function password(secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`anybody:${secret}`).toString('base64')}` };
}

async function aTracker(
  env: Readonly<Record<string, string>> = ENV,
  {
    answering = sendChat,
    logger = new SilentLogger(),
  }: { answering?: HeadAnswering; logger?: SilentLogger } = {},
): Promise<StagedTracker> {
  const [head, tracker] = await Promise.all([
    stage.head(answering),
    stage.tracker({ env, parts: { logger } }),
  ]);
  const headers = env.MESHNET_NODE_TOKENS === undefined ? {} : bearer(KEYS.node);
  const body = { wallet: 'w', endpoint: head.url, model: MODEL };
  await send(`${tracker.url}/v1/nodes`, { method: 'POST', headers, body });
  return tracker;
}

function chat(url: string, headers: Record<string, string> = {}, more: object = {}): Promise<Reply> {
  const body = { model: MODEL, messages: [], ...more };
  return send(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
}

function toldOf(reply: Reply): string {
  return reply.status < 400 || reply.headers['content-type']?.startsWith('application/json') !== true
    ? String(reply.status)
    : `${String(reply.status)} ${String(errorOf(reply).code)}`;
}

const document = await wholeDocument('0.0.0');
const operations = new ApiContract(document).operations.map(({ method, path, operation }) => {
  const { security } = operation as typeof operation & {
    readonly security: readonly Record<string, unknown>[];
  };
  return {
    method: method.toUpperCase(),
    path: path.replace('{path}', 'x').replace(/\{\w+\}/g, 'x'),
    takes: security.flatMap((alternative) => Object.keys(alternative)),
  };
});

/** What is sent, by name, with the scheme of the document that it is. */
const SENT: readonly (readonly [name: string, headers: Record<string, string>, scheme: string | null])[] = [
  ['nothing', {}, null],
  ['a wrong key', bearer(WRONG), null],
  ['a wrong password', password(WRONG), null],
  ["a client's key", bearer(KEYS.client), 'clientKey'],
  ["a node's token", bearer(KEYS.node), 'nodeToken'],
  ["an operator's key", bearer(KEYS.admin), 'adminKey'],
  ["an operator's key as a password", password(KEYS.admin), 'adminPassword'],
  ["a client's key as a password", password(KEYS.client), null],
];

describe('every operation', () => {
  let tracker: StagedTracker;
  const tables = new Stage();
  beforeAll(async () => {
    tracker = await tables.tracker({ env: ENV, parts: { clock: new HastyClock() } });
  });
  afterAll(() => tables.end());

  it.each(
    operations.flatMap((operation) =>
      SENT.map(([name, headers, scheme]) => ({ ...operation, name, headers, scheme })),
    ),
  )('$method $path with $name', async ({ method, path, headers, scheme, takes }) => {
    const asked = await open(tracker.url + path, { method, headers });
    asked.leave();
    const isLet = takes.length === 0 || (scheme !== null && takes.includes(scheme));
    const isKey = scheme !== null && scheme !== 'adminPassword';
    const isByPassword = takes.includes('adminPassword');
    if (isLet) expect([401, 403]).not.toContain(asked.status);
    // A valid key of another role, sent as one can be here.
    else if (isKey || (isByPassword && headers.authorization === password(KEYS.client).authorization)) {
      expect(asked.status).toBe(403);
    } else expect(asked.status).toBe(401);
  });

  it('and no other path is answered without an operator’s key', async () => {
    for (const path of [
      '/nowhere',
      '/V1/Routing',
      '/v1/routing/',
      '//v1/routing',
      '/v1/%72outing',
      '/METRICS',
      '/docs/',
      '/v1/nodes/',
    ]) {
      for (const [, headers, scheme] of SENT) {
        const { status } = await send(tracker.url + path, { headers });
        if (scheme === 'adminKey') expect([path, [401, 403].includes(status)]).toEqual([path, false]);
        else if (!(scheme === 'adminPassword' && path === '/docs/')) {
          expect([path, [401, 403].includes(status)]).toEqual([path, true]);
        }
      }
    }
  });
});

describe('a refusal', () => {
  it('has OpenAI’s shape, says what to send, and nothing of what was sent', async () => {
    const tracker = await aTracker();
    const refused = [
      await chat(tracker.url),
      await chat(tracker.url, bearer(WRONG)),
      await chat(tracker.url, bearer(KEYS.node)),
      await send(`${tracker.url}/v1/routing`, { headers: bearer(KEYS.client) }),
    ];
    expect(refused.map(toldOf)).toEqual([
      '401 missing_api_key',
      '401 invalid_api_key',
      '403 wrong_key_role',
      '403 wrong_key_role',
    ]);
    for (const reply of refused) {
      const { message, type, param } = errorOf(reply);
      expect(message).toMatch(/an API key|an admin key/);
      expect(type).toMatch(/^(authentication|permission)_error$/);
      expect(param).toBeNull();
      expect(reply.text).not.toMatch(new RegExp(Object.values(KEYS).concat(WRONG).join('|')));
      expect(reply.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      expect(reply.headers['www-authenticate']).toBe(
        reply.status === 401 ? 'Bearer realm="meshnet"' : undefined,
      );
    }
  });

  it('asks a browser for a password where one is taken', async () => {
    const { url } = await aTracker();
    const { headers } = await send(`${url}/docs`);
    expect(headers['www-authenticate']).toMatch(/^Basic realm="meshnet"/);
  });

  it('reads no body, and leaves none of it to be taken for a request', async () => {
    const tracker = await aTracker();
    const smuggled = 'GET /healthz HTTP/1.1\r\nhost: h\r\n\r\n';
    const lines = [
      'POST /v1/chat/completions HTTP/1.1',
      'host: h',
      `content-length: ${String(smuggled.length)}`,
    ];
    const { status, bytes } = await exchange(tracker.port, [
      Buffer.from(`${lines.join('\r\n')}\r\n\r\n${smuggled}`),
    ]);
    expect(status).toBe(401);
    expect(bytes.toString().match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(bytes.toString()).toMatch(/connection: close/i);
  });

  it('is given to two keys in one request', async () => {
    const { port } = await aTracker();
    const lines = [
      'GET /v1/models HTTP/1.1',
      'host: h',
      `authorization: Bearer ${KEYS.client}`,
      `Authorization: Bearer ${WRONG}`,
    ];
    expect((await exchange(port, [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)])).status).toBe(401);
  });

  it('is an AuthenticationError of the official client', async () => {
    const { url } = await aTracker();
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: WRONG, maxRetries: 0 });
    await expect(client.models.list()).rejects.toThrow(AuthenticationError);
    const good = new OpenAI({ baseURL: `${url}/v1`, apiKey: KEYS.client, maxRetries: 0 });
    expect((await good.models.list()).data.map(({ id }) => id)).toEqual([MODEL]);
  });
});

describe('the name of a key', () => {
  it('stands in the record of its calls and counts their tokens; the key stands nowhere', async () => {
    const logger = new SilentLogger();
    const { url } = await aTracker(ENV, { logger });
    const headers = { ...bearer(KEYS.client), 'x-request-id': 'told' };
    expect((await chat(url, headers)).status).toBe(200);
    expect((await chat(url, bearer(KEYS.admin))).status).toBe(200);
    const record = await send(`${url}/v1/calls/told`, { headers: bearer(KEYS.admin) });
    expect(jsonOf(record)).toMatchObject({ key_name: 'alice' });
    const metrics = await send(`${url}/metrics`, { headers: password(KEYS.admin) });
    expect(metrics.text).toMatch(
      /meshnet_key_tokens_total\{[^}]*key="alice"[^}]*kind="completion"[^}]*\} [1-9]/,
    );
    expect(metrics.text).toMatch(/meshnet_key_tokens_total\{[^}]*key="root"/);
    const pages = await Promise.all(
      ['/v1/calls', '/v1/nodes', '/v1/routing', '/v1/timeline', '/openapi.json'].map((path) =>
        send(url + path, { headers: bearer(KEYS.admin) }),
      ),
    );
    const said = JSON.stringify(logger.lines) + [record, metrics, ...pages].map(({ text }) => text).join();
    expect(said).not.toMatch(new RegExp(Object.values(KEYS).join('|')));
    expect(said).not.toContain(Buffer.from(`anybody:${KEYS.admin}`).toString('base64'));
  });

  it('does not go on to a node', async () => {
    const seen: string[] = [];
    const { url } = await aTracker(ENV, {
      answering: (response, received) => {
        seen.push(JSON.stringify(received.rawHeaders));
        sendChat(response, received);
      },
    });
    await chat(url, bearer(KEYS.client));
    expect(seen).toHaveLength(1);
    expect(seen.join()).not.toMatch(/authorization|the-key/i);
  });
});

describe('where others reach the tracker', () => {
  it('no node may register without tokens, and nobody looks at it without keys, whatever is sent', async () => {
    const { url } = await stage.tracker({ env: { ...EXPOSED, MESHNET_API_KEYS: ENV.MESHNET_API_KEYS } });
    const registered = await send(`${url}/v1/nodes`, {
      method: 'POST',
      body: { wallet: 'w', endpoint: 'http://h:1', model: MODEL },
    });
    expect(toldOf(registered)).toBe('403 registration_closed');
    expect(errorOf(registered).message).toContain('MESHNET_NODE_TOKENS');
    for (const headers of [{}, bearer(KEYS.client), bearer(WRONG)]) {
      const looked = await send(`${url}/v1/routing`, { headers });
      expect(toldOf(looked)).toBe('401 missing_api_key');
      expect(errorOf(looked).message).toContain('MESHNET_ADMIN_KEYS');
    }
    expect((await send(`${url}/healthz`)).status).toBe(200);
    expect((await send(`${url}/v1/models`, { headers: bearer(KEYS.client) })).status).toBe(200);
  });

  it('listed servers serve, and anybody may chat where that is said', async () => {
    const head = await stage.head((response) => sendJson(response, 200, { data: [{ id: MODEL }] }));
    const env = { ...EXPOSED, MESHNET_ALLOW_ANONYMOUS: 'true' };
    const { url } = await stage.tracker({ env, argv: ['--node', head.url] });
    // A key that a client's library insists on sending means nothing where there are none.
    for (const headers of [{}, bearer('sk-unused')])
      expect((await send(`${url}/v1/models`, { headers })).status).toBe(200);
    expect((await send(`${url}/v1/nodes`)).status).toBe(401);
  });

  it('chats without a key go on beside those with one, if both are wanted', async () => {
    const { url } = await aTracker({ ...ENV, ...EXPOSED, MESHNET_ALLOW_ANONYMOUS: 'true' });
    expect((await chat(url, { 'x-request-id': 'nobody' })).status).toBe(200);
    expect((await chat(url, { ...bearer(KEYS.client), 'x-request-id': 'somebody' })).status).toBe(200);
    expect((await chat(url, bearer(WRONG))).status).toBe(401);
    const named = async (id: string) =>
      jsonOf(await send(`${url}/v1/calls/${id}`, { headers: bearer(KEYS.admin) }));
    expect(await named('nobody')).toMatchObject({ key_name: null });
    expect(await named('somebody')).toMatchObject({ key_name: 'alice' });
  });
});

describe('keys that are changed while the tracker runs', () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'keys-'));
  });
  afterAll(() => rmSync(home, { recursive: true }));

  function keys(name: string, text: string): string {
    writeFileSync(join(home, name), text);
    return join(home, name);
  }

  it('are refused from then on, and their streams go on to their end', async () => {
    let goOn = (): void => undefined;
    const tracker = await aTracker(
      {
        MESHNET_API_KEYS_FILE: keys('api', `alice=${KEYS.client}`),
        MESHNET_NODE_TOKENS: ENV.MESHNET_NODE_TOKENS,
      },
      {
        answering: (response) => {
          response.writeHead(200, SSE_HEADERS).write(textChunk('first'));
          goOn = () => response.end(textChunk('second') + DONE);
        },
      },
    );
    const { url } = tracker;
    const body = { model: MODEL, messages: [], stream: true };
    const stream = await open(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: bearer(KEYS.client),
      body,
    });
    await stream.until('first');
    keys('api', `bob=${WRONG}`);
    await tracker.reload();
    expect(toldOf(await send(`${url}/v1/models`, { headers: bearer(KEYS.client) }))).toBe(
      '401 invalid_api_key',
    );
    expect((await send(`${url}/v1/models`, { headers: bearer(WRONG) })).status).toBe(200);
    goOn();
    expect((await stream.rest()).text).toContain('second');
  });

  it('end event streams when one is gone, and only then', async () => {
    const tracker = await stage.tracker({
      env: { MESHNET_ADMIN_KEYS_FILE: keys('admin', `root=${KEYS.admin}`) },
    });
    const { url } = tracker;
    const events = await open(`${url}/v1/events`, { headers: bearer(KEYS.admin) });
    await events.until('watching');
    keys('admin', `root=${KEYS.admin}\nsecond=${WRONG}`);
    await tracker.reload();
    expect(events.response.closed).toBe(false);
    keys('admin', `second=${WRONG}`);
    await tracker.reload();
    await events.rest();
    const again = await open(`${url}/v1/events`, { headers: bearer(WRONG) });
    await again.until('watching');
    again.leave();
    await eventually(() => expect(again.response.closed).toBe(true));
  });
});

describe('another spelling of a path', () => {
  const line = (method: string, target: string, key: string | null, body: object | null): Buffer => {
    const text = body === null ? '' : JSON.stringify(body);
    const authorization = key === null ? [] : [`authorization: Bearer ${key}`];
    const lines = [
      `${method} ${target} HTTP/1.1`,
      'host: localhost',
      ...authorization,
      'content-type: application/json',
      `content-length: ${String(text.length)}`,
      '',
      text,
    ];
    return Buffer.from(lines.join('\r\n'), 'latin1');
  };
  const NODE = { wallet: 'stranger', endpoint: 'http://127.0.0.1:9', model: 'strange' };
  const SPELLINGS = [
    '/V1/nodes',
    '/v1/Nodes',
    '/v1/NODES/',
    'http://h/v1/nodes',
    'HTTP://h/v1/nodes',
    'http://h/V1/nodes',
    '//v1/nodes',
    '/v1//nodes',
    '/v1/nodes#x',
    '/v1/nodes\xa0',
    '/v1/nodes\t',
    '/v1\\nodes?a#b',
    '/v1\\nodes',
    '/%761/nodes',
    '/v1/./nodes',
    '/x/../v1/nodes',
    '/v1/nodes;x',
    '/v1/nodes%20',
  ];

  it.each(SPELLINGS)('%j takes no registration without a token', async (target) => {
    const open = await stage.tracker({ env: { MESHNET_NODE_TOKENS: ENV.MESHNET_NODE_TOKENS } });
    const closed = await stage.tracker({
      env: { ...EXPOSED, MESHNET_API_KEYS: ENV.MESHNET_API_KEYS, MESHNET_ADMIN_KEYS: ENV.MESHNET_ADMIN_KEYS },
    });
    for (const [tracker, key] of [
      [open, null],
      [open, WRONG],
      [closed, KEYS.admin],
    ] as const) {
      const { status } = await exchange(tracker.port, [line('POST', target, key, NODE)]);
      expect(status).toBeGreaterThanOrEqual(400);
      const headers = tracker === open ? {} : bearer(KEYS.admin);
      expect(
        (jsonOf(await send(`${tracker.url}/v1/nodes`, { headers })) as { data: unknown[] }).data,
      ).toEqual([]);
    }
  });

  it.each(['/V1/leases/', '/v1/Leases/', 'http://h/v1/leases/', '/v1/leases\\'])(
    '%j ends no lease by an operator’s key',
    async (target) => {
      const tracker = await stage.tracker({ env: ENV });
      const registered = await send(`${tracker.url}/v1/nodes`, {
        method: 'POST',
        headers: bearer(KEYS.node),
        body: NODE,
      });
      const { lease_id } = jsonOf(registered) as { lease_id: string };
      for (const method of ['PUT', 'DELETE']) {
        const { status } = await exchange(tracker.port, [line(method, target + lease_id, KEYS.admin, {})]);
        expect(status).toBeGreaterThanOrEqual(400);
      }
      expect((await send(`${tracker.url}/v1/nodes`, { headers: bearer(KEYS.admin) })).text).toContain(
        'stranger',
      );
    },
  );

  it('with its host is the same path, to whom it belongs', async () => {
    const tracker = await stage.tracker({ env: ENV });
    const { status } = await exchange(tracker.port, [line('POST', 'http://h/v1/nodes?x', KEYS.node, NODE)]);
    expect(status).toBe(201);
    expect((await exchange(tracker.port, [line('GET', 'http://h', null, null)])).status).not.toBe(400);
    expect((await exchange(tracker.port, [line('GET', 'http://h/healthz', null, null)])).status).toBe(200);
  });
});
