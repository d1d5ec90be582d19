import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventually } from '../support/eventually.js';
import type { FakeHead } from '../support/fake-head.js';
import { jsonOf, type Reply } from '../support/http-client.js';
import { DONE, finishChunk, sendChat, textChunk, usageChunk, wholeChat } from '../support/openai-answers.js';
import { cutAt, exchange, type RawAnswer } from '../support/raw-client.js';
import { heldBy, NOTHING_HELD } from '../support/rooms-held.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const MODEL = 'org/m';
/** Always the same inputs, and without what only makes a failure smaller: each run is many requests. */
const RUNS = { endOnFailure: true, seed: 20_261_129 } as const;

const stage = new Stage();
let tracker: StagedTracker;
let head: FakeHead;
beforeAll(async () => {
  tracker = await stage.tracker({
    env: {
      MESHNET_MAX_BODY_BYTES: '65536',
      MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.3',
      MESHNET_IDLE_TIMEOUT_SECONDS: '0.3',
      MESHNET_CONNECT_TIMEOUT_SECONDS: '1',
      MESHNET_QUEUE_SECONDS: '0.1',
    },
  });
  head = await stage.head(sendChat);
});
afterAll(() => stage.end());

beforeEach(join);

/** Strangers may drain and delete nodes too. */
async function join(): Promise<void> {
  await tracker.api.register({ wallet: 'w', endpoint: head.url, model: MODEL });
  await tracker.api.ask('POST', '/v1/nodes/w:all/resume');
}

/** Whatever came before: alive, nothing under way, and chats are served. */
afterEach(async () => {
  await join();
  await eventually(() => expect(heldBy(tracker)).toEqual(NOTHING_HELD));
  expect((await tracker.api.get('/healthz')).status).toBe(200);
  expect((await tracker.api.chat({ model: MODEL })).status).toBe(200);
});

const oneOf = fc.constantFrom;
const anyText = fc.string({ unit: 'binary', maxLength: 40 });
/** An id as it may stand in a path: encoded, half encoded, or raw. */
const segment = fc.oneof(
  oneOf('w:all', encodeURIComponent(MODEL), MODEL, 'x', '..', '%', '%E0%A4%A', '%00', '__proto__', 'a:0-3'),
  anyText.map((text) => text.replace(/[\ud800-\udfff]/g, '')).map(encodeURIComponent),
  fc.stringMatching(/^[!-~]{1,30}$/),
);
const path = fc.oneof(
  oneOf('/v1/chat/completions', '/v1/completions', '/v1/nodes', '/v1/routing', '/v1/calls', '/v1/models'),
  oneOf('/healthz', '/readyz', '/v1/events', '/', '//', '/v1/chat/completions/', '*'),
  segment.map((id) => `/v1/models/${id}`),
  segment.map((id) => `/v1/calls/${id}`),
  segment.map((id) => `/v1/leases/${id}`),
  fc.tuple(segment, oneOf('', '/drain', '/resume')).map(([id, act]) => `/v1/nodes/${id}${act}`),
  segment.map((id) => `/${id}`),
);
const query = fc.oneof(
  { arbitrary: fc.constant(''), weight: 3 },
  {
    arbitrary: fc
      .tuple(oneOf('model', 'limit', 'open', '__proto__', 'a[b]'), segment)
      .map((pair) => `?${pair.join('=')}`),
    weight: 1,
  },
);
const method = oneOf('GET', 'POST', 'POST', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD');

const anyJson = fc.json({ maxDepth: 3 });
const aField = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  oneOf<unknown>(MODEL, true, 0, -1, 1e308, '', [], {}, null),
);
/** JSON that is nearly what the endpoints want. Nodes that it registers are at a port where nobody listens. */
const nearChat = fc
  .record(
    {
      model: fc.oneof(fc.constant(MODEL), aField),
      stream: fc.oneof(fc.boolean(), aField),
      stream_options: aField,
      route: fc.oneof(fc.array(oneOf('w:all', 'x')), aField),
      messages: aField,
      max_tokens: aField,
    },
    { requiredKeys: [] },
  )
  .map((chat) => JSON.stringify(chat));
