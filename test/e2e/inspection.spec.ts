import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startTracker } from '../../src/bootstrap.js';
import { ReadinessService } from '../../src/probes/index.js';
import { eventually } from '../support/eventually.js';
import { jsonOf, open } from '../support/http-client.js';
import {
  DONE,
  sendChat,
  sendJson,
  sendStream,
  SSE_HEADERS,
  TEN,
  textChunk,
  wholeChat,
  finishChunk,
} from '../support/openai-answers.js';
import { SilentLogger } from '../support/silent-logger.js';
import { settingsOf, Stage, type StagedTracker } from '../support/stage.js';
import { TrackerApi } from '../support/tracker-api.js';

const MODEL = 'Qwen/Qwen3.6-35B-A3B';
const stage = new Stage();
afterEach(() => stage.end());

/** GPU 0-21 in front of CPU 0-39; whatever heads answers well. */
async function mixedMesh(env: Readonly<Record<string, string>> = {}): Promise<StagedTracker> {
  const tracker = await stage.tracker({ env });
  for (const [name, shard_end, throughput_tps] of [
    ['gpu', 21, 90],
    ['cpu', 39, 12],
  ] as const) {
    const { url } = await stage.head();
    await tracker.api.register({
      ...{ wallet: 'w', name, endpoint: url, model: MODEL, num_layers: 40 },
      ...{ shard_start: 0, shard_end, throughput_tps },
    });
  }
  return tracker;
}

describe('what is polled', () => {
  it.each(['/v1/routing', '/v1/nodes', '/v1/calls', '/metrics'])(
    '%s is not hashed for an ETag',
    async (path) => {
      const { status, headers } = await (await mixedMesh()).api.get(path);
      expect([status, headers.etag]).toEqual([200, undefined]);
    },
  );
});

describe('GET /v1/routing', () => {
  it('has exactly the shape of the contract', async () => {
    const tracker = await mixedMesh({ MESHNET_ROUTE_EXPLORE_SHARE: '0.25' });
    await tracker.api.chat({ model: MODEL, route: ['w.cpu:0-39'] });
    const table = jsonOf(await tracker.api.get('/v1/routing')) as Record<string, unknown>;
    const row = {
      coefficient: expect.any(Number),
      traffic_share: 0.75,
      sample_count: 1,
      weight: expect.closeTo(1, 2),
      prior_tps: 12,
      in_flight: 0,
      last_sample_seconds_ago: expect.any(Number),
      tps: expect.any(Number),
    };
    expect(table).toEqual({
      object: 'routing_table',
      config: {
        policy: 'proportional',
        enumeration: 'greedy',
        explore_share: 0.25,
        weight_alpha: 1,
        stats_half_life_seconds: 600,
        min_sample_tokens: 8,
        max_candidates: 8,
      },
      models: [
        {
          model: MODEL,
          epoch: 2,
          num_layers: 40,
          gaps: [],
          candidates_left_out: 0,
          candidates: expect.arrayContaining([
            {
              ...row,
              signature: `${MODEL}|w.cpu:0-39[0-39]`,
              hops: [{ node_id: 'w.cpu:0-39', start_layer: 0, end_layer: 39 }],
              status: 'proven',
              coefficient: 1,
            },
            {
              ...row,
              signature: `${MODEL}|w.gpu:0-21[0-21]->w.cpu:0-39[22-39]`,
              hops: [
                { node_id: 'w.gpu:0-21', start_layer: 0, end_layer: 21 },
                { node_id: 'w.cpu:0-39', start_layer: 22, end_layer: 39 },
              ],
              status: 'unsampled',
              tps: null,
              coefficient: null,
              traffic_share: 0.25,
              sample_count: 0,
              weight: 0,
              last_sample_seconds_ago: null,
            },
          ]),
        },
      ],
    });
    expect((table.models as [{ candidates: unknown[] }])[0].candidates).toHaveLength(2);
  });

  it('has shares that sum to 1 at every stage of learning', async () => {
    const tracker = await mixedMesh();
    const sum = async (): Promise<number> =>
      (await tracker.api.routing(MODEL)).candidates.reduce((total, row) => total + row.traffic_share, 0);
    expect(await sum()).toBeCloseTo(1, 12);
    for (const route of [['w.cpu:0-39'], ['w.gpu:0-21', 'w.cpu:0-39'], ['w.cpu:0-39']]) {
      await tracker.api.chat({ model: MODEL, route });
      expect(await sum()).toBeCloseTo(1, 12);
    }
    const { candidates } = await tracker.api.routing(MODEL);
    expect(candidates.map(({ status }) => status)).toEqual(['proven', 'proven']);
  });

  it('tells the layers that nobody serves', async () => {
    const tracker = await mixedMesh();
    await tracker.api.ask('DELETE', '/v1/nodes/w.cpu:0-39');
    expect(await tracker.api.routing(MODEL)).toMatchObject({
      epoch: 3,
      gaps: [{ start_layer: 22, end_layer: 39 }],
      candidates: [],
    });
  });
});

