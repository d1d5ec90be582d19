import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { IncidentRow, RouteHistory, TimelineEntry } from '../../src/history/index.js';
import { eventually } from '../support/eventually.js';
import { errorOf, jsonOf, open } from '../support/http-client.js';
import { sendJson, wholeChat } from '../support/openai-answers.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aChat, join, MODEL, received } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

async function historyOf(tracker: StagedTracker, query: string): Promise<RouteHistory[]> {
  const reply = await tracker.api.get(`/v1/routing/history?${query}`);
  return (jsonOf(reply) as { routes: RouteHistory[] }).routes;
}

async function incidentsOf(tracker: StagedTracker, query = ''): Promise<IncidentRow[]> {
  return (jsonOf(await tracker.api.get(`/v1/incidents${query}`)) as { data: IncidentRow[] }).data;
}

async function timelineOf(tracker: StagedTracker, query = ''): Promise<TimelineEntry[]> {
  return (jsonOf(await tracker.api.get(`/v1/timeline${query}`)) as { data: TimelineEntry[] }).data;
}

describe('GET /v1/routing/history', () => {
  it('tells the speeds of each sampled route, the newest sampled first', async () => {
    const tracker = await stage.tracker();
    for (const wallet of ['a', 'b', 'unused']) await join(tracker.api, await stage.head(), wallet);
    for (const wallet of ['a', 'b', 'b']) {
      await tracker.api.chat(aChat({ route: [`${wallet}:all`] }));
    }
    const reply = await tracker.api.get(`/v1/routing/history?model=${MODEL}`);
    const point = { at: expect.any(Number), tps: expect.any(Number), learned_tps: expect.any(Number) };
    const [a, b] = ['a', 'b'].map((wallet) => `${MODEL}|${wallet}:all[0-0]`);
    const answer = jsonOf(reply) as { routes: RouteHistory[] };
    expect(answer).toMatchObject({ object: 'routing_history', model: MODEL, bucket_seconds: 60 });
    expect(answer.routes.map(({ signature }) => signature)).toEqual([b, a]);
    // A minute may end between two chats.
    for (const { points } of answer.routes) {
      for (const each of points) {
        expect(each).toEqual({ ...point, samples: expect.any(Number) });
        expect(each.at % 60).toBe(0);
        expect(Math.abs(each.at - Date.now() / 1000)).toBeLessThan(180);
      }
    }
    const samples = answer.routes.map(({ points }) => points.reduce((sum, each) => sum + each.samples, 0));
    expect(samples).toEqual([2, 1]);
    const last = answer.routes[0]?.points.at(-1)?.learned_tps;
    expect((await tracker.api.candidate(MODEL, 'b:all')).tps).toBeCloseTo(last!, 9);
  });

  it('tells one route alone where its signature is given', async () => {
    const tracker = await stage.tracker();
    for (const wallet of ['a', 'b']) {
      await join(tracker.api, await stage.head(), wallet);
      await tracker.api.chat(aChat({ route: [`${wallet}:all`] }));
    }
    const signature = `${MODEL}|a:all[0-0]`;
    const one = await historyOf(tracker, `model=${MODEL}&signature=${encodeURIComponent(signature)}`);
    expect(one.map((route) => route.signature)).toEqual([signature]);
    expect(await historyOf(tracker, `model=${MODEL}&signature=nothing`)).toEqual([]);
  });
});

describe('GET /v1/incidents', () => {
  it('tells how calls went, and which node failed them why, though another served', async () => {
    const tracker = await stage.tracker();
    const bad = await stage.head((response) => sendJson(response, 500, { error: { message: 'no' } }));
    await join(tracker.api, bad, 'bad', { throughput_tps: 90 });
    await join(tracker.api, await stage.head(), 'good', { throughput_tps: 10 });
    await tracker.api.chat(aChat({ stream: true }));
    await tracker.api.chat(aChat({ route: ['bad:all'] }));
    await tracker.api.register({ wallet: 'w', endpoint: 'http://127.0.0.1:9', model: 'gone' });
    await tracker.api.ask('DELETE', '/v1/nodes/w:all');
    expect((await tracker.api.chat({ model: 'gone' })).status).toBe(503);
    expect((await tracker.api.chat({ model: 'unheard-of' })).status).toBe(404);
    const reply = await tracker.api.get('/v1/incidents');
    expect(jsonOf(reply)).toEqual({
      object: 'list',
      window_seconds: 300,
      data: [
        {
          ...{ model: MODEL, waiting: 0 },
          now: {
            ...{ calls: 2, succeeded: 1, success_ratio: 0.5 },
            ...{ p95_ttft_ms: expect.any(Number), queued: 0 },
          },
          hour_ago: { calls: 0, succeeded: 0, success_ratio: null, p95_ttft_ms: null, queued: 0 },
          failures: [{ node_id: 'bad:all', cause: 'node_failed', count: 2 }],
        },
        {
          ...{ model: 'gone', waiting: 0 },
          now: { calls: 1, succeeded: 0, success_ratio: 0, p95_ttft_ms: null, queued: 0 },
          hour_ago: { calls: 0, succeeded: 0, success_ratio: null, p95_ttft_ms: null, queued: 0 },
          failures: [{ node_id: null, cause: 'no_route', count: 1 }],
        },
      ],
    });
    expect((await incidentsOf(tracker, '?model=gone')).map(({ model }) => model)).toEqual(['gone']);
  });

  it('tell who waits, and who waited in vain', async () => {
    const tracker = await stage.tracker({ env: { MESHNET_QUEUE_LENGTH: '1' } });
    const answers: (() => void)[] = [];
    const head = await stage.head((response) => {
      answers.push(() => sendJson(response, 200, wholeChat()));
    });
    await join(tracker.api, head, 'w', { max_concurrent: 1 });
    const first = tracker.api.chat(aChat());
    await received(head);
    const second = tracker.api.chat(aChat());
    await eventually(async () => expect(await incidentsOf(tracker)).toMatchObject([{ waiting: 1 }]));
    expect((await tracker.api.chat(aChat())).status).toBe(429);
    answers[0]?.();
    await received(head, 2);
    answers[1]?.();
    await Promise.all([first, second]);
    expect(await incidentsOf(tracker)).toMatchObject([
      {
        waiting: 0,
        now: { calls: 3, succeeded: 2, queued: 1 },
        failures: [{ node_id: null, cause: 'queue_full', count: 1 }],
      },
    ]);
  });
});

