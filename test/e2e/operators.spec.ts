import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { FakeHead } from '../support/fake-head.js';
import { errorOf, jsonOf, send, type Outgoing, type Reply } from '../support/http-client.js';
import { DONE, sendChat, sendJson, SSE_HEADERS, textChunk, finishChunk } from '../support/openai-answers.js';
import { SilentLogger } from '../support/silent-logger.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import type { Registered, TrackerApi } from '../support/tracker-api.js';

const stage = new Stage();
afterEach(() => stage.end());

const MODEL = 'm';
const ENDPOINT = 'http://127.0.0.1:9';

describe('a node over HTTP', () => {
  let tracker: StagedTracker;
  let api: TrackerApi;
  beforeEach(async () => {
    tracker = await stage.tracker({ env: { MESHNET_NODE_LEASE_SECONDS: '60' } });
    api = tracker.api;
  });

  function register(more: object = {}): Promise<Reply> {
    return api.ask('POST', '/v1/nodes', { wallet: 'w', endpoint: ENDPOINT, model: MODEL, ...more });
  }

  it('gets 201 when it is new and 200 when it is known, with all it has to know', async () => {
    const first = await register({ num_layers: 4, shard_start: 0, shard_end: 3 });
    expect(first.status).toBe(201);
    expect(jsonOf(first)).toEqual({
      node_id: 'w:0-3',
      lease_id: expect.any(String),
      epoch: 1,
      heartbeat_seconds: 20,
      expires_in_seconds: 60,
    });
    const again = await register({ num_layers: 4, shard_start: 0, shard_end: 3 });
    expect(again.status).toBe(200);
    expect(jsonOf(again)).toMatchObject({ node_id: 'w:0-3', epoch: 1 });
    expect((jsonOf(again) as Registered).lease_id).not.toBe((jsonOf(first) as Registered).lease_id);
    expect(await api.nodes()).toHaveLength(1);
  });

  it('gets 409 for another number of layers, naming the field, and the known one stays', async () => {
    await register({ num_layers: 4, shard_start: 0, shard_end: 3 });
    const reply = await register({ wallet: 'other', num_layers: 5 });
    expect([reply.status, errorOf(reply).param, errorOf(reply).code]).toEqual([
      409,
      'num_layers',
      'conflict',
    ]);
    expect((await api.routing(MODEL)).num_layers).toBe(4);
  });

  it('renews its lease by heartbeat, and says how busy it is', async () => {
    const { lease_id } = jsonOf(await register()) as Registered;
    const beat = await api.ask('PUT', `/v1/leases/${lease_id}`, { queue_depth: 3, throughput_tps: 7.5 });
    expect([beat.status, jsonOf(beat)]).toEqual([
      200,
      { node_id: 'w:all', epoch: 1, expires_in_seconds: 60 },
    ]);
    expect(await api.node('w:all')).toMatchObject({ queue_depth: 3, throughput_tps: 7.5 });
    expect((await api.ask('PUT', `/v1/leases/${lease_id}`, {})).status).toBe(200);
    expect(await api.node('w:all')).toMatchObject({ queue_depth: 3, throughput_tps: 7.5 });
  });

  it.each(['{}', '{"queue_depth":2}', '{"queue_depth":-1,"status":"x"}', '{"queue', '[]'])(
    'gets one answer to a heartbeat, whichever way the tracker takes it: %s',
    async (text) => {
      const { lease_id } = jsonOf(await register()) as Registered;
      const told = async (path: string, outgoing: Outgoing): Promise<unknown> => {
        const headers = { 'content-type': 'application/json', ...outgoing.headers };
        const reply = await send(tracker.url + path, { method: 'PUT', ...outgoing, headers });
        return [reply.status, reply.headers['content-type'], jsonOf(reply)];
      };
      const path = `/v1/leases/${lease_id}`;
      const plain = await told(path, { body: text });
      expect(await told(path, { chunks: [text] })).toEqual(plain);
      expect(await told(`${path}/`, { body: text })).toEqual(plain);
      const headers = { 'content-encoding': 'gzip' };
      expect(await told(path, { headers, body: gzipSync(text) })).toEqual(plain);
    },
  );

  it('is told lease_unknown when its lease was replaced, given back or never was', async () => {
    const { lease_id: replaced } = jsonOf(await register()) as Registered;
    const { lease_id: returned } = jsonOf(await register()) as Registered;
    const unknown = async (lease: string): Promise<unknown> => {
      const reply = await api.ask('PUT', `/v1/leases/${lease}`, { queue_depth: 1 });
      return [reply.status, errorOf(reply).code];
    };
    expect(await unknown(replaced)).toEqual([404, 'lease_unknown']);
    const goodbye = await api.ask('DELETE', `/v1/leases/${returned}`);
    expect([goodbye.status, goodbye.text]).toEqual([204, '']);
    expect(await unknown(returned)).toEqual([404, 'lease_unknown']);
    expect(await unknown('never')).toEqual([404, 'lease_unknown']);
    for (const lease of [replaced, returned, 'never']) {
      expect((await api.ask('DELETE', `/v1/leases/${lease}`)).status).toBe(204);
    }
    expect(await api.nodes()).toEqual([]);
  });

  it('takes no chats while it says draining, and does when it says ready', async () => {
    const head = await stage.head();
    const { lease_id } = jsonOf(await register({ endpoint: head.url })) as Registered;
    const say = (status: string): Promise<Reply> => api.ask('PUT', `/v1/leases/${lease_id}`, { status });
    await say('draining');
    expect(await api.node('w:all')).toMatchObject({ status: 'draining' });
    expect((await api.chat({ model: MODEL })).status).toBe(503);
    await say('ready');
    expect((await api.chat({ model: MODEL })).status).toBe(200);
  });

  it('takes its endpoint over from a sharded predecessor, whose routes vanish', async () => {
    await register({ wallet: 'old', model: 'a', num_layers: 4, shard_start: 0, shard_end: 3 });
    await register({ wallet: 'new', model: 'b', num_layers: 8, shard_start: 0, shard_end: 7 });
    expect((await api.nodes()).map(({ node_id }) => node_id)).toEqual(['new:0-7']);
    expect((await api.chat({ model: 'a' })).status).toBe(503);
  });
});