const nearNode = fc
  .record(
    {
      wallet: fc.oneof(oneOf('f', 'g'), aField),
      name: aField,
      endpoint: oneOf<unknown>('http://127.0.0.1:1', 'http://127.0.0.1:1/v1', 'x', null, 7),
      model: fc.oneof(
        oneOf('fuzzed', 'other'),
        aField.filter((name) => name !== MODEL),
      ),
      num_layers: fc.oneof(oneOf(4, 8), aField),
      shard_start: fc.oneof(oneOf(0, 1), aField),
      shard_end: fc.oneof(oneOf(3, 7), aField),
      throughput_tps: aField,
      queue_depth: aField,
      max_concurrent: aField,
      upstream_model: aField,
      status: aField,
    },
    { requiredKeys: [] },
  )
  .map((node) => JSON.stringify(node));
const body = fc.oneof(
  nearChat,
  nearNode,
  anyJson,
  fc.tuple(nearChat, fc.nat()).map(([chat, at]) => chat.slice(0, at % (chat.length + 1))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constant('x'.repeat(70_000)),
);

const headerValue = fc.stringMatching(/^[!-~\x80-\xff]{0,40}$/);
const extraHeader = fc.oneof(
  fc.tuple(fc.stringMatching(/^x-[a-z0-9!#$%&'*+.^_`|~-]{1,20}$/), headerValue),
  fc.tuple(
    oneOf(
      'x-request-id',
      'traceparent',
      'cookie',
      'accept',
      'accept-encoding',
      'origin',
      'authorization',
      'te',
      'upgrade',
      'x-meshnet-route',
      'x-forwarded-for',
      'if-none-match',
      'range',
    ),
    headerValue,
  ),
  fc.tuple(fc.constant('expect'), oneOf('100-continue', 'something')),
  fc.tuple(
    fc.constant('content-type'),
    oneOf('application/json', 'application/json; charset=latin1', 'text/plain', '', 'x'),
  ),
  fc.tuple(fc.constant('content-encoding'), oneOf('gzip', 'identity', 'br', 'x')),
);

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly bytes: Buffer;
}

/** A request that is correct HTTP, whatever it says. */
const request: fc.Arbitrary<Asked> = fc
  .record({
    method,
    path: fc.tuple(path, query).map((parts) => parts.join('')),
    body,
    headers: fc.uniqueArray(extraHeader, { maxLength: 5, selector: ([name]) => name }),
    chunks: fc.option(fc.array(fc.nat(), { maxLength: 6 })),
  })
  .map(({ body: content, chunks, headers, ...line }) => {
    const payload = Buffer.from(content);
    const framing =
      chunks === null ? `content-length: ${String(payload.length)}` : 'transfer-encoding: chunked';
    const framed = chunks === null ? payload : chunked(payload, chunks);
    const start = [
      `${line.method} ${line.path} HTTP/1.1`,
      'host: tracker',
      'connection: close',
      framing,
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ].join('\r\n');
    return { ...line, bytes: Buffer.concat([Buffer.from(`${start}\r\n\r\n`, 'latin1'), framed]) };
  });

function chunked(payload: Buffer, offsets: readonly number[]): Buffer {
  const chunks = cutAt(payload, offsets).filter(({ length }) => length > 0);
  const parts = chunks.flatMap((part) => [`${part.length.toString(16)}\r\n`, part, '\r\n']);
  return Buffer.concat([...parts, '0\r\n\r\n'].map((part) => Buffer.from(part)));
}

/** OpenAI's error object and nothing else, where it is an error. */
function expectShape({ status, head: lines, body: content }: RawAnswer, asked: Buffer): void {
  expect(status).toBeGreaterThanOrEqual(200);
  if (status === null || status < 400 || asked.toString().startsWith('HEAD ')) return;
  expect(lines).toMatch(/^content-type: application\/json/im);
  const { error, ...rest } = JSON.parse(content.toString()) as { error: Record<string, unknown> };
  expect(rest).toEqual({});
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
  // A fault of the tracker's own would say so.
  expect(error.code).not.toBe('internal_error');
}

describe('whatever a client sends', () => {
  it('is answered in the right shape, if it is HTTP, however it is chunked and cut', async () => {
    await fc.assert(
      fc.asyncProperty(request, fc.array(fc.nat(), { maxLength: 8 }), async (asked, cuts) => {
        const answer = await exchange(tracker.port, cutAt(asked.bytes, cuts));
        expect([asked.method, asked.path, answer.status]).not.toContain(null);
        expectShape(answer, asked.bytes);
      }),
      { ...RUNS, numRuns: 800 },
    );
  }, 120_000);

  it('is answered in the right shape or gets its connection closed, if it is not', async () => {
    const noise = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
    const damaged = fc
      .record({ asked: request, at: fc.nat(), removed: fc.nat({ max: 20 }), inserted: noise })
      .map(({ asked: { bytes }, at, removed, inserted }) => {
        const from = at % (bytes.length + 1);
        return Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(from + removed)]);
      });
    const cutShort = fc
      .tuple(request, fc.nat())
      .map(([{ bytes }, at]) => bytes.subarray(0, at % (bytes.length + 1)));
    const framing = fc
      .tuple(
        oneOf(
          'content-length: 5',
          'content-length: -1',
          'transfer-encoding: gzip',
          'transfer-encoding: chunked\r\ncontent-length: 3',
          `x-big: ${'x'.repeat(20_000)}`,
          'host: a\r\nhost: b',
          'x\ny: 1',
          ': no name',
        ),
        body,
      )
      .map(([line, content]) =>
        Buffer.concat([
          Buffer.from(`POST /v1/chat/completions HTTP/1.1\r\nhost: t\r\n${line}\r\n\r\n`),
          Buffer.from(content),
        ]),
      );
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.oneof(noise, damaged, cutShort, framing), fc.array(fc.nat(), { maxLength: 5 })),
          { maxLength: 8 },
        ),
        async (requests) => {
          const answers = await Promise.all(
            requests.map(([bytes, cuts]) => exchange(tracker.port, cutAt(bytes, cuts))),
          );
          for (const [at, answer] of answers.entries()) {
            if (answer.bytes.length > 0) expectShape(answer, requests[at]![0]);
          }
        },
      ),
      { ...RUNS, numRuns: 80 },
    );
  }, 120_000);
});

