import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FakeHead, HeadAnswering } from '../support/fake-head.js';
import { dataOf, errorOf, jsonOf } from '../support/http-client.js';
import {
  DONE,
  finishChunk,
  sendJson,
  sendStream,
  SSE_HEADERS,
  TEN,
  textChunk,
  usageChunk,
  wholeChat,
} from '../support/openai-answers.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const stage = new Stage();
let tracker: StagedTracker;
beforeAll(async () => {
  tracker = await stage.tracker();
});
afterAll(() => stage.end());

async function headOf(model: string, answering: HeadAnswering): Promise<FakeHead> {
  const head = await stage.head(answering);
  await tracker.api.register({ wallet: 'w', endpoint: head.url, model });
  return head;
}

/** Sends bytes in pieces that end at these offsets, each in a packet of its own. */
async function sendInPieces(response: ServerResponse, bytes: Buffer, cuts: readonly number[]): Promise<void> {
  const offsets = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...offsets, bytes.length]) {
    if (to > from) response.write(bytes.subarray(from, to));
    from = to;
    await turn();
  }
  response.end();
}

const UNICODE = '北京😀é\u2028';

describe('a JSON answer', () => {
  it('reaches the client byte for byte, however it is cut', async () => {
    const bytes = Buffer.from(
      ` {"choices":[{"message":{"content":"${UNICODE}"}}],\r\n "x":1e400, "usage" : {"completion_tokens":12,"prompt_tokens":3}}\n`,
    );
    let cuts: readonly number[] = [];
    await headOf('json', (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      void sendInPieces(response, bytes, cuts);
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (given) => {
        cuts = given;
        const reply = await tracker.api.chat({ model: 'json' });
        expect(reply.body.equals(bytes)).toBe(true);
        expect(reply.headers['content-length']).toBe(String(bytes.length));
        expect(await tracker.api.callOf(reply)).toMatchObject({ completion_tokens: 12, prompt_tokens: 3 });
      }),
      { numRuns: 30 },
    );
  });

  it.each([60, 70, 300, 5000])('of %i KiB reaches the client whole, and its usage is read', async (kib) => {
    const bytes = JSON.stringify({ ...wholeChat('x', 33), filler: 'é'.repeat(kib * 512) });
    await headOf('long', (response) => sendJson(response, 200, bytes));
    const reply = await tracker.api.chat({ model: 'long' });
    expect([reply.status, reply.isWhole, reply.text === bytes]).toEqual([200, true, true]);
    expect(await tracker.api.callOf(reply)).toMatchObject({ completion_tokens: 33, outcome: 'completed' });
  });

  it('tells which route served it, why, and at which attempt, on the status that clients expect', async () => {
    await headOf('answered', (response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-ratelimit-remaining': '7',
        'x-request-id': 'of-the-head',
        'x-meshnet-route': 'of-the-head',
        'x-meshnet-attempts': '99',
        'set-cookie': 'a=b',
        server: 'uvicorn',
        connection: 'keep-alive, x-hop',
        'x-hop': '1',
        'keep-alive': 'timeout=5',
      });
      response.end(JSON.stringify(wholeChat()));
    });
    const reply = await tracker.api.chat({ model: 'answered' }, { headers: { 'x-request-id': 'mine' } });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json',
      'x-ratelimit-remaining': '7',
      'x-request-id': 'mine',
      'x-meshnet-route': 'answered|w:all[0-0]',
      'x-meshnet-route-mode': 'scout',
      'x-meshnet-attempts': '1',
    });
    for (const name of ['set-cookie', 'server', 'x-hop', 'keep-alive', 'transfer-encoding']) {
      expect(reply.headers).not.toHaveProperty(name);
    }
  });

  it('without usage, or with nothing in it, is no sample and no failure', async () => {
    for (const [model, answer] of [
      ['no-usage', { choices: [{ message: { content: 'x' } }] }],
      ['zero', { ...wholeChat('', 0), choices: [{ message: { tool_calls: [] }, finish_reason: 'stop' }] }],
    ] as const) {
      await headOf(model, (response) => sendJson(response, 200, answer));
      const reply = await tracker.api.chat({ model });
      expect(jsonOf(reply)).toEqual(answer);
      expect(await tracker.api.callOf(reply)).toMatchObject({
        outcome: 'completed',
        sample: 'too_few_tokens',
      });
      expect((await tracker.api.routing(model)).candidates).toMatchObject([{ sample_count: 0, tps: null }]);
    }
    expect((await tracker.api.nodes()).every(({ reputation }) => reputation === 1)).toBe(true);
  });
});

