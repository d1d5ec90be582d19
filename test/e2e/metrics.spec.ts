import { afterEach, describe, expect, it } from '@jest/globals';
import { ChatCallsService } from '../../src/chat-proxy/chat-calls.service.js';
import { ClientAnswer } from '../../src/chat-proxy/relay/client-answer.js';
import { parseChatRequest } from '../../src/chat-proxy/request/chat-request.js';
import { ModelNotFoundError, SystemClock } from '../../src/kernel/index.js';
import { RoutingTableService } from '../../src/routing/index.js';
import { eventually } from '../support/eventually.js';
import { Exposition } from '../support/exposition.js';
import { FakeResponse } from '../support/fake-response.js';
import { errorOf } from '../support/http-client.js';
import { sendChat, sendJson, TEN } from '../support/openai-answers.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aChat, join, MODEL } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

/** All series but the event loop's quantiles: those are not there for a moment after each scrape. */
function lastingIn({ series }: Exposition): string[] {
  return series
    .filter(({ labels }) => labels.quantile === undefined)
    .map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);
}

async function scrape({ api }: StagedTracker): Promise<Exposition> {
  const { status, text } = await api.get('/metrics');
  expect(status).toBe(200);
  return new Exposition(text);
}

/** A tracker with one good head. */
async function aTracker(): Promise<StagedTracker> {
  const tracker = await stage.tracker();
  await join(tracker.api, await stage.head(), 'good');
  return tracker;
}

describe('GET /metrics', () => {
  it('is text as Prometheus reads it, and has headers alone for HEAD', async () => {
    const tracker = await aTracker();
    const { headers, text } = await tracker.api.get('/metrics');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text.endsWith('\n')).toBe(true);
    const head = await tracker.api.ask('HEAD', '/metrics');
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      200,
      '',
      headers['content-type'],
    ]);
  });

  it('has every name of the contract, with its type', async () => {
    const tracker = await aTracker();
    expect((await scrape(tracker)).types).toMatchObject({
      meshnet_requests_total: 'counter',
      meshnet_turned_away_total: 'counter',
      meshnet_request_duration_seconds: 'histogram',
      meshnet_time_to_first_token_seconds: 'histogram',
      meshnet_inter_token_seconds: 'histogram',
      meshnet_queue_wait_seconds: 'histogram',
      meshnet_tokens_total: 'counter',
      meshnet_in_flight: 'gauge',
      meshnet_queued: 'gauge',
      meshnet_attempts_total: 'counter',
      meshnet_samples_total: 'counter',
      meshnet_route_learned_tokens_per_second: 'gauge',
      meshnet_route_traffic_share: 'gauge',
      meshnet_epoch: 'gauge',
      meshnet_nodes: 'gauge',
      meshnet_breaker_state: 'gauge',
      meshnet_model_gap_layers: 'gauge',
      meshnet_scout_seconds_total: 'counter',
      meshnet_event_loop_lag_seconds: 'summary',
      meshnet_build_info: 'gauge',
      process_cpu_seconds_total: 'counter',
      process_resident_memory_bytes: 'gauge',
      process_start_time_seconds: 'gauge',
      process_open_fds: 'gauge',
    });
  });

  it('counts what calls did: streams, answers in one piece, retries, chats that got no route', async () => {
    const tracker = await aTracker();
    const failing = await stage.head((response) => sendJson(response, 500, { error: { message: 'down' } }));
    await join(tracker.api, failing, 'failing', { throughput_tps: 1000 });
    for (const stream of [true, false, true]) await tracker.api.chat(aChat({ stream }));
    await tracker.api.chat({ model: 'nobody-has-this' });
    const shown = await scrape(tracker);
    expect(shown.sum('meshnet_requests_total', { model: MODEL, outcome: 'completed' })).toBe(3);
    expect(shown.sum('meshnet_attempts_total', { model: MODEL, outcome: 'completed' })).toBe(3);
    expect(shown.sum('meshnet_attempts_total', { model: MODEL, outcome: 'failed' })).toBeGreaterThan(0);
    expect(shown.value('meshnet_tokens_total', { model: MODEL, kind: 'completion' })).toBe(3 * TEN.length);
    expect(shown.value('meshnet_time_to_first_token_seconds_count', { prompt_size: '<256' })).toBe(2);
    expect(shown.value('meshnet_inter_token_seconds_count', { model: MODEL })).toBe(2 * (TEN.length - 1));
    expect(shown.value('meshnet_turned_away_total', { code: 'model_not_found' })).toBe(1);
    expect(shown.text).not.toContain('nobody-has-this');
  });

  it('counts chats under way, and those that wait', async () => {
    const tracker = await stage.tracker();
    const silent = await stage.head(() => undefined);
    await join(tracker.api, silent, 'silent', { max_concurrent: 1 });
    const chats = [1, 2, 3].map(() => tracker.api.startChat(aChat()));
    await eventually(async () => {
      const shown = await scrape(tracker);
      expect(shown.value('meshnet_in_flight', { model: MODEL })).toBe(3);
      expect(shown.value('meshnet_queued')).toBe(2);
    });
    for (const chat of chats) chat.destroy();
    await eventually(async () => {
      const shown = await scrape(tracker);
      expect(shown.value('meshnet_in_flight', { model: MODEL })).toBe(0);
      expect(shown.value('meshnet_queue_wait_seconds_count', { model: MODEL })).toBe(2);
      expect(shown.sum('meshnet_requests_total', { outcome: 'client_left' })).toBe(3);
    });
  });

  it('keeps two trackers of one process apart', async () => {
    const [busy, idle] = [await aTracker(), await aTracker()];
    await busy.api.chat(aChat());
    expect((await scrape(busy)).sum('meshnet_requests_total')).toBe(1);
    expect((await scrape(idle)).sum('meshnet_requests_total')).toBe(0);
  });

  it('holds no prompt, no answer, no key and no endpoint', async () => {
    const tracker = await stage.tracker();
    const head = await stage.head((response, chat) => sendChat(response, chat, ['a secret answer']));
    await join(tracker.api, head, 'w');
    const headers = { authorization: 'Bearer sk-a-secret-key' };
    await tracker.api.chat(aChat({ user: 'a secret user' }), { headers });
    const { text } = await scrape(tracker);
    expect(text).not.toMatch(/secret|Which way|127\.0\.0\.1/);
    expect(text).not.toContain(String(head.port));
  });

  it("answers 500 in OpenAI's shape when it can't be collected, and recovers", async () => {
    const tracker = await aTracker();
    const tables = tracker.app.get(RoutingTableService);
    const collected = tables.tables.bind(tables);
    tables.tables = () => {
      throw new Error('out of order');
    };
    const failed = await tracker.api.get('/metrics');
    expect([failed.status, errorOf(failed).code]).toEqual([500, 'internal_error']);
    tables.tables = collected;
    await scrape(tracker);
  });
});

