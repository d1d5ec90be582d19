import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { errorOf, jsonOf, open, type Reply } from '../../support/http-client.js';
import { sendJson } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import type { TrackerApi } from '../../support/tracker-api.js';

const stage = new Stage();
afterEach(() => stage.end());

let api: TrackerApi;
beforeEach(async () => {
  ({ api } = await stage.tracker());
});

const PROPERTIES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];
const MARKUP = [
  '<img src=x onerror=alert(1)>',
  `'"><script>alert(1)</script>`,
  '</script><!--',
  '&lt;b&gt;',
  '${7*7}{{7*7}}',
];
const ENDLESS = 'x'.repeat(10_000);

function expectJson(reply: Reply, status: number): void {
  expect(reply.status).toBe(status);
  expect(reply.headers['content-type']).toMatch(/^application\/json\b/);
}

/** Its node, its routes and its calls are found by the name alone, and answers repeat it as it is. */
async function expectPlain(wallet: string, model: string): Promise<void> {
  const head = await stage.head();
  const registered = await api.register({ wallet, endpoint: head.url, model });
  const nodeId = `${wallet}:all`;
  expect(registered.node_id).toBe(nodeId);
  const query = `?model=${encodeURIComponent(model)}`;
  const nodes = await api.get(`/v1/nodes${query}`);
  expectJson(nodes, 200);
  expect(jsonOf(nodes)).toMatchObject({ data: [{ node_id: nodeId, wallet, model, reputation: 1 }] });
  for (const more of [{}, { route: [nodeId] }, { stream: true }]) {
    const reply = await api.chat({ model, ...more });
    expect(reply.status).toBe(200);
    expect(await api.callOf(reply)).toMatchObject({ model, outcome: 'completed', sample: 'recorded' });
    expect(String(reply.headers['x-meshnet-route'])).toMatch(/^[\x20-\x7e]+$/);
  }
  expect(head.lastBody.model).toBe(model);
  expect(await api.candidate(model, nodeId)).toMatchObject({
    signature: `${model}|${nodeId}[0-0]`,
    status: 'proven',
    sample_count: 3,
  });
  const card = await api.get(`/v1/models/${encodeURIComponent(model)}`);
  expectJson(card, 200);
  expect(jsonOf(card)).toMatchObject({ id: model });
  expect((await api.calls(query)).map((call) => call.model)).toEqual([model, model, model]);
  const path = `/v1/nodes/${encodeURIComponent(nodeId)}`;
  expectJson(await api.ask('POST', `${path}/drain`), 200);
  expectJson(await api.chat({ model }), 503);
  expectJson(await api.ask('POST', `${path}/resume`), 200);
  expect((await api.ask('DELETE', path)).status).toBe(204);
  expect(await api.nodes()).toEqual([]);
}

describe('B79: the name of what every object has', () => {
  it.each(PROPERTIES)('is a name like any other: %s', async (name) => {
    await expectPlain(name, name);
  });

  it.each(PROPERTIES)('is not found where nobody has it: %s', async (name) => {
    await api.register({ wallet: 'w', endpoint: 'http://w.test', model: 'm' });
    for (const path of [`/v1/routing?model=${name}`, `/v1/models/${name}`, `/v1/calls/${name}`]) {
      expectJson(await api.get(path), 404);
    }
    expectJson(await api.chat({ model: name }), 404);
    expectJson(await api.ask('PUT', `/v1/leases/${name}`, {}), 404);
    expectJson(await api.ask('POST', `/v1/nodes/${name}/drain`), 404);
    expectJson(await api.chat({ model: 'm', route: [name] }), 400);
    expect(jsonOf(await api.get(`/v1/nodes?model=${name}`))).toEqual({ object: 'list', data: [] });
    expect((await api.ask('DELETE', `/v1/nodes/${name}`)).status).toBe(204);
    expect(await api.nodes()).toHaveLength(1);
  });

  it.each(PROPERTIES)('as a field adds nothing to anything: %s', async (name) => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const field = `${JSON.stringify(name)}:{"draining":true,"polluted":true}`;
    const registration = `{${field},"wallet":"w","endpoint":"http://w.test","model":"m"}`;
    const reply = await api.ask('POST', '/v1/nodes', registration);
    expectJson(reply, 201);
    const { lease_id } = jsonOf(reply) as { lease_id: string };
    expectJson(await api.ask('PUT', `/v1/leases/${lease_id}`, `{${field},"queue_depth":2}`), 200);
    expect(await api.node('w:all')).toMatchObject({ status: 'ready', queue_depth: 2 });
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    expect('polluted' in {}).toBe(false);
  });

  it.each(PROPERTIES)('blames nobody else when a head names it: %s', async (name) => {
    const head = await stage.head((response) => {
      sendJson(response, 502, { error: { message: 'lost', code: 'hop_failed', node_id: name } });
    });
    await api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
    expectJson(await api.chat({ model: 'm' }), 502);
    expect((await api.node('w:all')).reputation).toBeLessThan(1);
  });
});