describe('a stream', () => {
  const EVENTS = [
    ': PROCESSING\n\n',
    textChunk(UNICODE),
    `event: message\r\nid: 7\r\ndata: {"choices":[{"index":0,\r\ndata:  "delta":{"content":"${UNICODE}"}}]}\r\n\r\n`,
    `data:{"choices":[{"delta":{"reasoning_content":"hm"}}]}\r\r`,
    `data: {"choices":[{"delta":{"content":"x"}}]}\n\r\n`,
    ...TEN.map(textChunk),
    finishChunk(),
  ];

  it('reaches the client byte for byte, however it is cut and its lines end', async () => {
    const bytes = Buffer.from([...EVENTS, usageChunk(14), DONE].join(''));
    let cuts: readonly number[] = [];
    await headOf('cut', (response) => {
      response.writeHead(200, SSE_HEADERS);
      void sendInPieces(response, bytes, cuts);
    });
    const body = { model: 'cut', stream: true, stream_options: { include_usage: true } };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (given) => {
        cuts = given;
        const reply = await tracker.api.chat(body);
        expect(reply.text).toBe(bytes.toString());
        expect(reply.body.equals(bytes)).toBe(true);
        expect(await tracker.api.callOf(reply)).toMatchObject({
          completion_tokens: 14,
          tokens_estimated: false,
          outcome: 'completed',
        });
      }),
      { numRuns: 30 },
    );
  });

  it('lacks the usage chunk that the client did not ask for, and nothing else, however it is cut', async () => {
    const bytes = Buffer.from([...EVENTS, usageChunk(14), DONE].join(''));
    let cuts: readonly number[] = [];
    await headOf('stripped', (response) => {
      response.writeHead(200, SSE_HEADERS);
      void sendInPieces(response, bytes, cuts);
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (given) => {
        cuts = given;
        const reply = await tracker.api.chat({ model: 'stripped', stream: true });
        expect(reply.text).toBe([...EVENTS, DONE].join(''));
        expect(await tracker.api.callOf(reply)).toMatchObject({ completion_tokens: 14 });
      }),
      { numRuns: 30 },
    );
  });

  it('cut at every byte stays what it is', async () => {
    const bytes = Buffer.from([textChunk(UNICODE), finishChunk(), usageChunk(9), DONE].join(''));
    await headOf('bytewise', (response) => {
      response.writeHead(200, SSE_HEADERS);
      void sendInPieces(response, bytes, [...bytes.keys()]);
    });
    const body = { model: 'bytewise', stream: true, stream_options: { include_usage: true } };
    expect((await tracker.api.chat(body)).body.equals(bytes)).toBe(true);
  });

  it.each([
    ['LF', '\n\n'],
    ['CRLF', '\r\n\r\n'],
    ['CR', '\r\r'],
    ['LF and CRLF', '\n\r\n'],
  ])('with lines that end in %s reaches the client before the head has ended it', async (_name, end) => {
    let finish = (): void => undefined;
    await headOf('early', (response) => {
      response.writeHead(200, SSE_HEADERS);
      response.write(`data: {"choices":[{"delta":{"content":"first"}}]}${end}`);
      finish = () =>
        response.end(
          [
            '{"choices":[{"delta":{},"finish_reason":"stop"}]}',
            '{"choices":[],"usage":{"completion_tokens":21}}',
            '[DONE]',
          ]
            .map((data) => `data: ${data}${end}`)
            .join(''),
        );
    });
    const opened = await tracker.api.openChat({ model: 'early', stream: true });
    await opened.until('first');
    finish();
    const reply = await opened.rest();
    expect(dataOf(reply.text).at(-1)).toBe('[DONE]');
    expect(await tracker.api.callOf(reply)).toMatchObject({ completion_tokens: 21 });
  });

  it("has the status 200 and its head's type, and is no 201", async () => {
    await headOf('status', (response) => sendStream(response, TEN));
    const reply = await tracker.api.chat({ model: 'status', stream: true });
    expect([reply.status, reply.headers['content-type']]).toEqual([200, SSE_HEADERS['content-type']]);
    expect(reply.headers).not.toHaveProperty('content-length');
  });

  it('lets comments through as comments, which are no tokens', async () => {
    await headOf('comments', (response) => {
      response.writeHead(200, SSE_HEADERS);
      response.end(
        [': PROCESSING\n\n'.repeat(20), ...TEN.map(textChunk), finishChunk(), ': x\n\n', DONE].join(''),
      );
    });
    const reply = await tracker.api.chat({ model: 'comments', stream: true });
    expect(reply.text.match(/^: PROCESSING$/gm)).toHaveLength(20);
    expect(dataOf(reply.text)).toHaveLength(12);
    expect(await tracker.api.callOf(reply)).toMatchObject({ completion_tokens: 10, tokens_estimated: true });
  });

  it('is as fast with few long chunks as with many short ones, and less sure without usage', async () => {
    const stream =
      (chunks: number, withUsage: boolean): HeadAnswering =>
      (response) => {
        response.writeHead(200, SSE_HEADERS);
        const texts = Array.from({ length: chunks }, () => textChunk('x'));
        response.end([...texts, finishChunk(), withUsage ? usageChunk(40) : '', DONE].join(''));
      };
    const weightOf = async (model: string, answering: HeadAnswering): Promise<unknown> => {
      await headOf(model, answering);
      const reply = await tracker.api.chat({ model, stream: true });
      const { completion_tokens: tokens, tokens_estimated: estimated } = await tracker.api.callOf(reply);
      const [candidate] = (await tracker.api.routing(model)).candidates;
      return { tokens, estimated, weight: Math.round((candidate?.weight ?? 0) * 10) / 10 };
    };
    expect(await weightOf('chunks-10', stream(10, true))).toEqual({
      tokens: 40,
      estimated: false,
      weight: 1,
    });
    expect(await weightOf('chunks-40', stream(40, true))).toEqual({
      tokens: 40,
      estimated: false,
      weight: 1,
    });
    expect(await weightOf('uncounted', stream(40, false))).toEqual({
      tokens: 40,
      estimated: true,
      weight: 0.6,
    });
  });

  it('that ends with a finish reason but no [DONE] is whole, and gets none from us', async () => {
    const bytes = [...TEN.map(textChunk), finishChunk()].join('');
    await headOf('no-done', (response) => response.writeHead(200, SSE_HEADERS).end(bytes));
    const reply = await tracker.api.chat({ model: 'no-done', stream: true });
    expect(reply.text).toBe(bytes);
    expect(await tracker.api.callOf(reply)).toMatchObject({ outcome: 'completed', sample: 'recorded' });
  });

  it('has one [DONE], whatever the head goes on to send', async () => {
    await headOf('goes-on', (response) => {
      response.writeHead(200, SSE_HEADERS);
      response.write([...TEN.map(textChunk), finishChunk(), DONE].join(''));
      response.end(textChunk('late') + DONE);
    });
    const reply = await tracker.api.chat({ model: 'goes-on', stream: true });
    expect(dataOf(reply.text).filter((data) => data === '[DONE]')).toHaveLength(1);
    expect(reply.text.endsWith(DONE)).toBe(true);
  });

  it('is over for the client when [DONE] came, though the head keeps its side open', async () => {
    await headOf('lingers', (response) => {
      response.writeHead(200, SSE_HEADERS).write([...TEN.map(textChunk), finishChunk(), DONE].join(''));
    });
    const reply = await tracker.api.chat({ model: 'lingers', stream: true });
    expect([reply.isWhole, dataOf(reply.text).at(-1)]).toEqual([true, '[DONE]']);
    expect(await tracker.api.callOf(reply)).toMatchObject({ outcome: 'completed' });
  });

  it('in place of the JSON that was asked for is relayed as what it is, and the other way round', async () => {
    await headOf('stream-anyway', (response) => sendStream(response, TEN));
    const streamed = await tracker.api.chat({ model: 'stream-anyway' });
    expect(dataOf(streamed.text).at(-1)).toBe('[DONE]');
    await headOf('json-anyway', (response) => sendJson(response, 200, wholeChat()));
    const whole = await tracker.api.chat({ model: 'json-anyway', stream: true });
    expect(jsonOf(whole)).toEqual(wholeChat());
  });
});