describe('GET /v1/timeline', () => {
  it('tells epochs, breakers and reads of the nodes file, as the event stream does', async () => {
    const home = mkdtempSync(pathOf(tmpdir(), 'nodes-'));
    stage.atEnd(() => rmSync(home, { recursive: true }));
    const file = pathOf(home, 'nodes.json');
    writeFileSync(file, '{"nodes": []}');
    const tracker = await stage.tracker({ env: { MESHNET_NODES_FILE: file } });
    const watching = await open(`${tracker.url}/v1/events`, {});
    await watching.until('watching');
    const bad = await stage.head((response) => sendJson(response, 500, { error: { message: 'no' } }));
    await join(tracker.api, bad, 'bad');
    await join(tracker.api, await stage.head(), 'good');
    for (let n = 0; n < 3; n += 1) await tracker.api.chat(aChat({ route: ['bad:all'] }));
    await tracker.reload();
    writeFileSync(file, '{"nodes": [1, 2]}');
    await tracker.reload();
    const epoch = { type: 'epoch.bumped', model: MODEL, cause: 'registered', at: expect.any(Number) };
    const all = await timelineOf(tracker);
    expect(all).toEqual([
      { type: 'nodes_file.refused', faults: 2, at: expect.any(Number) },
      { type: 'nodes_file.read', entries: 0, at: expect.any(Number) },
      {
        ...{ type: 'breaker.changed', model: MODEL, node_id: 'bad:all', from: 'closed', to: 'open' },
        at: expect.any(Number),
      },
      { ...epoch, epoch: 2, node_id: 'good:all' },
      { ...epoch, epoch: 1, node_id: 'bad:all' },
    ]);
    expect(await timelineOf(tracker, '?limit=2')).toEqual(all.slice(0, 2));
    expect(await timelineOf(tracker, '?model=another')).toEqual(all.slice(0, 2));
    expect(await timelineOf(tracker, `?model=${MODEL}&limit=1000`)).toEqual(all);
    const events = await watching.until('event: nodes_file.refused');
    watching.leave();
    for (const type of ['nodes_file.read', 'breaker.changed']) expect(events).toContain(`event: ${type}\n`);
  });
});

describe('a question that has no answer', () => {
  it.each([
    ['/v1/routing/history', 400, 'invalid_request', 'model'],
    ['/v1/routing/history?model=nobody', 404, 'model_not_found', 'model'],
    ['/v1/routing/history?model=a&model=b', 400, 'invalid_request', 'model'],
    [`/v1/routing/history?model=${MODEL}&signature=a&signature=b`, 400, 'invalid_request', 'signature'],
    ['/v1/incidents?model=nobody', 404, 'model_not_found', 'model'],
    ['/v1/incidents?model=a&model=b', 400, 'invalid_request', 'model'],
    ['/v1/timeline?model=a&model=b', 400, 'invalid_request', 'model'],
    ['/v1/timeline?limit=0', 400, 'invalid_request', 'limit'],
    ['/v1/timeline?limit=1001', 400, 'invalid_request', 'limit'],
    ['/v1/timeline?limit=1e2', 400, 'invalid_request', 'limit'],
    ['/v1/timeline?limit=', 400, 'invalid_request', 'limit'],
    ['/v1/timeline?limit=1&limit=2', 400, 'invalid_request', 'limit'],
  ])('%s gets %s %s', async (path, status, code, param) => {
    const tracker = await stage.tracker();
    await tracker.api.register({ wallet: 'w', endpoint: 'http://127.0.0.1:9', model: MODEL });
    const reply = await tracker.api.get(path);
    expect(reply.status).toBe(status);
    expect(errorOf(reply)).toMatchObject({ code, param, type: 'invalid_request_error' });
  });
});