describe('GET /v1/nodes', () => {
  it('shows what is known of each node, and neither a lease nor a key', async () => {
    const tracker = await stage.tracker();
    const head = await stage.head();
    const { lease_id } = await tracker.api.register({
      ...{ wallet: 'w', name: 'a.b', endpoint: `${head.url}/vllm/v1/`, model: MODEL, num_layers: 4 },
      ...{ shard_start: 0, shard_end: 3, throughput_tps: 12.5, queue_depth: 2, max_concurrent: 8 },
    });
    await tracker.api.chat({ model: MODEL });
    const reply = await tracker.api.get(`/v1/nodes?model=${encodeURIComponent(MODEL)}`);
    expect(jsonOf(reply)).toEqual({
      object: 'list',
      data: [
        {
          node_id: 'w.a.b:0-3',
          wallet: 'w',
          name: 'a.b',
          endpoint: `${head.url}/vllm`,
          model: MODEL,
          upstream_model: null,
          shard_start: 0,
          shard_end: 3,
          source: 'registered',
          status: 'ready',
          probe: null,
          throughput_tps: 12.5,
          speed_factor: null,
          speed_sigma: null,
          speed_suspect: false,
          queue_depth: 2,
          max_concurrent: 8,
          in_flight: 0,
          reputation: 1,
          breaker: 'closed',
          resting_seconds: null,
          last_seen_seconds_ago: expect.any(Number),
        },
      ],
    });
    expect(reply.text).not.toContain(lease_id);
    expect(jsonOf(await tracker.api.get('/v1/nodes?model=other'))).toEqual({ object: 'list', data: [] });
  });
});