describe('an error of the head', () => {
  it.each([400, 409, 413, 422, 429, 500, 503, 529])(
    '%i passes with its JSON body as it is',
    async (status) => {
      const body = `{ "error": {"message":"no","type":"x","param":null,"code":"c", "n":1e400} }`;
      await headOf('errors', (response) => {
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '17' }).end(body);
      });
      const reply = await tracker.api.chat({ model: 'errors' });
      expect([reply.status, reply.text]).toEqual([status, body]);
      expect(reply.headers).toMatchObject({
        'retry-after': '17',
        'x-meshnet-attempts': '1',
        'x-meshnet-route': 'errors|w:all[0-0]',
      });
    },
  );

  it.each([
    [406, '<html>not acceptable</html>', 'text/html'],
    [500, '', 'text/plain'],
    [502, 'Bad Gateway', 'text/plain'],
    [503, Buffer.from([0xff, 0xfe, 0x00]), 'application/json'],
    [529, '<html>' + 'x'.repeat(2 * 1024 * 1024), 'text/html'],
  ])("%i without JSON is wrapped in OpenAI's shape", async (status, body, type) => {
    await headOf('html', (response) => response.writeHead(status, { 'content-type': type }).end(body));
    const reply = await tracker.api.chat({
      model: 'html',
      stream: true,
      stream_options: { include_usage: true },
    });
    expect([reply.status, reply.headers['content-type']]).toEqual([status, 'application/json']);
    expect(errorOf(reply)).toEqual({
      message: `The node answered with status ${String(status)}.`,
      type: status < 500 ? 'invalid_request_error' : 'server_error',
      param: null,
      code: null,
    });
  });

  it('that came compressed does not pass for compressed once it is wrapped', async () => {
    await headOf('gzip', (response) => {
      response.writeHead(500, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
      response.end(Buffer.from([0x1f, 0x8b, 8, 0]));
    });
    const reply = await tracker.api.chat({ model: 'gzip' });
    expect(reply.headers).not.toHaveProperty('content-encoding');
    expect(errorOf(reply).type).toBe('server_error');
  });

  it('with headers sent twice passes with what they say together', async () => {
    await headOf('twice', (response) => {
      response.writeHead(500, [
        ...['content-type', 'application/json', 'connection', 'x-hop', 'connection', 'keep-alive'],
        ...['x-hop', '1', 'retry-after', '7', 'retry-after', '9', 'x-list', 'a', 'x-list', 'b'],
      ]);
      response.end('{"error":{"message":"no"}}');
    });
    const reply = await tracker.api.chat({ model: 'twice' });
    expect(reply.status).toBe(500);
    expect(reply.headers).toMatchObject({ 'retry-after': '7', 'x-list': 'a, b' });
    expect(reply.headers).not.toHaveProperty('x-hop');
  });

  it('that only says that it is compressed passes as the plain JSON it is', async () => {
    const body = JSON.stringify({ error: { message: 'no', type: 'x', param: null, code: 'c' } });
    await headOf('gzip', (response) => {
      response.writeHead(500, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body);
    });
    const reply = await tracker.api.chat({ model: 'gzip' });
    expect([reply.status, reply.text]).toEqual([500, body]);
    expect(reply.headers).not.toHaveProperty('content-encoding');
  });

  it('that is a redirect is none to the client', async () => {
    for (const body of ['', '{}']) {
      await headOf('moved', (response) =>
        response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(body),
      );
      const reply = await tracker.api.chat({ model: 'moved' });
      expect([reply.status, errorOf(reply).type]).toEqual([502, 'server_error']);
      expect(reply.headers).not.toHaveProperty('location');
    }
  });

  it('charges a 5xx to the node, and a 4xx to nobody', async () => {
    for (const [status, reputation, outcome] of [
      [500, 0.5, 'failed'],
      [400, 1, 'refused'],
      [429, 1, 'busy'],
    ] as const) {
      const model = `charged-${String(status)}`;
      const head = await stage.head((response) => sendJson(response, status, { error: { message: 'no' } }));
      await tracker.api.register({ wallet: model, endpoint: head.url, model });
      const record = await tracker.api.callOf(await tracker.api.chat({ model }));
      expect(record).toMatchObject({ outcome, sample: 'failed', tps: null });
      expect((await tracker.api.node(`${model}:all`)).reputation).toBeCloseTo(reputation, 2);
      expect((await tracker.api.routing(model)).candidates).toMatchObject([{ sample_count: 0 }]);
    }
  });
});