describe('an operator', () => {
  let tracker: StagedTracker;
  let api: TrackerApi;
  let head: FakeHead;
  beforeEach(async () => {
    tracker = await stage.tracker();
    api = tracker.api;
    head = await stage.head();
    await api.register({
      ...{ wallet: 'w', name: 'rack-1.gpu.0', endpoint: head.url, model: MODEL },
      ...{ num_layers: 4, shard_start: 0, shard_end: 3 },
    });
  });
  const ID = 'w.rack-1.gpu.0:0-3';

  it.each([ID, encodeURIComponent(ID)])(
    'drains and resumes a node by its id, raw or encoded: %s',
    async (id) => {
      const drained = await api.ask('POST', `/v1/nodes/${id}/drain`);
      expect([drained.status, jsonOf(drained)]).toMatchObject([200, { node_id: ID, status: 'draining' }]);
      const refused = await api.chat({ model: MODEL });
      expect([refused.status, errorOf(refused).code]).toEqual([503, 'no_route']);
      expect(errorOf(refused).message).toContain('0-3');
      expect(errorOf(refused).message).toContain(ID);
      const resumed = await api.ask('POST', `/v1/nodes/${id}/resume`);
      expect([resumed.status, jsonOf(resumed)]).toMatchObject([200, { status: 'ready' }]);
      expect((await api.chat({ model: MODEL })).status).toBe(200);
      expect((await api.routing(MODEL)).epoch).toBe(3);
    },
  );

  it('drains a node without cutting the chats it has', async () => {
    let finish = (): void => undefined;
    head.answer((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('x'));
      finish = () => response.end(finishChunk() + DONE);
    });
    const chat = await api.openChat({ model: MODEL, stream: true });
    await chat.until('x');
    await api.ask('POST', `/v1/nodes/${ID}/drain`);
    finish();
    expect((await chat.rest()).text).toContain('[DONE]');
  });

  it.each(['DELETE', 'POST'])('deletes or drains a node amid a chat, which goes on: %s', async (method) => {
    let finish = (): void => undefined;
    head.answer((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('x'));
      finish = () => response.end(finishChunk() + DONE);
    });
    const chat = await api.openChat({ model: MODEL, stream: true });
    await chat.until('x');
    await api.ask(method, method === 'POST' ? `/v1/nodes/${ID}/drain` : `/v1/nodes/${ID}`);
    finish();
    const reply = await chat.rest();
    expect([reply.isWhole, reply.text.endsWith(DONE)]).toEqual([true, true]);
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'completed' });
  });

  it('deletes a node, again and again', async () => {
    for (let n = 0; n < 2; n += 1) {
      const reply = await api.ask('DELETE', `/v1/nodes/${ID}`);
      expect([reply.status, reply.text]).toEqual([204, '']);
    }
    expect(await api.nodes()).toEqual([]);
    expect((await api.routing(MODEL)).epoch).toBe(2);
  });

  it('is told 404 of a node that is not here', async () => {
    for (const act of ['drain', 'resume']) {
      const reply = await api.ask('POST', `/v1/nodes/w.nobody:0-3/${act}`);
      expect([reply.status, errorOf(reply).code, errorOf(reply).param]).toEqual([
        404,
        'node_not_found',
        'node_id',
      ]);
    }
  });

  it('has to say the model where an id is that of several nodes', async () => {
    for (const model of ['a/1', 'b']) await api.register({ wallet: 'both', endpoint: ENDPOINT, model });
    for (const [method, path] of [
      ['POST', '/v1/nodes/both:all/drain'],
      ['POST', '/v1/nodes/both:all/resume'],
      ['DELETE', '/v1/nodes/both:all'],
    ] as const) {
      const reply = await api.ask(method, path);
      expect([reply.status, errorOf(reply).code, errorOf(reply).param]).toEqual([409, 'conflict', 'model']);
    }
    expect(
      (await api.ask('POST', `/v1/nodes/both:all/drain?model=${encodeURIComponent('a/1')}`)).status,
    ).toBe(200);
    expect((await api.ask('DELETE', '/v1/nodes/both:all?model=b')).status).toBe(204);
    const left = (await api.nodes()).filter(({ wallet }) => wallet === 'both');
    expect(left).toMatchObject([{ model: 'a/1', status: 'draining' }]);
  });
});

