import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { eventually } from '../../support/eventually.js';
import type { FakeHead, HeadAnswering } from '../../support/fake-head.js';
import { errorOf, open, type Reply } from '../../support/http-client.js';
import { sendChat, sendJson } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';

const MODEL = 'm';
const CLIENT_KEY = 'sk-CANARY1';
const NODE_KEY = 'CANARY5';
const stage = new Stage();
afterEach(() => stage.end());

const CREDENTIALS = {
  authorization: `Bearer ${CLIENT_KEY}`,
  'api-key': CLIENT_KEY,
  'x-api-key': CLIENT_KEY,
  cookie: `session=${CLIENT_KEY}`,
  'proxy-authorization': `Basic ${CLIENT_KEY}`,
};

interface Scene {
  readonly tracker: StagedTracker;
  readonly head: FakeHead;
  /** What was logged, and what people were told, so far. */
  readonly said: () => string;
  readonly tell: (reply: Reply) => Reply;
}

/** A tracker at its default log level, and a listed node with a key of its own. */
async function scene(answering: HeadAnswering = sendChat): Promise<Scene> {
  let said = '';
  const log = new Writable({
    write: (line: Buffer, _encoding, done) => {
      said += line.toString();
      done();
    },
  });
  const folder = mkdtempSync(joinPath(tmpdir(), 'nodes-'));
  stage.atEnd(() => rmSync(folder, { recursive: true }));
  const head = await stage.head((response, chat) => {
    if (chat.method === 'GET') sendJson(response, 200, { object: 'list', data: [{ id: MODEL }] });
    else answering(response, chat);
  });
  const file = joinPath(folder, 'nodes.json');
  const entry = {
    name: 'listed',
    url: head.url,
    api_key_env: 'NODE_KEY',
    headers: { 'x-tenant': 'CANARY6' },
  };
  writeFileSync(file, JSON.stringify({ nodes: [entry] }));
  const tracker = await stage.tracker({
    env: { MESHNET_NODES_FILE: file, MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.3' },
    parts: { logger: pino({ level: 'info', base: null }, log) },
    lookup: (name) => (name === 'NODE_KEY' ? NODE_KEY : undefined),
  });
  const tell = (reply: Reply): Reply => {
    said += JSON.stringify(reply.headers) + reply.text;
    return reply;
  };
  return { tracker, head, said: () => said, tell };
}

async function chat({ tracker, tell }: Scene, body: object | string = {}): Promise<Reply> {
  const asked = { model: MODEL, messages: [{ role: 'user', content: 'CANARY4' }], user: 'CANARY4' };
  const sent = typeof body === 'string' ? body : { ...asked, ...body };
  const path = '/v1/chat/completions?api_key=CANARY7';
  return tell(await tracker.api.chat(sent, { path, headers: CREDENTIALS }));
}

async function expectSilence({ tracker, said, tell }: Scene): Promise<void> {
  for (const path of [
    '/v1/nodes',
    '/v1/routing',
    '/v1/calls?limit=1000',
    '/v1/models',
    '/healthz',
    '/readyz',
  ]) {
    expect(tell(await tracker.api.get(path)).status).toBe(200);
  }
  expect(said()).not.toContain('CANARY');
}

const OUTCOMES: Readonly<Record<string, readonly [number, HeadAnswering]>> = {
  'a good answer': [200, sendChat],
  'a node that refuses the tracker, and says which key it got': [
    502,
    (response, { headers }) =>
      sendJson(response, 401, { error: { message: `Incorrect API key: ${String(headers.authorization)}` } }),
  ],
  'a node that forbids, in an error inside a 200': [
    502,
    (response, { headers }) =>
      sendJson(response, 200, { error: { message: `${String(headers.authorization)} may not`, code: 403 } }),
  ],
  'a broken connection': [502, (response) => response.destroy()],
  'an answer that is none': [502, (response) => response.end(`<p>${NODE_KEY}</p>`)],
  'an error page': [500, (response) => response.writeHead(500).end(`<p>${NODE_KEY} CANARY4</p>`)],
  'a timeout': [504, () => undefined],
};

describe('B77: neither logs nor answers nor pages hold a key or a prompt', () => {
  it.each(Object.keys(OUTCOMES))('after %s', async (kind) => {
    const [status, answering] = OUTCOMES[kind] ?? [];
    const told = await scene(answering);
    const { head, tracker } = told;
    const events = await open(`${tracker.url}/v1/events`, {});
    for (const stream of [false, true]) {
      // What the client is given of a good answer is the answer.
      expect((await chat(told, { stream })).status).toBe(status);
    }
    await expectSilence(told);
    expect(told.said().match(/"msg":"call.finished"/g)).toHaveLength(2);
    const watched = await eventually(async () => {
      const text = await events.until('call.finished');
      expect(text.match(/event: call.finished/g)).toHaveLength(2);
      return text;
    });
    expect(watched).not.toContain('CANARY');
    events.leave();
    // The node got its own key, and none of the client's.
    expect(head.last.headers).toMatchObject({ authorization: `Bearer ${NODE_KEY}`, 'x-tenant': 'CANARY6' });
    expect(JSON.stringify(head.last.rawHeaders)).not.toContain('CANARY1');
    expect(head.last.path).toBe('/v1/chat/completions');
    expect(head.lastBody).toMatchObject({ user: 'CANARY4' });
  });

  it('and a node that has no key of its own is not given that of the client', async () => {
    const told = await scene();
    const head = await stage.head();
    await told.tracker.api.register({ wallet: 'w', endpoint: head.url, model: 'other' });
    expect((await chat(told, { model: 'other' })).status).toBe(200);
    expect(JSON.stringify(head.last.rawHeaders)).not.toContain('CANARY');
  });

  it('after a request that is refused', async () => {
    const told = await scene();
    const statuses = [
      await chat(told, '{"model": CANARY4}'),
      await chat(told, '"CANARY4"'),
      await chat(told, { stream: 'CANARY4' }),
      await chat(told, { route: ['CANARY4'] }),
      await chat(told, { model: 'unknown' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([400, 400, 400, 400, 404]);
    const { api } = told.tracker;
    for (const path of [
      '/v1/nope?key=CANARY7',
      '/v1/calls/CANARY7?x=CANARY7',
      '/v1/routing?model=nope&key=CANARY7',
    ]) {
      expect(told.tell(await api.get(path)).status).toBe(404);
    }
    await expectSilence(told);
  });

  it('after a node that tried to register with a password in its address', async () => {
    const told = await scene();
    const { api } = told.tracker;
    for (const endpoint of [
      'http://h:1/?key=CANARY2',
      'http://user:CANARY3@h:1/',
      'http://h:1/#CANARY2',
      'CANARY2',
    ]) {
      const refused = told.tell(await api.ask('POST', '/v1/nodes', { wallet: 'w', endpoint, model: MODEL }));
      expect([refused.status, errorOf(refused).param]).toEqual([400, 'endpoint']);
    }
    for (const body of ['{"wallet":"CANARY2', '"CANARY2"', { wallet: 'CANARY2 ', endpoint: 'CANARY3' }]) {
      expect(told.tell(await api.ask('POST', '/v1/nodes', body)).status).toBe(400);
    }
    await expectSilence(told);
  });

  it('and the lease, by which a node proves who it is, is told to nobody but the node', async () => {
    const told = await scene();
    const { api } = told.tracker;
    const { lease_id } = await api.register({ wallet: 'w', endpoint: 'http://h:1', model: 'other' });
    await api.ask('PUT', `/v1/leases/${lease_id}`, { queue_depth: 1 });
    await expectSilence(told);
    expect(told.said()).not.toContain(lease_id);
  });
});