describe('an error inside a 200', () => {
  it.each([
    [{ error: { message: 'bad', code: 400 } }, 400, 'bad'],
    [{ error: { message: 'busy', code: '429' } }, 429, 'busy'],
    [{ error: { message: 'broke', code: 502 } }, 502, 'broke'],
    [{ error: { message: 'what', code: 'no_number' } }, 502, 'what'],
    [{ error: { message: 'odd', code: 200 } }, 502, 'odd'],
    [{ error: 'just text' }, 502, 'just text'],
    [{ object: 'error', message: 'vllm', code: 503 }, 503, 'vllm'],
  ])('%j gets its status, in JSON as in a stream', async (answer, status, message) => {
    for (const [model, head] of [
      ['in-json', (response: ServerResponse) => sendJson(response, 200, answer)],
      [
        'in-sse',
        (response: ServerResponse) =>
          response.writeHead(200, SSE_HEADERS).end(`: hold on\n\ndata: ${JSON.stringify(answer)}\n\n${DONE}`),
      ],
    ] as const) {
      await headOf(model, head);
      const reply = await tracker.api.chat({ model, stream: model === 'in-sse' });
      expect([reply.status, reply.headers['content-type']]).toEqual([status, 'application/json']);
      expect(errorOf(reply)).toMatchObject({ message, param: null });
      expect(await tracker.api.callOf(reply)).toMatchObject({
        outcome: status === 429 ? 'busy' : status < 500 ? 'refused' : 'failed',
        sample: 'failed',
      });
    }
  });

  it('is relayed where the stream had begun, once and alone, and is no [DONE] of ours', async () => {
    const broken = 'data: {"error":{"message":"out of memory","code":500}}\n\n';
    for (const end of ['', DONE]) {
      await headOf('mid-stream', (response) => {
        response.writeHead(200, SSE_HEADERS).end([...TEN.map(textChunk), broken, end].join(''));
      });
      const reply = await tracker.api.chat({ model: 'mid-stream', stream: true });
      expect(reply.text).toBe([...TEN.map(textChunk), broken, end].join(''));
      expect(await tracker.api.callOf(reply)).toMatchObject({ outcome: 'failed', sample: 'failed' });
    }
  });

  it('beside choices in JSON is an answer', async () => {
    const answer = { ...wholeChat(), error: { message: 'a warning', code: 500 } };
    await headOf('warned', (response) => sendJson(response, 200, answer));
    expect(jsonOf(await tracker.api.chat({ model: 'warned' }))).toEqual(answer);
  });
});