describe('GET /v1/calls', () => {
  it('tells all that the contract promises of a call', async () => {
    const tracker = await mixedMesh();
    const reply = await tracker.api.chat(
      { model: MODEL, stream: true, route: ['w.gpu:0-21', 'w.cpu:0-39'] },
      { headers: { 'x-request-id': 'call/1' } },
    );
    expect(reply.status).toBe(200);
    const signature = `${MODEL}|w.gpu:0-21[0-21]->w.cpu:0-39[22-39]`;
    expect(await tracker.api.call('call/1')).toEqual({
      request_id: 'call/1',
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      model: MODEL,
      key_name: null,
      stream: true,
      routing: { mode: 'pinned', signature, probability: 1 },
      attempts: [
        {
          ...{ signature, mode: 'pinned', probability: 1, outcome: 'completed', status: 200 },
          ...{ ms: expect.any(Number), failed_node_id: null, cause: null, reason: null },
          ...{ candidates: [], candidates_not_kept: 0 },
        },
      ],
      outcome: 'completed',
      cause: null,
      prompt_tokens: 5,
      completion_tokens: 10,
      tokens_estimated: false,
      tps: expect.any(Number),
      queued_ms: 0,
      ttft_ms: expect.any(Number),
      total_ms: expect.any(Number),
      sample: 'recorded',
      work_units: [
        { node_id: 'w.gpu:0-21', start_layer: 0, end_layer: 21, work_units: 220 },
        { node_id: 'w.cpu:0-39', start_layer: 22, end_layer: 39, work_units: 180 },
      ],
    });
  });

  it('counts work units that add up to tokens times layers on any route', async () => {
    const tracker = await mixedMesh();
    for (const route of [['w.cpu:0-39'], ['w.gpu:0-21', 'w.cpu:0-39']]) {
      const record = await tracker.api.callOf(await tracker.api.chat({ model: MODEL, route }));
      const units = record.work_units.reduce((sum, { work_units }) => sum + work_units, 0);
      expect(units).toBe(Number(record.completion_tokens) * 40);
    }
  });

  it('lists the newest first, by model and up to a limit', async () => {
    const tracker = await stage.tracker();
    const head = await stage.head();
    for (const model of ['a', 'b']) await tracker.api.register({ wallet: 'w', endpoint: head.url, model });
    for (const [id, model] of [
      ['1', 'a'],
      ['2', 'b'],
      ['3', 'a'],
    ] as const) {
      await tracker.api.chat({ model }, { headers: { 'x-request-id': id } });
    }
    const ids = async (query: string): Promise<string[]> =>
      (await tracker.api.calls(query)).map(({ request_id }) => request_id);
    expect(await ids('')).toEqual(['3', '2', '1']);
    expect(await ids('?model=a')).toEqual(['3', '1']);
    expect(await ids('?limit=2')).toEqual(['3', '2']);
    expect(await ids('?model=a&limit=1&open=false')).toEqual(['3']);
    expect(await ids('?model=nobody')).toEqual([]);
    expect(await ids('?open=true')).toEqual([]);
  });

  it('shows open calls with their age and what they are doing', async () => {
    const tracker = await stage.tracker();
    let finish = (): void => undefined;
    let speak = (): void => undefined;
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).flushHeaders();
      speak = () => response.write(textChunk('x'));
      finish = () => response.end(finishChunk() + DONE);
    });
    await tracker.api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
    const opening = tracker.api.openChat({ model: 'm', stream: true }, { headers: { 'x-request-id': 'o' } });
    const phase = async (expected: string): Promise<void> =>
      eventually(async () => {
        expect(await tracker.api.calls('?open=true')).toMatchObject([
          { request_id: 'o', outcome: null, total_ms: null, sample: null, phase: expected },
        ]);
      });
    await phase('prefill');
    await eventually(() => expect(head.chats).toHaveLength(1));
    speak();
    await phase('streaming');
    const record = await tracker.api.call('o');
    expect(record.age_ms).toBeGreaterThanOrEqual(Number(record.ttft_ms));
    finish();
    await (await opening).rest();
    expect(await tracker.api.calls('?open=true')).toEqual([]);
    expect(await tracker.api.call('o')).not.toHaveProperty('phase');
  });

  it('remembers the newest thousand', async () => {
    const tracker = await stage.tracker();
    const head = await stage.head((response) => sendJson(response, 200, wholeChat()));
    await tracker.api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
    for (let from = 0; from < 1010; from += 101) {
      await Promise.all(
        Array.from({ length: 101 }, (_, at) =>
          tracker.api.chat({ model: 'm' }, { headers: { 'x-request-id': `n-${String(from + at)}` } }),
        ),
      );
    }
    expect(await tracker.api.calls('?limit=1000')).toHaveLength(1000);
    expect((await tracker.api.get('/v1/calls/n-1009')).status).toBe(200);
    const forgotten = await Promise.all(
      Array.from(
        { length: 101 },
        async (_, at) => (await tracker.api.get(`/v1/calls/n-${String(at)}`)).status,
      ),
    );
    expect(forgotten.filter((status) => status === 404)).toHaveLength(10);
  });
});

describe('GET /v1/events', () => {
  it('tells what happens, in its order, and ends when the tracker stops', async () => {
    const tracker = await stage.tracker();
    const watching = await open(`${tracker.url}/v1/events`, {});
    expect(watching.headers['content-type']).toMatch(/^text\/event-stream/);
    const head = await stage.head();
    await tracker.api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
    await tracker.api.chat({ model: 'm' }, { headers: { 'x-request-id': 'told' } });
    await tracker.api.ask('DELETE', '/v1/nodes/w:all');
    await watching.until('"cause":"deleted","at":');
    await tracker.stop();
    const { text, isWhole } = await watching.rest();
    expect(isWhole).toBe(true);
    const events = [...text.matchAll(/^id: (\d+)\nevent: (\S+)\ndata: (.*)\n\n/gm)].map(
      ([, id, type, data]) => ({
        id: Number(id),
        type,
        fact: JSON.parse(String(data)) as Record<string, unknown>,
      }),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'node.joined',
      'epoch.bumped',
      'route.selected',
      'call.finished',
      'node.left',
      'epoch.bumped',
    ]);
    expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(events.map(({ fact }) => fact)).toMatchObject([
      { model: 'm', node_id: 'w:all', shard_start: null, cause: 'registered' },
      { model: 'm', epoch: 1, node_id: 'w:all', cause: 'registered' },
      {
        ...{ request_id: 'told', model: 'm', attempt: 1 },
        routing: { mode: 'scout', signature: 'm|w:all[0-0]', probability: 1 },
      },
      { request_id: 'told', call: { outcome: 'completed', completion_tokens: 10 } },
      { node_id: 'w:all', cause: 'deleted' },
      { epoch: 2, cause: 'deleted' },
    ]);
  });

  it('stops telling a watcher that has left', async () => {
    const tracker = await stage.tracker();
    const leaver = await open(`${tracker.url}/v1/events`, {});
    await leaver.until('watching');
    leaver.leave();
    const stayer = await open(`${tracker.url}/v1/events`, {});
    await tracker.api.register({ wallet: 'w', endpoint: 'http://127.0.0.1:9', model: 'm' });
    await stayer.until('epoch.bumped');
    stayer.leave();
  });
});