describe('B79: markup', () => {
  it.each(MARKUP)('in a model is text, wherever it is shown: %s', async (model) => {
    const events = await open(`${api.url}/v1/events`, {});
    await events.until('watching');
    await expectPlain('w', model);
    const stream = await events.until('node.left');
    events.leave();
    const facts = stream.split('\n').filter((line) => line.startsWith('data: '));
    expect(facts.length).toBeGreaterThan(3);
    for (const fact of facts) expect(JSON.parse(fact.slice(6))).toMatchObject({ model });
  });

  it.each(MARKUP)('in a wallet or a name is refused, and not repeated: %s', async (text) => {
    for (const field of ['wallet', 'name']) {
      const body = { wallet: 'w', endpoint: 'http://w.test', model: 'm', [field]: text };
      const reply = await api.ask('POST', '/v1/nodes', body);
      expectJson(reply, 400);
      expect(errorOf(reply).param).toBe(field);
      expect(reply.text).not.toContain(text);
    }
    expect(await api.nodes()).toEqual([]);
  });

  it('of a head reaches the client as JSON, or not at all', async () => {
    const [page] = MARKUP;
    const head = await stage.head((response, { body }) => {
      if (body.includes('"json":true')) sendJson(response, 400, { error: { message: page } });
      else response.writeHead(400, { 'content-type': 'text/html' }).end(page);
    });
    await api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
    const told = await api.chat({ model: 'm', json: true });
    expectJson(told, 400);
    expect(errorOf(told).message).toBe(page);
    const wrapped = await api.chat({ model: 'm' });
    expectJson(wrapped, 400);
    expect(wrapped.text).not.toContain(page);
  });
});

describe('B79: an id of ten thousand characters', () => {
  it.each(['wallet', 'name', 'model', 'upstream_model'])('is refused as a %s', async (field) => {
    const body = { wallet: 'w', endpoint: 'http://w.test', model: 'm', [field]: ENDLESS };
    const reply = await api.ask('POST', '/v1/nodes', body);
    expectJson(reply, 400);
    expect(errorOf(reply).param).toBe(field);
    expect(reply.text.length).toBeLessThan(1_000);
  });

  it('is not found, and not repeated', async () => {
    await api.register({ wallet: 'w', endpoint: 'http://w.test', model: 'm' });
    const replies: readonly (readonly [number, Reply])[] = [
      [400, await api.chat({ model: ENDLESS })],
      [400, await api.chat({ model: 'm', route: [ENDLESS] })],
      [404, await api.get(`/v1/routing?model=${ENDLESS}`)],
      [404, await api.get(`/v1/calls/${ENDLESS}`)],
      [404, await api.get(`/v1/models/${ENDLESS}`)],
      [404, await api.ask('PUT', `/v1/leases/${ENDLESS}`, {})],
      [404, await api.ask('POST', `/v1/nodes/${ENDLESS}/drain`)],
    ];
    for (const [status, reply] of replies) {
      expectJson(reply, status);
      expect(reply.text.length).toBeLessThan(1_000);
    }
    expect((await api.ask('DELETE', `/v1/nodes/${ENDLESS}`)).status).toBe(204);
  });

  it('of a request is replaced by one of ours', async () => {
    const head = await stage.head();
    await api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
    const reply = await api.chat({ model: 'm' }, { headers: { 'x-request-id': ENDLESS } });
    expect(reply.status).toBe(200);
    expect(String(reply.headers['x-request-id']).length).toBeLessThan(64);
  });
});