describe('an answer that breaks off', () => {
  it.each([
    ['closes the stream in order', (response: ServerResponse) => response.end()],
    ['closes it within an event', (response: ServerResponse) => response.end('data: {"choi')],
    ['drops the connection', (response: ServerResponse) => response.destroy()],
  ])('ends with one error event and no [DONE] when the head %s', async (_how, breakOff) => {
    await headOf('half', (response) => {
      response.writeHead(200, SSE_HEADERS);
      response.write(TEN.map(textChunk).join(''), () => setTimeout(() => breakOff(response), 20));
    });
    const reply = await tracker.api.chat({ model: 'half', stream: true });
    const events = dataOf(reply.text);
    expect(events.slice(0, 10)).toEqual(TEN.flatMap((text) => dataOf(textChunk(text))));
    expect(events).toHaveLength(11);
    expect(JSON.parse(String(events[10]))).toMatchObject({ error: { type: 'server_error', param: null } });
    expect(reply.isWhole).toBe(true);
    const record = await tracker.api.callOf(reply);
    expect(['cut_off', 'failed']).toContain(record.outcome);
    expect(record.sample).toBe(record.outcome);
    expect((await tracker.api.routing('half')).candidates).toMatchObject([{ sample_count: 0, tps: null }]);
  });

  it('before the first event of a stream is a 502', async () => {
    for (const breakOff of [
      (response: ServerResponse) => response.end(),
      (response: ServerResponse) => response.end(': only a comment\n\n'),
      (response: ServerResponse) => response.destroy(),
    ]) {
      await headOf('empty', (response) => {
        response.writeHead(200, SSE_HEADERS).flushHeaders();
        setTimeout(() => breakOff(response), 20);
      });
      const reply = await tracker.api.chat({ model: 'empty', stream: true });
      expect([reply.status, errorOf(reply).type]).toEqual([502, 'server_error']);
    }
  });

  it('after nothing but usage that the client did not ask for is a 502 too', async () => {
    await headOf('usage-only', (response) => response.writeHead(200, SSE_HEADERS).end(usageChunk(9)));
    const reply = await tracker.api.chat({ model: 'usage-only', stream: true });
    expect([reply.status, errorOf(reply).code]).toEqual([502, 'answer_cut_off']);
  });

  it.each([true, false])('or came encoded, though asked not to, is a 502: stream %j', async (stream) => {
    await headOf('encoded', (response) => {
      const type = stream ? 'text/event-stream' : 'application/json';
      response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' });
      response.end(stream ? textChunk('x') + DONE : JSON.stringify(wholeChat()));
    });
    const reply = await tracker.api.chat({ model: 'encoded', stream });
    expect([reply.status, errorOf(reply).code]).toEqual([502, 'node_failed']);
  });

  it('in JSON is a 502 up to 64 KiB, and beyond that a broken connection', async () => {
    for (const [kib, status, isWhole] of [
      [1, 502, true],
      [200, 200, false],
    ] as const) {
      await headOf('cut-json', (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000000' });
        response.write(`{"x":"${'x'.repeat(kib * 1024)}`, () => setTimeout(() => response.destroy(), 20));
      });
      const reply = await tracker.api.chat({ model: 'cut-json' });
      expect([reply.status, reply.isWhole]).toEqual([status, isWhole]);
      if (isWhole) expect(errorOf(reply).code).toBe('node_failed');
      expect(await tracker.api.callOf(reply)).toMatchObject({ outcome: 'failed', sample: 'failed' });
    }
  });

  it('in JSON beyond 64 KiB is begun for the client to see, also where all of it came at once', async () => {
    const garbage = 'x'.repeat(70_000);
    const head = await stage.rawHead((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${String(garbage.length)}\r\n\r\n${garbage}`);
    });
    await tracker.api.register({ wallet: 'w', endpoint: head.url, model: 'long-garbage' });
    for (let times = 0; times < 5; times += 1) {
      const reply = await tracker.api.chat({ model: 'long-garbage' });
      expect([reply.status, reply.isWhole]).toEqual([200, false]);
    }
  });

  it.each(['', 'not json', '{"choices":[', '<html>'])('and is no JSON is a 502: %j', async (body) => {
    await headOf('nonsense', (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const reply = await tracker.api.chat({ model: 'nonsense' });
    expect([reply.status, errorOf(reply).code]).toEqual([502, 'node_failed']);
  });

  it.each([
    [
      'both a length and chunks',
      'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ],
    ['a header that is none', 'no header at all\r\n\r\n{}'],
  ])('in its framing is a 502: %s', async (_what, rest) => {
    const head = await stage.rawHead((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
    await tracker.api.register({ wallet: 'w', endpoint: head.url, model: 'misframed' });
    const reply = await tracker.api.chat({ model: 'misframed' });
    expect([reply.status, errorOf(reply).code]).toEqual([502, 'node_failed']);
  });
});

describe('a hop that fails', () => {
  const HOP = { message: 'gone', type: 'server_error', code: 'hop_failed', node_id: 'tail:1-3' };

  it.each([
    ['before the first byte', (response: ServerResponse) => sendJson(response, 502, { error: HOP })],
    [
      'once the stream began',
      (response: ServerResponse) =>
        response
          .writeHead(200, SSE_HEADERS)
          .end([...TEN.map(textChunk), `data: ${JSON.stringify({ error: HOP })}\n\n`].join('')),
    ],
    [
      'as the first event of a stream',
      (response: ServerResponse) =>
        response.writeHead(200, SSE_HEADERS).end(`data: ${JSON.stringify({ error: HOP })}\n\n`),
    ],
    [
      'and the head drops the connection after it said so',
      (response: ServerResponse) => {
        response.writeHead(200, SSE_HEADERS);
        const said = [...TEN.map(textChunk), `data: ${JSON.stringify({ error: HOP })}\n\n`].join('');
        response.write(said, () => setTimeout(() => response.destroy(), 20));
      },
    ],
  ])('%s is charged, and its head is not', async (how, answer) => {
    const model = `hops ${how}`;
    const head = await stage.head(answer);
    const layers = { model, num_layers: 4 };
    await tracker.api.register({
      ...layers,
      wallet: 'head',
      endpoint: head.url,
      shard_start: 0,
      shard_end: 0,
    });
    await tracker.api.register({
      ...{ ...layers, wallet: 'tail', endpoint: `http://127.0.0.1:9/${encodeURIComponent(how)}` },
      ...{ shard_start: 1, shard_end: 3 },
    });
    const reply = await tracker.api.chat({ model, stream: true });
    expect(await tracker.api.callOf(reply)).toMatchObject({ outcome: 'failed', sample: 'failed' });
    const nodes = (await tracker.api.nodes()).filter((node) => node.model === model);
    expect(nodes.map(({ node_id, reputation }) => [node_id, reputation > 0.9])).toEqual([
      ['head:0-0', true],
      ['tail:1-3', false],
    ]);
  });

  it('that is none of the route is charged to the head', async () => {
    const error = { ...HOP, node_id: 'stranger:1-3' };
    const head = await stage.head((response) => sendJson(response, 502, { error }));
    await tracker.api.register({ wallet: 'blamed', endpoint: head.url, model: 'stranger' });
    await tracker.api.chat({ model: 'stranger' });
    expect((await tracker.api.node('blamed:all')).reputation).toBeCloseTo(0.5, 2);
  });
});