describe('the series', () => {
  const ABUSIVE_NAMES = 50_000;
  const OVER_SOCKETS = 500;

  it(`are the same after ${String(ABUSIVE_NAMES)} chats with names of models that nobody knows`, async () => {
    const tracker = await aTracker();
    const chats = tracker.app.get(ChatCallsService);
    const clock = new SystemClock();
    /** As the lane hands it on: the sockets of so many would measure this machine, not the tracker. */
    const ask = async (name: string): Promise<void> => {
      const client = new ClientAnswer(new FakeResponse(), clock);
      const request = parseChatRequest(Buffer.from(JSON.stringify({ model: name, messages: [] })));
      const chat: Parameters<typeof chats.serve>[0] = {
        requestId: name,
        path: '/v1/chat/completions',
        headers: {},
        request,
        forwarded: null,
        keyName: null,
        client,
        passage: { tracker: 'meshnet-x', leadingBack: new Set(), hops: 0 },
      };
      const fault = await new Promise((resolve) => chats.serve(chat, resolve));
      expect(fault).toBeInstanceOf(ModelNotFoundError);
    };
    await ask('the-first');
    const before = await scrape(tracker);
    for (let n = 0; n < ABUSIVE_NAMES; n += 1) await ask(`abuse-${String(n)}`);
    const after = await scrape(tracker);
    expect(lastingIn(after)).toEqual(lastingIn(before));
    expect(after.value('meshnet_turned_away_total', { code: 'model_not_found' })).toBe(ABUSIVE_NAMES + 1);
  }, 180_000);

  it(`are the same after ${String(OVER_SOCKETS)} such chats over sockets, however broken`, async () => {
    const tracker = await aTracker();
    const bodies = (n: number): (string | object)[] => [
      { model: `abuse-${String(n)}` },
      { model: `abuse-${String(n)}`, stream: true, route: [`n${String(n)}:all`] },
      { model: n },
      `{"model":"abuse-${String(n)}"`,
      { model: MODEL, route: [`n${String(n)}:all`] },
    ];
    const ask = async (n: number): Promise<void> => {
      for (const body of bodies(n)) expect((await tracker.api.chat(body)).status).toBeGreaterThan(399);
    };
    await ask(0);
    const before = await scrape(tracker);
    for (let n = 1; n * 5 <= OVER_SOCKETS; n += 1) await ask(n);
    const after = await scrape(tracker);
    expect(lastingIn(after)).toEqual(lastingIn(before));
    expect(after.sum('meshnet_turned_away_total')).toBe(OVER_SOCKETS + 5);
    expect(after.text).not.toContain('abuse');
  });
});
