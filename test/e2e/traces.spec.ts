import { afterEach, describe, expect, it } from '@jest/globals';
import { Collector, type CollectedSpan } from '../support/collector.js';
import { eventually } from '../support/eventually.js';
import { DONE, sendChat, sendJson, SSE_HEADERS, textChunk } from '../support/openai-answers.js';
import { SilentLogger } from '../support/silent-logger.js';
import { Stage, type StagedTracker, type TrackerOptions } from '../support/stage.js';
import { aChat, finishedCall, join, MODEL, received } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

const TRACE = 'c06cf338b963d2018308697ffe8feb5b';
const CLIENT_SPAN = '1d0c7e92af3b5846';
const KEPT = `00-${TRACE}-${CLIENT_SPAN}-01`;
const NOT_KEPT = `00-${TRACE}-${CLIENT_SPAN}-00`;

interface Traced {
  readonly tracker: StagedTracker;
  readonly collector: Collector;
}

async function traced(
  { env = {}, ...options }: TrackerOptions = {},
  status?: number | null,
): Promise<Traced> {
  const collector = await new Collector(status).start();
  stage.atEnd(() => collector.end());
  const tracker = await stage.tracker({
    ...options,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env },
  });
  return { tracker, collector };
}

/** Parts of a traceparent. */
function partsOf(header: unknown): { traceId: string; parentId: string; flags: string } {
  const [version, traceId = '', parentId = '', flags = ''] = String(header).split('-');
  expect(version).toBe('00');
  return { traceId, parentId, flags };
}

function within(inner: CollectedSpan, outer: CollectedSpan): void {
  expect(inner.startMs).toBeGreaterThanOrEqual(outer.startMs);
  expect(inner.endMs).toBeGreaterThanOrEqual(inner.startMs);
  expect(inner.endMs).toBeLessThanOrEqual(outer.endMs);
}

describe('with no collector', () => {
  it("a client's sound traceparent reaches the head as it is, with its tracestate", async () => {
    const tracker = await stage.tracker();
    const head = await stage.head();
    await join(tracker.api, head, 'w');
    const headers = { traceparent: KEPT, tracestate: 'a=1, b=2' };
    await tracker.api.chat(aChat(), { headers });
    expect(head.last.headers).toMatchObject(headers);
    await tracker.api.chat(aChat(), { headers: { traceparent: NOT_KEPT } });
    expect(head.last.headers).toMatchObject({ traceparent: NOT_KEPT });
    expect(head.last.headers).not.toHaveProperty('tracestate');
  });

  it.each([
    ['that is none', { traceparent: `00-${TRACE}-${'0'.repeat(16)}-01`, tracestate: 'a=1' }],
    ['that comes twice', { traceparent: [KEPT, KEPT], tracestate: 'a=1' }],
    ['that is missing', { tracestate: 'a=1' }],
  ])('one %s does not, nor its tracestate', async (_, headers) => {
    const tracker = await stage.tracker();
    const head = await stage.head();
    await join(tracker.api, head, 'w');
    expect((await tracker.api.chat(aChat(), { headers })).status).toBe(200);
    expect(head.last.headers).not.toHaveProperty('traceparent');
    expect(head.last.headers).not.toHaveProperty('tracestate');
  });
});

