import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { request } from 'undici';
import { eventually } from '../../support/eventually.js';
import type { HeadAnswering } from '../../support/fake-head.js';
import { dataOf, errorOf, type Reply } from '../../support/http-client.js';
import {
  DONE,
  finishChunk,
  sendChat,
  sendJson,
  SSE_HEADERS,
  textChunk,
} from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { aChat, join, MODEL, received, standingOf, UNTOUCHED } from '../../support/whole-model.js';

/** The clock by which the HTTP library's own limits run. */
interface LibraryTimers {
  tick(ms: number): void;
}
const libraryTimers = createRequire(import.meta.url)('undici/lib/util/timers.js') as LibraryTimers;

const stage = new Stage();
afterEach(async () => {
  jest.restoreAllMocks();
  await stage.end();
});

/** Makes the library believe that ten minutes have gone by; its defaults are five. */
function tenMinutes(): void {
  // The first tick starts what was only noted so far.
  libraryTimers.tick(1);
  libraryTimers.tick(600_000);
}

/** How a request under the library's default limits ends. */
async function byDefault(url: string): Promise<unknown> {
  return request(url, { method: 'POST', body: '{}' })
    .then(({ body }) => body.text())
    .catch((fault: unknown) => (fault as { code: unknown }).code);
}

describe('B71: an answer that takes longer than five minutes', () => {
  it('is waited for until its headers come', async () => {
    const { api } = await stage.tracker();
    const held: (() => void)[] = [];
    const head = await stage.head((response, chat) => held.push(() => sendChat(response, chat)));
    await join(api, head, 'a');
    const waiting = api.chat(aChat());
    const lost = byDefault(head.url);
    await received(head, 2);
    tenMinutes();
    expect(await lost).toBe('UND_ERR_HEADERS_TIMEOUT');
    await eventually(() => expect(head.chats.filter(({ aborted }) => aborted)).toHaveLength(1));
    for (const answer of held) answer();
    expect((await waiting).status).toBe(200);
    expect(await standingOf(api, 'a:all')).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('is waited for through a silence in its midst', async () => {
    const { api } = await stage.tracker();
    const held: (() => void)[] = [];
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('first'));
      held.push(() => response.end(textChunk('second') + finishChunk() + DONE));
    });
    await join(api, head, 'a');
    const reply = await api.openChat(aChat({ stream: true }));
    await reply.until('first');
    const lost = byDefault(head.url);
    await received(head, 2);
    // The library has to have seen the beginning before it waits for more.
    await eventually(async () => {
      tenMinutes();
      expect(await Promise.race([lost, Promise.resolve('waits')])).toBe('UND_ERR_BODY_TIMEOUT');
    });
    for (const answer of held) answer();
    const { isWhole, text } = await reply.rest();
    expect([isWhole, dataOf(text).at(-1)]).toEqual([true, '[DONE]']);
    expect(text).toContain('second');
  });

  it('is limited on the side of clients only as to how long a request may take to come', async () => {
    const { app } = await stage.tracker();
    const { requestTimeout, headersTimeout, timeout } = app.getHttpServer();
    expect({ requestTimeout, headersTimeout, timeout }).toEqual({
      requestTimeout: 300_000,
      headersTimeout: 60_000,
      timeout: 0,
    });
  });
});

const SILENT: HeadAnswering = () => undefined;
const SILENT_AFTER_HEADERS: HeadAnswering = (response) => response.writeHead(200, SSE_HEADERS).flushHeaders();
const SILENT_AFTER_A_TOKEN: HeadAnswering = (response) =>
  response.writeHead(200, SSE_HEADERS).write(textChunk('first'));
/** Goes on for ever, never silent for long. */
const ENDLESS: HeadAnswering = (response) => {
  response.writeHead(200, SSE_HEADERS);
  const timer = setInterval(() => response.write(textChunk('again')), 20);
  response.on('close', () => clearInterval(timer));
};

async function slowNode(
  answering: HeadAnswering,
  env: Readonly<Record<string, string>>,
  chat: object,
): Promise<{ reply: Reply; record: unknown; isDropped: () => boolean }> {
  const { api } = await stage.tracker({ env });
  const head = await stage.head(answering);
  await join(api, head, 'slow');
  const reply = await api.chat(aChat(chat));
  return { reply, record: await api.callOf(reply), isDropped: () => head.last.aborted };
}

/** What a timeout says: which node, what it did not do, for how long, for how large a prompt, by which setting. */
function expectTold(message: string, what: string, seconds: number, setting: string): void {
  expect(message).toMatch(
    new RegExp(
      `^The node slow:all ${what} for \\d\\.\\d s \\(request of \\d+ bytes\\); ${setting} sets this limit\\.$`,
    ),
  );
  const told = Number(/for (\d\.\d) s/.exec(message)?.[1]);
  expect(told).toBeGreaterThanOrEqual(seconds - 0.1);
}

