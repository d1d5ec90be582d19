import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FakeHead } from '../../support/fake-head.js';
import { errorOf, jsonOf, send, type Outgoing } from '../../support/http-client.js';
import { Stage } from '../../support/stage.js';
import type { TrackerApi } from '../../support/tracker-api.js';
import { aChat, join, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const GOOD = JSON.stringify(aChat());
const BOM = '\ufeff';
const JSON_TYPE = { 'content-type': 'application/json' };

const stage = new Stage();
let api: TrackerApi;
let head: FakeHead;
let nodeId: string;
let leaseId: string;
beforeAll(async () => {
  ({ api } = await stage.tracker({ env: { MESHNET_MAX_BODY_BYTES: '4096' } }));
  head = await stage.head();
  nodeId = await join(api, head, 'head');
  const other = await api.register({ wallet: 'other', endpoint: 'http://127.0.0.1:1', model: 'other' });
  leaseId = other.lease_id;
});
afterAll(() => stage.end());

const BODIES: [string, Outgoing][] = [
  ['JSON that breaks off', { body: '{"model":' }],
  ['a list', { body: '[]' }],
  ['a text', { body: '"x"' }],
  ['a number', { body: '7' }],
  ['null', { body: 'null' }],
  ['nothing', { body: '' }],
  ['blanks', { body: '  \r\n' }],
  ['good JSON as text/plain', { body: GOOD, headers: { 'content-type': 'text/plain' } }],
  ['good JSON as a form', { body: GOOD, headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
  ['a byte order mark before good JSON', { body: BOM + GOOD }],
  ['two objects', { body: GOOD + GOOD }],
  ['a trailing comma', { body: '{"model":"m",}' }],
  ['single quotes', { body: "{'model':'m'}" }],
  ['NaN', { body: '{"model":"m","temperature":NaN}' }],
  ['bytes that are no text', { body: Buffer.from([0xff, 0xfe, 0x00, 0x7b]) }],
  ['UTF-16', { body: Buffer.from(GOOD, 'utf16le') }],
  ['a deep nest', { body: '['.repeat(4000) }],
  ['no body, said to be JSON', { headers: JSON_TYPE }],
  ['an empty chunked body', { chunks: [] }],
];

describe.each(['/v1/chat/completions', '/v1/completions', '/v1/chat/completions/'])(
  'B35 a malformed body reaches %s',
  (path) => {
    it.each(BODIES)('and is the client’s error in OpenAI’s shape: %s', async (_what, outgoing) => {
      const reply = await send(api.url + path, { method: 'POST', ...outgoing });

      expect(reply.status).toBe(400);
      expect(reply.headers['content-type']).toMatch(/^application\/json/);
      expect(Object.keys(jsonOf(reply) as object)).toEqual(['error']);
      const error = errorOf(reply);
      expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code']);
      expect(error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_request' });
      expect(reply.headers['x-request-id']).toMatch(/./);
    });

    it.each<[string, string | null, Outgoing]>([
      ['stream', 'stream', { body: { model: 'm', stream: 'yes' } }],
      ['model', 'model', { body: { model: { id: 'm' } } }],
      ['stream_options', 'stream_options', { body: { model: 'm', stream: true, stream_options: [] } }],
      ['route', 'route', { body: { model: 'm', route: 'head:all' } }],
      ['model given twice', 'model', { body: '{"model":"x","model":"m"}' }],
    ])('and is told which field is wrong: %s', async (_what, param, outgoing) => {
      const reply = await send(api.url + path, { method: 'POST', ...outgoing });

      expect(reply.status).toBe(400);
      expect(errorOf(reply)).toMatchObject({ type: 'invalid_request_error', param });
    });

    it.each<[string, number, Outgoing]>([
      ['too long by its own account', 413, { body: { ...aChat(), pad: 'x'.repeat(5000) } }],
      ['too long, as it turns out', 413, { chunks: Array<string>(50).fill('x'.repeat(100)) }],
      ['packed', 415, { body: GOOD, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } }],
      [
        'in Latin 1',
        415,
        { body: GOOD, headers: { 'content-type': 'application/json; charset=iso-8859-1' } },
      ],
    ])('and is refused as %s', async (_what, status, outgoing) => {
      const reply = await send(api.url + path, { method: 'POST', ...outgoing });

      expect(reply.status).toBe(status);
      expect(errorOf(reply)).toMatchObject({ type: 'invalid_request_error', param: null });
    });

    it('and a method that is none of chats is told so', async () => {
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
        const reply = await send(api.url + path, { method });
        expect(reply.status).toBe(405);
        expect(reply.headers.allow).toBe('POST');
        expect(errorOf(reply).type).toBe('invalid_request_error');
      }
    });
  },
);

describe('B35 after all these', () => {
  it('no head has heard of any, nothing is under way, and a good chat is served', async () => {
    expect(head.chats).toEqual([]);
    expect(await api.calls()).toEqual([]);
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
    expect((await api.chat(GOOD, { headers: { 'content-type': 'application/vnd.api+json' } })).status).toBe(
      200,
    );
  });
});

describe('B35 a malformed body reaches the nodes’ API', () => {
  it.each(BODIES.filter(([what]) => what !== 'an empty chunked body' && !what.startsWith('no body')))(
    'and is a 400 for a registration: %s',
    async (_what, outgoing) => {
      const before = await api.nodes();
      const reply = await send(`${api.url}/v1/nodes`, { method: 'POST', ...outgoing });

      expect(reply.status).toBe(400);
      expect(errorOf(reply).type).toBe('invalid_request_error');
      expect(reply.text).not.toContain('statusCode');
      expect((await api.nodes()).length).toBe(before.length);
    },
  );

  it.each([
    ['JSON that breaks off', '{"queue_depth":'],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['a wrong type', { queue_depth: '3' }],
  ])('and is a 400 for a heartbeat: %s', async (_what, body) => {
    const reply = await api.ask('PUT', `/v1/leases/${leaseId}`, body);

    expect(reply.status).toBe(400);
    expect(errorOf(reply).type).toBe('invalid_request_error');
    expect(reply.text).not.toContain('statusCode');
  });

  it('and paths that are none get a 404 in the same shape', async () => {
    for (const path of ['/v1/nothing', '/v1/chat', '/v1/models/none', '/v1/calls/none', '/nothing']) {
      const reply = await api.get(path);
      expect(reply.status).toBe(404);
      expect(errorOf(reply).type).toBe('invalid_request_error');
    }
  });
});
