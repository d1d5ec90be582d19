import { afterEach, describe, expect, it } from '@jest/globals';
import type { FakeHead } from '../../support/fake-head.js';
import { errorOf } from '../../support/http-client.js';
import { sendChat, sendJson } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import type { TrackerApi } from '../../support/tracker-api.js';
import { aChat, BLAMED, join, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const PAGE = '<html><body><h1>nginx</h1></body></html>';
/** As only this head would write it: order, blanks and fields of its own. */
const SAID =
  '{ "error" : {"code":"own_code","message":"own words","hint":[1.0]}, "id":12345678901234567890 }';

const stage = new Stage();
afterEach(() => stage.end());

const CLIENTS_OWN = [400, 411, 414, 415, 416, 422, 431];
const TOO_LONG = [413];
const BUSY = [429];
const UNSUPPORTED = [501];
const FAILED = [402, 408, 409, 418, 500, 502, 503, 504, 520, 529];
const QUARRELS = [401, 403, 404, 405, 410];
/** Another route may serve the client, and no node is charged. */
const UNCHARGED = [...TOO_LONG, ...BUSY, ...UNSUPPORTED];

const STATUSES: [status: number, outcome: string, isBlamed: boolean][] = [
  ...CLIENTS_OWN.map((status): [number, string, boolean] => [status, 'refused', false]),
  ...TOO_LONG.map((status): [number, string, boolean] => [status, 'refused', false]),
  ...UNSUPPORTED.map((status): [number, string, boolean] => [status, 'refused', false]),
  ...BUSY.map((status): [number, string, boolean] => [status, 'busy', false]),
  ...FAILED.map((status): [number, string, boolean] => [status, 'failed', true]),
];
const KINDS: [string, object][] = [
  ['JSON', {}],
  ['a stream', { stream: true }],
];

const THREE = ['head0:all', 'head1:all', 'head2:all'];

/** Heads that each refuse in this way, in the order in which they are asked. */
async function threeHeads(
  api: TrackerApi,
  answerOf: (at: number) => readonly [status: number, body: object | string],
): Promise<FakeHead[]> {
  const heads: FakeHead[] = [];
  for (const at of THREE.keys()) {
    const head = await stage.head((response) => sendJson(response, ...answerOf(at)));
    heads.push(head);
    await join(api, head, `head${String(at)}`, { throughput_tps: 100 - at });
  }
  return heads;
}

describe.each(KINDS)('B29 a head that is asked for %s answers with a status', (_kind, asked) => {
  it.each(STATUSES)(
    '%i, which reaches the client with its JSON unchanged',
    async (status, outcome, isBlamed) => {
      const { api } = await stage.tracker();
      const head = await stage.head((response) => sendJson(response, status, SAID));
      const nodeId = await join(api, head, 'head');

      const reply = await api.chat(aChat(asked));

      expect(reply.status).toBe(status);
      expect(reply.text).toBe(SAID);
      expect(reply.headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(SAID)),
        'x-meshnet-route': 'm|head:all[0-0]',
      });
      expect(await api.callOf(reply)).toMatchObject({ outcome, sample: 'failed', completion_tokens: null });
      expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, isBlamed });
    },
  );

  it.each(STATUSES)(
    '%i, which reaches the client in OpenAI’s shape where there is no JSON',
    async (status, outcome, isBlamed) => {
      const { api } = await stage.tracker();
      const head = await stage.head();
      const nodeId = await join(api, head, 'head');

      for (const body of [PAGE, '', 'plain words', '{"error":']) {
        head.answer((response) => response.writeHead(status, { 'content-type': 'text/html' }).end(body));
        const reply = await api.chat(aChat(asked));

        expect(reply.status).toBe(status);
        expect(reply.headers['content-type']).toMatch(/^application\/json/);
        expect(errorOf(reply)).toEqual({
          message: expect.stringContaining(String(status)),
          type: status < 500 ? 'invalid_request_error' : 'server_error',
          param: null,
          code: null,
        });
        expect((await api.callOf(reply)).outcome).toBe(outcome);
      }
      expect((await standingOf(api, nodeId)).isBlamed).toBe(isBlamed);
      expect((await standingOf(api, nodeId)).samples).toBe(0);
    },
  );

  it.each(QUARRELS)(
    '%i, which is the node’s fault, and the client gets a 502 that names it',
    async (status) => {
      const { api } = await stage.tracker();
      const head = await stage.head();
      const nodeId = await join(api, head, 'head');

      for (const body of [SAID, PAGE, '']) {
        head.answer((response) => sendJson(response, status, body));
        const reply = await api.chat(aChat(asked));

        expect(reply.status).toBe(502);
        expect(errorOf(reply)).toMatchObject({
          type: 'server_error',
          param: null,
          code: 'node_misconfigured',
        });
        expect(errorOf(reply).message).toContain(nodeId);
        expect(errorOf(reply).message).toContain(String(status));
        expect(reply.text).not.toContain('own words');
        expect((await api.callOf(reply)).outcome).toBe('misconfigured');
      }
      expect((await standingOf(api, nodeId)).isBlamed).toBe(true);
    },
  );

  it.each([...QUARRELS, ...UNCHARGED, ...FAILED])(
    '%i, and another route serves the client',
    async (status) => {
      const { api } = await stage.tracker();
      const head = await stage.head((response) => sendJson(response, status, SAID));
      const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
      await join(api, await stage.head(), 'spare', { throughput_tps: 1 });

      const reply = await api.chat(aChat(asked));

      expect(reply).toMatchObject({ status: 200, headers: { 'x-meshnet-attempts': '2' } });
      expect(await standingOf(api, nodeId)).toEqual(UNCHARGED.includes(status) ? UNTOUCHED : BLAMED);
    },
  );

  it.each(CLIENTS_OWN)('%i, and no other route is asked for what is the client’s own', async (status) => {
    const { api } = await stage.tracker({ env: { MESHNET_ROUTE_EXPLORE_SHARE: '0' } });
    const head = await stage.head(sendChat);
    const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
    const spare = await stage.head();
    await join(api, spare, 'spare', { throughput_tps: 1 });
    // A refusal of a node without a recent completion gets a second opinion.
    await api.chat(aChat({ route: [nodeId] }));
    head.answer((response) => sendJson(response, status, SAID));

    const reply = await api.chat(aChat(asked));

    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([status, '1']);
    expect(spare.chats).toEqual([]);
  });

  it.each(CLIENTS_OWN)('%i without a completion before, and one other route is asked', async (status) => {
    const { api } = await stage.tracker();
    const heads = await threeHeads(api, (at) => [status, { error: { message: `words of ${String(at)}` } }]);

    const reply = await api.chat(aChat(asked));

    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([status, '2']);
    expect(heads.map(({ chats }) => chats.length > 0)).toEqual([true, true, false]);
    for (const nodeId of THREE) expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
  });

  it.each(TOO_LONG)('%i, and one other route with more room is asked, no third', async (status) => {
    const { api } = await stage.tracker();
    const heads = await threeHeads(api, () => [status, SAID]);

    const reply = await api.chat(aChat(asked));

    expect([reply.status, reply.text, reply.headers['x-meshnet-attempts']]).toEqual([status, SAID, '2']);
    expect(heads.map(({ chats }) => chats.length)).toEqual([1, 1, 0]);
    for (const nodeId of THREE) expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
  });

  it.each([301, 302, 307, 308])(
    '%i, which is no answer: the client is not led past the tracker',
    async (status) => {
      const { api } = await stage.tracker();
      const head = await stage.head((response) =>
        response.writeHead(status, { location: 'http://127.0.0.1:1/v1/chat/completions' }).end(),
      );
      const nodeId = await join(api, head, 'head');

      const reply = await api.chat(aChat(asked));

      expect(reply.status).toBe(502);
      expect(reply.headers.location).toBeUndefined();
      expect(errorOf(reply).type).toBe('server_error');
      expect(await standingOf(api, nodeId)).toEqual(BLAMED);
    },
  );

  it.each([
    [429, 'with its own JSON', SAID],
    [503, 'with its own JSON', SAID],
    [503, 'with a page', PAGE],
  ])('%i %s and says when to come back, which reaches the client', async (status, _what, body) => {
    const { api } = await stage.tracker();
    const when = { 'retry-after': '17', 'retry-after-ms': '17000', 'x-should-retry': 'true' };
    const head = await stage.head((response) => response.writeHead(status, when).end(body));
    const nodeId = await join(api, head, 'head');

    const reply = await api.chat(aChat(asked));

    expect(reply.status).toBe(status);
    expect(reply.headers).toMatchObject(when);
    expect((await api.callOf(reply)).outcome).toBe('busy');
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
  });

  it.each([
    ['a message', '{"error":{"message":"Loading model","type":"unavailable_error","code":503}}'],
    ['a page', '<p>The model is loading.</p>'],
  ])('503 and says in %s that it loads its model, which is not held against it', async (_what, body) => {
    const { api } = await stage.tracker();
    const nodeId = await join(api, await stage.head((response) => response.writeHead(503).end(body)), 'head');

    const reply = await api.chat(aChat(asked));

    expect(reply.status).toBe(503);
    expect((await api.callOf(reply)).outcome).toBe('busy');
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
  });

  it('and of all that were asked the client gets the one that says most', async () => {
    const { api } = await stage.tracker();
    const answers = [
      [500, '{"error":{"message":"first"}}'],
      [429, '{"error":{"message":"second"}}'],
      [500, '{"error":{"message":"third"}}'],
    ] as const;
    for (const [at, [status, body]] of answers.entries()) {
      const head = await stage.head((response) =>
        response.writeHead(status, { 'retry-after': String(10 + at) }).end(body),
      );
      await join(api, head, `head${String(at)}`, { throughput_tps: 100 - at });
    }

    const reply = await api.chat(aChat(asked));

    expect(reply).toMatchObject({
      status: 429,
      text: answers[1][1],
      headers: { 'retry-after': '11', 'x-meshnet-attempts': '3' },
    });
    expect((await api.callOf(reply)).attempts.map(({ status }) => status)).toEqual([500, 429, 500]);
  });
});