describe('whatever a head answers', () => {
  const OPEN = 'kept open';
  const junk = fc.oneof(
    fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    fc.stringMatching(/^[ -~\r\n]{0,80}$/),
  );
  const event = fc.oneof(
    junk.map((text) => `data: ${text}\n\n`),
    oneOf(
      textChunk('x'),
      finishChunk(),
      usageChunk(3),
      DONE,
      ': hm\n\n',
      'event: error\ndata: {}\n\n',
      '\n',
      '\r\r',
    ),
    fc.jsonValue({ maxDepth: 2 }).map((value) => `data: ${JSON.stringify(value)}\r\n\r\n`),
    junk.map((message) => `data: ${JSON.stringify({ error: { message, code: 500 } })}\n\n`),
  );
  const content = fc.oneof(
    fc.array(event, { maxLength: 12 }).map((events) => events.join('')),
    fc.json({ maxDepth: 2 }),
    fc.constant(JSON.stringify(wholeChat())),
    junk,
    oneOf('', '{"choices":[', 'x'.repeat(100_000)),
  );
  const statusLine = fc.oneof(
    { arbitrary: fc.constant('HTTP/1.1 200 OK'), weight: 6 },
    {
      arbitrary: oneOf(
        '204 No Content',
        '206 x',
        '302 Found',
        '400 x',
        '404 x',
        '429 x',
        '500 x',
        '503 x',
        '599 x',
      ).map((end) => `HTTP/1.1 ${end}`),
      weight: 3,
    },
    {
      arbitrary: oneOf(
        'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK',
        'HTTP/1.1 103 x\r\n\r\nHTTP/1.1 200 OK',
        'HTTP/1.0 200',
        'HTTP/1.1 999 x',
        'HTTP/1.1 101 x',
        'HTTP/2 200',
        'ICY 200 OK',
        'HTTP/1.1 20',
      ),
      weight: 2,
    },
  );
  const line = fc.oneof(
    oneOf(
      'content-type: text/event-stream',
      'content-type: application/json',
      'content-type: x',
      'content-encoding: gzip',
      'connection: close',
      'retry-after: x',
      'location: /x',
      'set-cookie: a=b',
      'trailer: x',
      'upgrade: x',
      ': none',
      'no colon',
      'x y: 1',
    ),
    fc.tuple(fc.stringMatching(/^[a-z-]{1,12}$/), headerValue).map((pair) => pair.join(': ')),
    fc
      .tuple(
        fc.constant('x-odd'),
        fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
      )
      .map((pair) => pair.join(': ')),
    fc.constant(`x-big: ${'x'.repeat(100_000)}`),
  );
  /** How the body's length is told: rightly, wrongly, twice or not at all. */
  const framed = fc
    .tuple(
      content,
      oneOf('length', 'chunks', 'none', 'both', 'too long', 'too short', 'bad chunks', 'no last chunk'),
      fc.array(fc.nat(), { maxLength: 4 }),
    )
    .map(([text, how, cuts]) => {
      const payload = Buffer.from(text, 'latin1');
      const length = (by: number): string => `content-length: ${String(Math.max(0, payload.length + by))}`;
      const chunks = chunked(payload, cuts);
      const CHUNKED = 'transfer-encoding: chunked';
      switch (how) {
        case 'length':
          return { lines: [length(0)], bytes: payload };
        case 'too long':
          return { lines: [length(9)], bytes: payload };
        case 'too short':
          return { lines: [length(-9)], bytes: payload };
        case 'chunks':
          return { lines: [CHUNKED], bytes: chunks };
        case 'both':
          return { lines: [CHUNKED, length(0)], bytes: chunks };
        case 'bad chunks':
          return { lines: [CHUNKED], bytes: Buffer.concat([chunks.subarray(0, 20), Buffer.from('zz\r\n')]) };
        case 'no last chunk':
          return { lines: [CHUNKED], bytes: chunks.subarray(0, -5) };
        case 'none':
          return { lines: [], bytes: payload };
      }
    });
  const answer = fc
    .record({ statusLine, lines: fc.array(line, { maxLength: 4 }), framed })
    .map(({ statusLine: first, lines, framed: { lines: framing, bytes } }) =>
      Buffer.concat([Buffer.from([first, ...lines, ...framing, '', ''].join('\r\n'), 'latin1'), bytes]),
    );
  const headAnswer = fc.record({
    bytes: fc.oneof(
      { arbitrary: answer, weight: 5 },
      {
        arbitrary: fc
          .tuple(answer, fc.nat())
          .map(([bytes, at]) => bytes.subarray(0, at % (bytes.length + 1))),
        weight: 2,
      },
      { arbitrary: junk.map((text) => Buffer.from(text, 'latin1')), weight: 1 },
    ),
    cuts: fc.array(fc.nat(), { maxLength: 6 }),
    ending: oneOf('ended', 'ended', 'reset', OPEN),
    stream: fc.boolean(),
  });

  it('gives the client an answer in the right shape, or a stream that ends', async () => {
    const answers = new Map<string, { bytes: Buffer; cuts: readonly number[]; ending: string }>();
    const head = await stage.rawHead((socket, request) => {
      const id = /^x-request-id: (.*)\r$/im.exec(request.toString('latin1'))?.[1] ?? '';
      // Used again though it may not be: the next chat shall come on a connection of its own.
      socket.on('data', () => socket.destroy());
      void answerRaw(socket, answers.get(id)!);
    });
    await tracker.api.register({ wallet: 'raw', endpoint: head.url, model: 'raw' });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(headAnswer, { minLength: 8, maxLength: 8 }), async (some) => {
        const replies = some.map(async ({ stream, ...raw }) => {
          const id = `raw-${String((count += 1))}`;
          answers.set(id, raw);
          const reply = await tracker.api.chat({ model: 'raw', stream }, { headers: { 'x-request-id': id } });
          answers.delete(id);
          return reply;
        });
        for (const [at, reply] of (await Promise.all(replies)).entries()) expectReply(reply, some[at]!.bytes);
      }),
      { ...RUNS, numRuns: 70 },
    );
    await eventually(() => expect(heldBy(tracker)).toEqual(NOTHING_HELD));
    const node = await tracker.api.node('raw:all');
    expect(node.in_flight).toBe(0);
    expect(node.reputation).toBeGreaterThan(0);
  }, 120_000);

  async function answerRaw(
    socket: Socket,
    { bytes, cuts, ending }: { bytes: Buffer; cuts: readonly number[]; ending: string },
  ): Promise<void> {
    for (const piece of cutAt(bytes, cuts)) {
      if (socket.destroyed) return;
      socket.write(piece);
      await turn();
    }
    if (ending === 'ended') socket.end();
    else if (ending === 'reset') socket.resetAndDestroy();
  }

  function expectReply(reply: Reply, sent: Buffer): void {
    const { status, headers, text, isWhole } = reply;
    // A fault of the tracker's own would say so.
    expect(text).not.toContain('internal_error');
    if (status !== 200) {
      expect([isWhole, status >= 400, status < 600]).toEqual([true, true, true]);
      expect(() => jsonOf(reply)).not.toThrow();
    } else if (!String(headers['content-type']).startsWith('text/event-stream')) {
      // Beyond 64 KiB a broken connection tells that an answer isn't whole.
      if (isWhole) expect(() => jsonOf(reply)).not.toThrow();
      else expect(sent.length).toBeGreaterThan(65_536);
    }
    expect(headers).not.toHaveProperty('content-encoding');
  }
});