describe('the probes', () => {
  it('say that the tracker lives, and is ready once every listed server was asked', async () => {
    let answerProbe: (() => void) | null = null;
    const slow = await stage.head((response) => {
      answerProbe = () => sendJson(response, 200, { object: 'list', data: [{ id: 'listed' }] });
    });
    const tracker = await startTracker(settingsOf({}, ['--node', slow.url]));
    stage.atEnd(() => tracker.stop());
    const api = new TrackerApi(tracker.url);
    const state = async (): Promise<unknown> => {
      const reply = await api.get('/readyz');
      return [reply.status, jsonOf(reply)];
    };
    expect(await state()).toEqual([503, { status: 'starting' }]);
    expect(jsonOf(await api.get('/healthz'))).toEqual({ status: 'alive' });
    expect((await api.get('/healthz')).status).toBe(200);
    const answer = await eventually(() => {
      expect(answerProbe).not.toBeNull();
      return answerProbe!;
    });
    answer();
    await tracker.ready;
    expect(await state()).toEqual([200, { status: 'ready' }]);
    expect((await api.get('/v1/models/listed')).status).toBe(200);
  });

  it('say ready without any node, and when the listed servers are all down', async () => {
    const tracker = await stage.tracker({
      argv: ['--node', await stage.refusingUrl()],
    });
    expect((await tracker.api.get('/readyz')).status).toBe(200);
    expect(await tracker.api.nodes()).toEqual([]);
  });

  it('say draining while the last chats end, and new chats are refused then', async () => {
    const tracker = await stage.tracker({ env: { MESHNET_DRAIN_SECONDS: '20' } });
    let finish = (): void => undefined;
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('x'));
      finish = () => response.end(finishChunk() + DONE);
    });
    await tracker.api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
    const body = '{"model":"m","stream":true}';
    const post = (length: number): string =>
      `POST /v1/chat/completions HTTP/1.1\r\nhost: t\r\ncontent-type: application/json\r\ncontent-length: ${String(length)}\r\n\r\n`;
    // One connection that is busy when the tracker begins to stop, and goes on asking.
    const accepted = once(tracker.app.getHttpServer(), 'connection');
    const socket = connect(tracker.port, '127.0.0.1');
    let said = '';
    socket.on('data', (part: Buffer) => (said += part.toString()));
    socket.write(post(body.length) + body);
    await eventually(() => expect(said).toContain('"content":"x"'));
    const stopping = tracker.stop();
    expect(tracker.app.get(ReadinessService).state).toBe('draining');
    const [theirs] = (await accepted) as [Socket];
    const { bytesRead } = theirs;
    const more = `GET /readyz HTTP/1.1\r\nhost: t\r\n\r\n${post(body.length)}${body}`;
    socket.write(more);
    await eventually(() => expect(theirs.bytesRead).toBe(bytesRead + more.length));
    finish();
    await eventually(() => expect(said).toContain('shutting_down'));
    await stopping;
    expect(said).toContain('[DONE]');
    expect(said).toContain('HTTP/1.1 503 Service Unavailable');
    expect(said).toContain('{"status":"draining"}');
    expect(head.chats).toHaveLength(1);
  });
});