describe('a traced call', () => {
  it.each([
    ['JSON', false],
    ['a stream', true],
  ])('is three spans, one below the other, when it asks for %s', async (_, stream) => {
    const { tracker, collector } = await traced();
    const head = await stage.head();
    const nodeId = await join(tracker.api, head, 'w', { throughput_tps: 50 });
    const reply = await tracker.api.chat(aChat({ stream }), {
      headers: { traceparent: KEPT, tracestate: 'vendor=x', 'x-request-id': 'r-1' },
    });
    const record = await tracker.api.callOf(reply);
    await tracker.stop();
    const { call, decisions, attempts } = await collector.callOf('r-1');
    const [decision] = decisions as [CollectedSpan];
    const [attempt] = attempts as [CollectedSpan];
    expect(collector.spans).toHaveLength(3);
    for (const span of collector.spans) {
      expect(span).toMatchObject({ traceId: TRACE, state: 'vendor=x', isError: false });
      expect(span.resource).toMatchObject({ 'service.name': 'meshnet-tracker' });
    }
    expect(call).toMatchObject({ parentId: CLIENT_SPAN, kind: 'server', name: `chat ${MODEL}` });
    expect(call.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'meshnet',
      'gen_ai.request.model': MODEL,
      'gen_ai.request.stream': stream,
      'gen_ai.usage.input_tokens': 5,
      'gen_ai.usage.output_tokens': 10,
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'http.route': '/v1/chat/completions',
      'meshnet.request_id': 'r-1',
      'meshnet.outcome': 'completed',
      'meshnet.route': `${MODEL}|w:all[0-0]`,
      'meshnet.route.mode': 'scout',
      'meshnet.attempts': 1,
      'meshnet.queued_ms': 0,
      'meshnet.sample': 'recorded',
      'meshnet.tps': record.tps,
    });
    expect(call.attributes['meshnet.ttft_ms']).toBe(record.ttft_ms ?? undefined);
    expect(decision.name).toBe('choose route');
    expect(decision.attributes).toEqual({
      'meshnet.route': `${MODEL}|w:all[0-0]`,
      'meshnet.route.mode': 'scout',
      'meshnet.route.probability': 1,
      'meshnet.candidates': 1,
      'meshnet.candidates.left_out': 0,
      'meshnet.queued_ms': 0,
    });
    expect(attempt.name).toBe(`chat ${MODEL}`);
    expect(attempt.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'meshnet',
      'gen_ai.request.model': MODEL,
      'gen_ai.usage.input_tokens': 5,
      'gen_ai.usage.output_tokens': 10,
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': head.port,
      'meshnet.node_id': nodeId,
      'meshnet.route': `${MODEL}|w:all[0-0]`,
      'meshnet.route.mode': 'scout',
      'meshnet.attempt': 1,
      'meshnet.request_id': 'r-1',
      'meshnet.outcome': 'completed',
      'meshnet.sample': 'recorded',
      'meshnet.tps': record.tps,
    });
    within(decision, call);
    within(attempt, call);
    expect(attempt.startMs).toBeGreaterThanOrEqual(decision.endMs);
    // The node's own spans go below the attempt.
    expect(head.last.headers).toMatchObject({
      traceparent: `00-${TRACE}-${attempt.spanId}-01`,
      tracestate: 'vendor=x',
    });
  });

  it('begins a trace of its own where the client has none, or none that is sound', async () => {
    const { tracker, collector } = await traced();
    const head = await stage.head();
    await join(tracker.api, head, 'w');
    await tracker.api.chat(aChat(), { headers: { 'x-request-id': 'none' } });
    await tracker.api.chat(aChat(), {
      headers: { traceparent: 'none', tracestate: 'a=1', 'x-request-id': 'unsound' },
    });
    await tracker.stop();
    const traces = new Set<string>();
    for (const [at, requestId] of ['none', 'unsound'].entries()) {
      const { headers } = head.chats[at]!;
      const { traceId, parentId, flags } = partsOf(headers.traceparent);
      expect(headers).not.toHaveProperty('tracestate');
      expect(flags).toBe('01');
      const { call, attempts } = await collector.callOf(requestId);
      expect(call).toMatchObject({ traceId, parentId: null, state: null });
      expect(attempts[0]!.spanId).toBe(parentId);
      traces.add(traceId);
    }
    expect(traces.size).toBe(2);
  });

  it('says what a text completion is, and keeps the flag of a random id', async () => {
    const { tracker, collector } = await traced({ env: { OTEL_SERVICE_NAME: 'mesh-7' } });
    const head = await stage.head();
    await join(tracker.api, head, 'w');
    await tracker.api.chat(
      { model: MODEL, prompt: 'x' },
      {
        path: '/v1/completions',
        headers: { traceparent: `00-${TRACE}-${CLIENT_SPAN}-03`, 'x-request-id': 'text' },
      },
    );
    await tracker.stop();
    const { call } = await collector.callOf('text');
    expect(call.name).toBe(`text_completion ${MODEL}`);
    expect(call.attributes['gen_ai.operation.name']).toBe('text_completion');
    expect(call.resource['service.name']).toBe('mesh-7');
    expect(partsOf(head.last.headers.traceparent).flags).toBe('03');
  });

  it('has an attempt and a decision for each route that was tried, and says why the first failed', async () => {
    const { tracker, collector } = await traced();
    const [bad, good] = [
      await stage.head((response) => sendJson(response, 500, { error: { message: 'x' } })),
      await stage.head(),
    ];
    const badId = await join(tracker.api, bad, 'bad', { throughput_tps: 100 });
    await join(tracker.api, good, 'good', { throughput_tps: 10 });
    await tracker.api.chat(aChat(), { headers: { 'x-request-id': 'twice' } });
    await tracker.stop();
    const { call, decisions, attempts } = await collector.callOf('twice');
    expect(call).toMatchObject({ isError: false });
    expect(call.attributes).toMatchObject({
      'meshnet.outcome': 'completed',
      'meshnet.attempts': 2,
      'meshnet.route': `${MODEL}|good:all[0-0]`,
    });
    expect(decisions.map(({ attributes }) => attributes['meshnet.candidates'])).toEqual([2, 1]);
    expect(attempts).toMatchObject([
      {
        isError: true,
        attributes: {
          'error.type': '500',
          'http.response.status_code': 500,
          'meshnet.attempt': 1,
          'meshnet.node_id': badId,
          'meshnet.outcome': 'failed',
          'meshnet.sample': 'failed',
        },
      },
      { isError: false, attributes: { 'meshnet.attempt': 2, 'http.response.status_code': 200 } },
    ]);
    expect(decisions[1]!.startMs).toBeGreaterThanOrEqual(attempts[0]!.endMs);
    const parents = [bad, good].map(({ last }) => partsOf(last.headers.traceparent).parentId);
    expect(parents).toEqual(attempts.map(({ spanId }) => spanId));
  });

  it('that fails on its last route is an error, with what the client was told', async () => {
    const { tracker, collector } = await traced();
    const endpoint = await stage.refusingUrl();
    await tracker.api.register({ wallet: 'w', endpoint, model: MODEL });
    const reply = await tracker.api.chat(aChat(), { headers: { 'x-request-id': 'lost' } });
    expect(reply.status).toBe(502);
    await tracker.stop();
    const { call, attempts } = await collector.callOf('lost');
    const error = { 'error.type': 'node_unreachable', 'meshnet.outcome': 'failed' };
    expect(call).toMatchObject({ isError: true, attributes: { ...error, 'http.response.status_code': 502 } });
    expect(attempts).toMatchObject([{ isError: true, attributes: error }]);
    expect(attempts[0]!.attributes).not.toHaveProperty('http.response.status_code');
  });

  it("is no error when it was the client's fault, or the client left", async () => {
    const { tracker, collector } = await traced();
    const head = await stage.head((response) => sendJson(response, 400, { error: { message: 'x' } }));
    await join(tracker.api, head, 'w');
    await tracker.api.chat(aChat(), { headers: { 'x-request-id': 'refused' } });
    head.answer((response) => response.writeHead(200, SSE_HEADERS).write(textChunk('a')));
    const leaving = await tracker.api.openChat(aChat({ stream: true }), {
      headers: { 'x-request-id': 'left' },
    });
    await leaving.until('a');
    leaving.leave();
    await finishedCall(tracker.api, 'left');
    await tracker.stop();
    for (const [requestId, outcome, status] of [
      ['refused', 'refused', 400],
      ['left', 'client_left', 200],
    ] as const) {
      const { call, attempts } = await collector.callOf(requestId);
      for (const span of [call, attempts[0]!]) {
        expect(span).toMatchObject({
          isError: false,
          attributes: { 'meshnet.outcome': outcome, 'http.response.status_code': status },
        });
        expect(span.attributes).not.toHaveProperty('error.type');
      }
    }
  });

  it('that is cut off in mid-stream is an error though its status is 200', async () => {
    const { tracker, collector } = await traced();
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('a'), () => response.destroy());
    });
    await join(tracker.api, head, 'w');
    const reply = await tracker.api.chat(aChat({ stream: true }), { headers: { 'x-request-id': 'cut' } });
    const { outcome } = await tracker.api.callOf(reply);
    await tracker.stop();
    const { call, attempts } = await collector.callOf('cut');
    for (const span of [call, attempts[0]!]) {
      expect(span).toMatchObject({
        isError: true,
        attributes: {
          'meshnet.outcome': outcome,
          'http.response.status_code': 200,
          'error.type': 'node_failed',
        },
      });
    }
  });

  it('that is pinned has no candidates, and says so', async () => {
    const { tracker, collector } = await traced();
    const head = await stage.head();
    const nodeId = await join(tracker.api, head, 'w');
    await tracker.api.chat(aChat({ route: [nodeId] }), { headers: { 'x-request-id': 'pin' } });
    await tracker.stop();
    const { call, decisions } = await collector.callOf('pin');
    expect(call.attributes['meshnet.route.mode']).toBe('pinned');
    expect(decisions[0]!.attributes).toMatchObject({
      'meshnet.route.mode': 'pinned',
      'meshnet.candidates': 0,
    });
  });

  it('that waited for room says how long, in its decision too', async () => {
    const { tracker, collector } = await traced();
    const waiting: (() => void)[] = [];
    const head = await stage.head((response, chat) => waiting.push(() => sendChat(response, chat)));
    await join(tracker.api, head, 'w', { max_concurrent: 1 });
    const first = tracker.api.chat(aChat());
    await received(head);
    const second = tracker.api.chat(aChat(), { headers: { 'x-request-id': 'waits' } });
    await eventually(async () => {
      expect((await tracker.api.calls('?open=true')).map(({ phase }) => phase)).toContain('queued');
    });
    waiting[0]!();
    await first;
    await received(head, 2);
    waiting[1]!();
    await second;
    await tracker.stop();
    const { call, decisions } = await collector.callOf('waits');
    const queuedMs = Number(decisions[0]!.attributes['meshnet.queued_ms']);
    expect(queuedMs).toBeGreaterThan(0);
    expect(decisions[0]!.endMs - decisions[0]!.startMs).toBeGreaterThanOrEqual(queuedMs);
    expect(Number(call.attributes['meshnet.queued_ms'])).toBeCloseTo(queuedMs, -1);
  });

  it('that gets no route or no room is an error of ours, without an attempt', async () => {
    const { tracker, collector } = await traced({ env: { MESHNET_QUEUE_LENGTH: '0' } });
    const held: (() => void)[] = [];
    const head = await stage.head((response, chat) => held.push(() => sendChat(response, chat)));
    const half = {
      wallet: 'half',
      endpoint: head.url,
      model: 'half',
      num_layers: 2,
      shard_start: 1,
      shard_end: 1,
    };
    await tracker.api.register(half);
    await tracker.api.chat({ model: 'half' }, { headers: { 'x-request-id': 'no-route' } });
    await tracker.api.register({ wallet: 'w', endpoint: `${head.url}/w`, model: MODEL, max_concurrent: 1 });
    const running = tracker.api.chat(aChat());
    await received(head);
    await tracker.api.chat(aChat(), { headers: { 'x-request-id': 'no-room' } });
    await tracker.api.chat({ model: 'CANARY' }, { headers: { 'x-request-id': 'no-model' } });
    held[0]!();
    await running;
    await tracker.stop();
    const ofNoRoute = await collector.callOf('no-route');
    expect(ofNoRoute).toMatchObject({ attempts: [], decisions: [] });
    expect(ofNoRoute.call).toMatchObject({
      isError: true,
      name: 'chat half',
      attributes: {
        'error.type': 'no_route',
        'http.response.status_code': 503,
        'meshnet.outcome': 'turned_away',
      },
    });
    expect((await collector.callOf('no-room')).call).toMatchObject({
      isError: true,
      name: `chat ${MODEL}`,
      attributes: { 'error.type': 'queue_full', 'http.response.status_code': 429, 'meshnet.outcome': 'busy' },
    });
    // A name that the mesh doesn't know is the client's own.
    expect((await collector.callOf('no-model')).call).toMatchObject({
      isError: false,
      name: 'chat',
      attributes: { 'http.response.status_code': 404, 'meshnet.code': 'model_not_found' },
    });
    expect(collector.text).not.toContain('CANARY');
  });
});

