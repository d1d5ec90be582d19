import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf, send, type Outgoing, type Reply } from '../support/http-client.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const MODEL = 'm';
const APP = 'https://app.example';
const EVIL = 'https://evil.example';
const KEY = 'the-key-of-a-client';

const stage = new Stage();
afterEach(() => stage.end());

async function aTracker(env: Record<string, string> = {}): Promise<StagedTracker> {
  const [head, tracker] = await Promise.all([stage.head(), stage.tracker({ env })]);
  await tracker.api.register({ wallet: 'w', endpoint: head.url, model: MODEL });
  return tracker;
}

function ask(url: string, path: string, outgoing: Outgoing): Promise<Reply> {
  return send(url + path, outgoing);
}

function chat(headers: Record<string, string>): Outgoing {
  return { method: 'POST', headers, body: { model: MODEL, messages: [] } };
}

const CHANGES: readonly { readonly method: string; readonly path: string; readonly body?: object }[] = [
  { method: 'POST', path: '/v1/chat/completions', body: { model: MODEL, messages: [] } },
  {
    method: 'POST',
    path: '/v1/nodes',
    body: { wallet: 'evil', endpoint: 'http://127.0.0.1:9', model: MODEL },
  },
  { method: 'POST', path: '/v1/nodes/w:all/drain' },
  { method: 'DELETE', path: '/v1/nodes/w:all' },
  { method: 'DELETE', path: '/v1/leases/x' },
];

describe('a page of another site, before an open tracker', () => {
  it.each(CHANGES)('cannot $method $path', async ({ method, path, body }) => {
    const { url, api } = await aTracker();
    for (const headers of [{ origin: EVIL }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
      const sent = {
        method,
        headers: { ...headers, host: 'localhost' },
        ...(body === undefined ? {} : { body }),
      };
      const reply = await ask(url, path, sent);
      expect([reply.status, errorOf(reply).code]).toEqual([403, 'cross_site']);
      expect(errorOf(reply).message).toContain('MESHNET_CORS_ORIGINS');
    }
    expect((await api.nodes()).map(({ node_id, status }) => [node_id, status])).toEqual([['w:all', 'ready']]);
  });

  it('gets nothing that lets it read an answer', async () => {
    const { url } = await aTracker();
    const models = await ask(url, '/v1/models', { headers: { origin: EVIL } });
    expect(models.headers['access-control-allow-origin']).toBeUndefined();
    const asked = { origin: EVIL, 'access-control-request-method': 'POST' };
    const preflight = await ask(url, '/v1/chat/completions', { method: 'OPTIONS', headers: asked });
    expect(preflight.status).not.toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('cannot come by a name of its own that leads to loopback', async () => {
    const { url } = await aTracker();
    for (const [method, path] of [
      ['GET', '/v1/routing'],
      ['GET', '/v1/models'],
      ['POST', '/v1/nodes/w:all/drain'],
    ] as const) {
      const reply = await ask(url, path, { method, headers: { host: 'rebound.evil.example:8080' } });
      expect([reply.status, errorOf(reply).code]).toEqual([403, 'host_not_allowed']);
    }
    const listed = await aTracker({ MESHNET_ALLOWED_HOSTS: 'mesh.example' });
    expect((await ask(listed.url, '/v1/routing', { headers: { host: 'mesh.example' } })).status).toBe(200);
  });
});

describe('a page that is named in MESHNET_CORS_ORIGINS', () => {
  it.each(CHANGES.slice(1))('can no more than chat: not $method $path', async ({ method, path, body }) => {
    const { url, api } = await aTracker({ MESHNET_CORS_ORIGINS: APP });
    const headers = { origin: APP, 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' };
    const reply = await ask(url, path, { method, headers, ...(body === undefined ? {} : { body }) });
    expect([reply.status, errorOf(reply).code]).toEqual([403, 'cross_site']);
    expect((await api.nodes()).map(({ status }) => status)).toEqual(['ready']);
  });

  it('may chat and read what comes of it', async () => {
    const { url } = await aTracker({ MESHNET_CORS_ORIGINS: `${APP}, http://localhost:3000` });
    const asked = {
      origin: APP,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const preflight = await ask(url, '/v1/chat/completions', { method: 'OPTIONS', headers: asked });
    expect(preflight.status).toBe(204);
    expect(preflight.text).toBe('');
    expect(preflight.headers).toMatchObject({ 'access-control-allow-origin': APP, vary: 'origin' });
    expect(preflight.headers['access-control-allow-headers']).toContain('authorization');
    const answer = await ask(
      url,
      '/v1/chat/completions',
      chat({ origin: APP, 'sec-fetch-site': 'cross-site' }),
    );
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe(APP);
    expect(answer.headers['access-control-expose-headers']).toContain('x-meshnet-route');
  });

  it('reads refusals too, for want of a key say', async () => {
    const { url } = await stage.tracker({ env: { MESHNET_CORS_ORIGINS: APP, MESHNET_API_KEYS: `a=${KEY}` } });
    const refused = await ask(url, '/v1/chat/completions', chat({ origin: APP }));
    expect(refused.status).toBe(401);
    expect(refused.headers['access-control-allow-origin']).toBe(APP);
  });

  it('looks at nothing of an operator’s, and another origin is another', async () => {
    const { url } = await aTracker({ MESHNET_CORS_ORIGINS: APP });
    for (const [origin, path] of [
      [APP, '/v1/routing'],
      [`${APP}.evil`, '/v1/models'],
      ['http://app.example', '/v1/models'],
    ] as const) {
      const { headers } = await ask(url, path, { headers: { origin } });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

it('the tracker’s own page, also behind a proxy with TLS, and whatever is no browser go on as ever', async () => {
  const { url, api } = await aTracker();
  const host = url.slice('http://'.length);
  for (const origin of [`http://${host}`, `https://${host}`]) {
    expect((await ask(url, '/v1/chat/completions', chat({ origin, host }))).status).toBe(200);
  }
  expect((await api.chat({ model: MODEL, messages: [] })).status).toBe(200);
});

it('with a key, where keys are asked for, a page is a client like others', async () => {
  const { url } = await stage.tracker({ env: { MESHNET_API_KEYS: `a=${KEY}` } });
  const reply = await ask(
    url,
    '/v1/chat/completions',
    chat({ origin: EVIL, authorization: `Bearer ${KEY}` }),
  );
  expect(errorOf(reply).code).toBe('model_not_found');
});