describe('servers that cannot register', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'nodes-'));
    stage.atEnd(() => rmSync(home, { recursive: true }));
  });

  /** A plain server: it lists these models, and answers chats for them. */
  async function plainServer(models: () => readonly string[]): Promise<FakeHead> {
    return stage.head((response, chat) => {
      if (chat.method === 'POST') sendChat(response, chat);
      else sendJson(response, 200, { object: 'list', data: models().map((id) => ({ id, object: 'model' })) });
    });
  }

  function writeFile(content: unknown): string {
    const path = join(home, 'nodes.json');
    // As editors and config maps do: never half-written.
    writeFileSync(`${path}.new`, JSON.stringify(content));
    renameSync(`${path}.new`, path);
    return path;
  }

  const idsOf = async ({ api }: StagedTracker): Promise<string[]> =>
    (await api.nodes()).map(({ node_id, model }) => `${node_id} ${model}`).sort();

  it('join by --node with all their models, and serve chats', async () => {
    const one = await plainServer(() => ['llama3:8b', 'org/qwen']);
    const other = await plainServer(() => ['phi']);
    const tracker = await stage.tracker({ argv: ['--node', `${one.url}/v1/`, '--node', other.url] });
    const ids = [
      `local.127.0.0.1-${String(one.port)}:all`,
      `local.127.0.0.1-${String(other.port)}:all`,
    ] as const;
    expect(await idsOf(tracker)).toEqual(
      [`${ids[0]} llama3:8b`, `${ids[0]} org/qwen`, `${ids[1]} phi`].sort(),
    );
    for (const model of ['llama3:8b', 'org/qwen', 'phi']) {
      expect((await tracker.api.chat({ model })).status).toBe(200);
    }
    expect([one.chats.length, other.chats.length]).toEqual([2, 1]);
    expect((await tracker.api.nodes()).map(({ source }) => source)).toEqual(['flag', 'flag', 'flag']);
  });

  it('come by a nodes file under the names it gives, and are called what they call themselves', async () => {
    const server = await plainServer(() => []);
    const file = writeFile({
      nodes: [
        {
          ...{ name: 'rack.1', wallet: 'ops', url: `${server.url}/vllm/v1` },
          models: ['plain', { id: 'shared', upstream_model: 'org/own-name' }],
          ...{ throughput_tps: 55, max_concurrent: 4, num_layers: 40 },
        },
      ],
    });
    const tracker = await stage.tracker({ env: { MESHNET_NODES_FILE: file } });
    expect(await tracker.api.nodes()).toMatchObject([
      {
        node_id: 'ops.rack.1:all',
        model: 'plain',
        upstream_model: null,
        throughput_tps: 55,
        max_concurrent: 4,
      },
      { node_id: 'ops.rack.1:all', model: 'shared', upstream_model: 'org/own-name', source: 'nodes_file' },
    ]);
    expect((await tracker.api.chat({ model: 'shared' })).status).toBe(200);
    expect([server.last.path, server.lastBody.model]).toEqual(['/vllm/v1/chat/completions', 'org/own-name']);
    expect((await tracker.api.routing('shared')).num_layers).toBe(40);
  });

  it('come and go with the file, while those that stay keep arms and epoch', async () => {
    const [stays, goes, comes] = [
      await plainServer(() => ['stays']),
      await plainServer(() => ['goes']),
      await plainServer(() => ['comes']),
    ];
    const entry = (name: string, { url }: FakeHead): object => ({ name, url });
    const env = { MESHNET_NODES_FILE: writeFile([entry('stays', stays), entry('goes', goes)]) };
    const tracker = await stage.tracker({ env });
    await tracker.api.chat({ model: 'stays' });
    writeFile([entry('stays', stays), entry('comes', comes)]);
    await tracker.reload();
    expect(await idsOf(tracker)).toEqual(['local.comes:all comes', 'local.stays:all stays']);
    expect((await tracker.api.chat({ model: 'goes' })).status).toBe(503);
    expect(await tracker.api.routing('stays')).toMatchObject({
      epoch: 1,
      candidates: [{ status: 'proven', sample_count: 1 }],
    });
  });

  it('are looked for again when the file changes, without being told', async () => {
    const server = await plainServer(() => ['listed']);
    const tracker = await stage.tracker({ env: { MESHNET_NODES_FILE: writeFile([]) } });
    expect(await idsOf(tracker)).toEqual([]);
    writeFile([{ name: 'new', url: server.url }]);
    await eventually(async () => expect(await idsOf(tracker)).toEqual(['local.new:all listed']), 10_000);
  });

  it('stay when the file goes bad, and the log says so by name and not by value', async () => {
    const server = await plainServer(() => ['listed']);
    const logger = new SilentLogger();
    const file = writeFile([{ name: 'n', url: server.url }]);
    const tracker = await stage.tracker({ env: { MESHNET_NODES_FILE: file }, parts: { logger } });
    writeFile([{ name: 'n', url: 'http://u:CANARY@h/' }]);
    await tracker.reload();
    expect(await idsOf(tracker)).toEqual(['local.n:all listed']);
    expect(logger.of('nodes_file.refused')).toHaveLength(1);
    expect(JSON.stringify(logger.lines)).toContain('nodes[0].url');
    expect(JSON.stringify(logger.lines)).not.toContain('CANARY');
  });

  it('leave a lease after they died, and come back by themselves', async () => {
    const server = await plainServer(() => ['listed']);
    const { port } = server;
    const tracker = await stage.tracker({
      env: { MESHNET_NODE_LEASE_SECONDS: '0.6' },
      argv: ['--node', server.url],
    });
    expect(await tracker.api.nodes()).toHaveLength(1);
    await server.end();
    await eventually(async () => expect(await tracker.api.nodes()).toEqual([]));
    expect((await tracker.api.chat({ model: 'listed' })).status).toBe(503);
    await server.start(port);
    await eventually(async () => expect((await tracker.api.chat({ model: 'listed' })).status).toBe(200));
  });

  it('lose a model that they no longer list, and win one that they do', async () => {
    let models = ['old', 'kept'];
    const server = await plainServer(() => models);
    const tracker = await stage.tracker({
      env: { MESHNET_NODE_LEASE_SECONDS: '0.6' },
      argv: ['--node', server.url],
    });
    models = ['kept', 'new'];
    const id = `local.127.0.0.1-${String(server.port)}:all`;
    await eventually(async () => expect(await idsOf(tracker)).toEqual([`${id} kept`, `${id} new`]));
    expect((await tracker.api.routing('kept')).epoch).toBe(1);
  });

  it('that were deleted by an operator stay away until the file is read again', async () => {
    const server = await plainServer(() => ['listed']);
    const tracker = await stage.tracker({
      env: {
        MESHNET_NODES_FILE: writeFile([{ name: 'n', url: server.url }]),
        MESHNET_NODE_LEASE_SECONDS: '0.3',
      },
    });
    await tracker.api.ask('DELETE', '/v1/nodes/local.n:all');
    let probes = 0;
    server.answer((response) => {
      probes += 1;
      sendJson(response, 200, { object: 'list', data: [{ id: 'listed' }] });
    });
    await eventually(() => expect(probes).toBeGreaterThan(2));
    expect(await tracker.api.nodes()).toEqual([]);
    await tracker.reload();
    await eventually(async () => expect(await idsOf(tracker)).toEqual(['local.n:all listed']));
  });
});