describe('many calls at once', () => {
  it('keep to their own traces', async () => {
    const { tracker, collector } = await traced();
    const heads = [await stage.head(), await stage.head()];
    for (const [at, head] of heads.entries()) await join(tracker.api, head, `w${String(at)}`);
    const traceOf = (at: number): string => at.toString(16).padStart(32, 'a');
    const ids = Array.from({ length: 60 }, (_, at) => at);
    await Promise.all(
      ids.map((at) =>
        tracker.api.chat(aChat({ stream: at % 2 === 0 }), {
          headers: {
            traceparent: `00-${traceOf(at)}-${CLIENT_SPAN}-01`,
            tracestate: `c=${String(at)}`,
            'x-request-id': `many-${String(at)}`,
          },
        }),
      ),
    );
    await tracker.stop();
    expect(collector.spans).toHaveLength(ids.length * 3);
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(ids.length * 3);
    const seen = heads.flatMap(({ chats }) => chats);
    for (const at of ids) {
      const { call, decisions, attempts } = await collector.callOf(`many-${String(at)}`);
      for (const span of [call, ...decisions, ...attempts]) {
        expect(span).toMatchObject({ traceId: traceOf(at), state: `c=${String(at)}` });
      }
      const chat = seen.find(({ headers }) => headers['x-request-id'] === `many-${String(at)}`);
      expect(chat?.headers).toMatchObject({
        traceparent: `00-${traceOf(at)}-${attempts[0]!.spanId}-01`,
        tracestate: `c=${String(at)}`,
      });
    }
  });
});