describe('secrets and prompts', () => {
  it('stand in no answer, no list, no event and no log', async () => {
    const logger = new SilentLogger();
    const tracker = await stage.tracker({
      env: { MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.3' },
      parts: { logger },
    });
    const { api } = tracker;
    const seen: string[] = [];
    const watching = await open(`${tracker.url}/v1/events`, {});
    await watching.until('watching');
    const enter = async (model: string, url: string): Promise<void> => {
      const { lease_id } = await api.register({ wallet: model, endpoint: url, model });
      leases.push(lease_id);
    };
    const leases: string[] = [];
    await enter('good', (await stage.head()).url);
    await enter('streams', (await stage.head((response) => sendStream(response, TEN))).url);
    await enter(
      'refuses',
      (await stage.head((response) => sendJson(response, 401, { error: { message: 'no' } }))).url,
    );
    await enter('hangs', (await stage.head(() => undefined)).url);
    await enter('dead', await stage.refusingUrl());
    for (const endpoint of ['http://h/?key=CANARY-QUERY', 'http://user:CANARY-PASSWORD@h/']) {
      seen.push((await api.ask('POST', '/v1/nodes', { wallet: 'w', model: 'm', endpoint })).text);
    }
    const headers = { authorization: 'Bearer sk-CANARY-CLIENT', cookie: 'c=CANARY-COOKIE' };
    const body = { messages: [{ role: 'user', content: 'CANARY-PROMPT' }], prompt: 'CANARY-PROMPT' };
    for (const model of ['good', 'streams', 'refuses', 'hangs', 'dead', 'unknown']) {
      const reply = await api.chat({ model, stream: model === 'streams', ...body }, { headers });
      seen.push(JSON.stringify(reply.headers), reply.text);
    }
    seen.push((await api.chat('{"model":"good","prompt":"CANARY-PROMPT"', { headers })).text);
    seen.push((await api.chat({ model: 'good', stream: 'CANARY-PROMPT', ...body }, { headers })).text);
    const newest = (await api.calls()).map(({ request_id }) => `/v1/calls/${request_id}`);
    const past = ['/v1/routing/history?model=good', '/v1/incidents', '/v1/timeline', ...newest];
    for (const path of ['/v1/routing', '/v1/nodes', '/v1/calls', '/v1/models', '/readyz', ...past]) {
      seen.push((await api.get(path)).text);
    }
    await tracker.stop();
    seen.push((await watching.rest()).text);
    seen.push(JSON.stringify(logger.lines));
    // Nothing is found because nothing is there, not because nothing was looked at.
    expect(logger.of('call.finished').length).toBeGreaterThanOrEqual(5);
    expect(seen.join('\n')).toContain('"request_id"');
    expect(seen.filter((text) => text.includes('CANARY'))).toEqual([]);
    for (const lease of leases) expect(seen.filter((text) => text.includes(lease))).toEqual([]);
  });

  it('of a listed node reach that node alone', async () => {
    const logger = new SilentLogger();
    const home = mkdtempSync(join(tmpdir(), 'nodes-'));
    stage.atEnd(() => rmSync(home, { recursive: true }));
    const probes: unknown[] = [];
    const head = await stage.head((response, chat) => {
      if (chat.method === 'POST') {
        sendChat(response, chat);
      } else {
        probes.push(chat.headers.authorization);
        sendJson(response, 200, { object: 'list', data: [{ id: 'm' }] });
      }
    });
    const file = join(home, 'nodes.json');
    writeFileSync(
      file,
      JSON.stringify([{ url: head.url, api_key_env: 'NODE_KEY', headers: { 'X-Team': 'CANARY-H' } }]),
    );
    const tracker = await stage.tracker({
      env: { MESHNET_NODES_FILE: file },
      parts: { logger },
      lookup: (name) => (name === 'NODE_KEY' ? 'CANARY-KEY' : undefined),
    });
    const reply = await tracker.api.chat(
      { model: 'm' },
      { headers: { authorization: 'Bearer of-the-client' } },
    );
    expect(reply.status).toBe(200);
    expect(head.last.headers).toMatchObject({ authorization: 'Bearer CANARY-KEY', 'x-team': 'CANARY-H' });
    expect(probes).toEqual(['Bearer CANARY-KEY']);
    const shown = await Promise.all(
      ['/v1/nodes', '/v1/routing', '/v1/calls', '/v1/models'].map((path) => tracker.api.get(path)),
    );
    const seen = [reply, ...shown].map(({ headers, text }) => JSON.stringify(headers) + text);
    expect([...seen, JSON.stringify(logger.lines)].filter((text) => text.includes('CANARY'))).toEqual([]);
  });
});