describe('B71: the limits that operators set', () => {
  it.each<[string, HeadAnswering, boolean]>([
    ['a silent head, JSON', SILENT, false],
    ['a silent head, stream', SILENT, true],
    ['a head silent after its headers, stream', SILENT_AFTER_HEADERS, true],
  ])('end the wait for the first byte and say so (%s)', async (_what, answering, stream) => {
    const env = { MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.3' };
    const { reply, record, isDropped } = await slowNode(answering, env, { stream });
    expect(reply.status).toBe(504);
    const { message, code } = errorOf(reply);
    expect(code).toBe('node_timeout');
    expectTold(message, 'sent no first byte', 0.3, 'MESHNET_FIRST_BYTE_TIMEOUT_SECONDS');
    expect(reply.headers['x-should-retry']).toBe(stream ? undefined : 'false');
    expect(record).toMatchObject({ outcome: 'timed_out', sample: 'failed' });
    await eventually(() => expect(isDropped()).toBe(true));
  });

  it('end a silence between two tokens and say so', async () => {
    const env = { MESHNET_IDLE_TIMEOUT_SECONDS: '0.3' };
    const { reply, record, isDropped } = await slowNode(SILENT_AFTER_A_TOKEN, env, { stream: true });
    expect([reply.status, reply.isWhole]).toEqual([200, true]);
    expect(reply.text).not.toContain('[DONE]');
    const told = JSON.parse(dataOf(reply.text).at(-1) ?? '') as { error: { message: string; code: string } };
    expect(told.error.code).toBe('node_timeout');
    expectTold(told.error.message, 'fell silent', 0.3, 'MESHNET_IDLE_TIMEOUT_SECONDS');
    expect(record).toMatchObject({ outcome: 'timed_out', sample: 'failed' });
    await eventually(() => expect(isDropped()).toBe(true));
  });

  it('end a call that takes too long altogether and say so', async () => {
    const env = { MESHNET_TOTAL_TIMEOUT_SECONDS: '0.4', MESHNET_IDLE_TIMEOUT_SECONDS: '9' };
    const { reply, record } = await slowNode(ENDLESS, env, { stream: true });
    const told = JSON.parse(dataOf(reply.text).at(-1) ?? '') as { error: { message: string; code: string } };
    expectTold(told.error.message, 'did not finish', 0.4, 'MESHNET_TOTAL_TIMEOUT_SECONDS');
    expect(record).toMatchObject({ outcome: 'timed_out' });
  });

  it('end the wait for a connection and say so', async () => {
    const { api } = await stage.tracker({ env: { MESHNET_CONNECT_TIMEOUT_SECONDS: '0.3' } });
    const head = await stage.head();
    await join(api, head, 'slow');
    const connect = net.connect;
    jest.spyOn(net, 'connect').mockImplementation(((options: { port?: unknown }, ...more: never[]) =>
      // A connection that neither comes about nor fails, as to a machine that drops what it is sent.
      String(options.port) === String(head.port)
        ? new net.Socket()
        : connect(options as net.NetConnectOpts, ...more)) as typeof net.connect);
    const reply = await api.chat(aChat());
    jest.restoreAllMocks();
    expect(reply.status).toBe(504);
    expectTold(
      errorOf(reply).message,
      'did not accept the connection',
      0.3,
      'MESHNET_CONNECT_TIMEOUT_SECONDS',
    );
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'timed_out', attempts: [{ status: null }] });
    expect(head.chats).toEqual([]);
  });

  it('may be longer for one node, which its message then names', async () => {
    const folder = mkdtempSync(joinPath(tmpdir(), 'nodes-'));
    stage.atEnd(() => rmSync(folder, { recursive: true }));
    const held: (() => void)[] = [];
    const answering: HeadAnswering = (response, chat) => {
      if (chat.method === 'GET') sendJson(response, 200, { object: 'list', data: [{ id: MODEL }] });
      else held.push(() => sendChat(response, chat));
    };
    const [patient, strict] = [await stage.head(answering), await stage.head(answering)];
    const file = joinPath(folder, 'nodes.json');
    const entry = (name: string, url: string, seconds: number): object => {
      return {
        name,
        url,
        models: [{ id: name, upstream_model: MODEL }],
        first_byte_timeout_seconds: seconds,
      };
    };
    writeFileSync(
      file,
      JSON.stringify({ nodes: [entry('patient', patient.url, 60), entry('strict', strict.url, 0.2)] }),
    );
    const env = { MESHNET_NODES_FILE: file, MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.4' };
    const { api } = await stage.tracker({ env });
    const waiting = api.chat(aChat({ model: 'patient' }));
    await received(patient);
    for (let n = 0; n < 3; n += 1) {
      const reply = await api.chat(aChat({ model: 'strict' }));
      expect(reply.status).toBe(504);
      expect(errorOf(reply).message).toContain("the node's first_byte_timeout_seconds in the nodes file");
    }
    // By now the common limit would have ended it.
    for (const answer of held) answer();
    expect((await waiting).status).toBe(200);
  });
});