describe('a trace that is not kept', () => {
  it.each([
    ['because its client says so', {}, { traceparent: NOT_KEPT, tracestate: 'a=1' }],
    ['because none that begin here are', { OTEL_TRACES_SAMPLER_ARG: '0' }, {}],
  ])('%s goes on to the head and is not exported', async (_, env, headers) => {
    const { tracker, collector } = await traced({ env });
    const head = await stage.head();
    await join(tracker.api, head, 'w');
    await tracker.api.chat(aChat(), { headers });
    const { traceId, parentId, flags } = partsOf(head.last.headers.traceparent);
    expect(flags).toBe('00');
    expect(parentId).toMatch(/^[0-9a-f]{16}$/);
    if ('traceparent' in headers) {
      expect(traceId).toBe(TRACE);
      expect(head.last.headers.tracestate).toBe('a=1');
    }
    // A client that keeps its trace is heard all the same.
    await tracker.api.chat(aChat(), { headers: { traceparent: KEPT, 'x-request-id': 'kept' } });
    await tracker.stop();
    await collector.callOf('kept');
    expect(collector.spans).toHaveLength(3);
  });
});

describe('the collector', () => {
  it('is sent batches at its path, with the headers that are set, and no secret of a chat', async () => {
    const collector = await new Collector().start();
    stage.atEnd(() => collector.end());
    const tracker = await stage.tracker({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=first,x-team=a%2Cb',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'api-key=second',
      },
    });
    const head = await stage.head();
    await join(tracker.api, head, 'w');
    await tracker.api.chat(
      aChat({ messages: [{ role: 'user', content: 'CANARY-prompt' }], user: 'CANARY-user' }),
      {
        headers: { authorization: 'Bearer CANARY-key', 'x-api-key': 'CANARY-key', cookie: 'CANARY-cookie' },
      },
    );
    await tracker.stop();
    expect(collector.text).toMatch(/^POST \/base\/v1\/traces\n/);
    expect(collector.headers[0]).toMatchObject({
      'content-type': 'application/json',
      'api-key': 'second',
      'x-team': 'a,b',
    });
    expect(collector.text).not.toContain('CANARY');
    expect(JSON.stringify(collector.spans)).not.toMatch(/second|a,b/);
  });

  it('may have a URL of its own for traces', async () => {
    const collector = await new Collector().start();
    stage.atEnd(() => collector.end());
    const tracker = await stage.tracker({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/in?tenant=1`,
      },
    });
    await join(tracker.api, await stage.head(), 'w');
    await tracker.api.chat(aChat());
    await tracker.stop();
    expect(collector.text).toMatch(/^POST \/in\?tenant=1\n/);
    expect(collector.spans).toHaveLength(3);
  });

  it('gets what is still waiting when the tracker stops, calls that were cut off included', async () => {
    const { tracker, collector } = await traced({ env: { MESHNET_DRAIN_SECONDS: '0.1' } });
    const head = await stage.head((response) => response.writeHead(200, SSE_HEADERS).write(textChunk('a')));
    await join(tracker.api, head, 'w');
    const chat = await tracker.api.openChat(aChat({ stream: true }), { headers: { 'x-request-id': 'open' } });
    await chat.until('a');
    await tracker.stop();
    expect((await chat.rest()).text).not.toContain(DONE);
    expect((await collector.callOf('open')).attempts).toHaveLength(1);
  });

  it.each([
    ['refuses connections', 'refusing', 'ECONNREFUSED'],
    ['refuses what it is sent', 401, '401'],
    // Its time is far longer than a test may take: the tracker ends all the same.
    ['never answers', null, expect.any(String)],
  ] as const)('that %s costs no chat anything, and every span lost is told of', async (_, status, reason) => {
    const logger = new SilentLogger();
    const { tracker, collector } = await traced(
      {
        parts: { logger },
        env: {
          OTEL_EXPORTER_OTLP_HEADERS: 'api-key=CANARY',
          OTEL_EXPORTER_OTLP_TIMEOUT: status === 'refusing' ? '500' : '600000',
          ...(status === 'refusing' ? { OTEL_EXPORTER_OTLP_ENDPOINT: await stage.refusingUrl() } : {}),
        },
      },
      status === 'refusing' ? 200 : status,
    );
    await join(tracker.api, await stage.head(), 'w');
    // More than one batch.
    const replies = await Promise.all(Array.from({ length: 100 }, () => tracker.api.chat(aChat())));
    expect(replies.every(({ status: told }) => told === 200)).toBe(true);
    await tracker.stop();
    await eventually(() => {
      const [first, ...rest] = logger.of('traces.not_taken');
      expect(first).toMatchObject({ level: 'warn', fields: { reason } });
      // At the end, what that one didn't tell.
      expect(rest.filter(({ fields }) => !('reason' in fields) || fields.reason !== 'stopped')).toEqual([]);
    });
    const lost = logger
      .of('traces.not_taken')
      .map(({ fields }) => (fields as { lost_spans: number }).lost_spans);
    expect(lost.reduce((sum, count) => sum + count, 0)).toBe(300);
    expect(JSON.stringify(logger.lines)).not.toContain('CANARY');
    expect(collector.spans).toHaveLength(0);
  });
});
