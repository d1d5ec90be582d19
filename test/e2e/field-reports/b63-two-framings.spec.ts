import { afterEach, describe, expect, it } from '@jest/globals';
import { dataOf, errorOf, type Reply } from '../../support/http-client.js';
import {
  DONE,
  finishChunk,
  rawChat,
  sendJson,
  SSE_HEADERS,
  textChunk,
  usageChunk,
  wholeChat,
} from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { aChat, BLAMED, join, standingOf } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

const BODY = JSON.stringify(wholeChat());
const LENGTH = `content-length: ${String(BODY.length)}`;
const CHUNKED = 'transfer-encoding: chunked';
const CHUNKS = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

const CONTRADICTIONS: Readonly<Record<string, string>> = {
  'a length and chunks': rawChat([LENGTH, CHUNKED], CHUNKS),
  'chunks and a length': rawChat([CHUNKED, LENGTH], CHUNKS),
  'a length that is none and chunks': rawChat(['content-length: 0', CHUNKED], CHUNKS),
  'two lengths': rawChat([LENGTH, 'content-length: 7'], BODY),
};

function framingOf({ headers }: Reply): string[] {
  return ['content-length', 'transfer-encoding'].filter((name) => headers[name] !== undefined);
}

describe('B63: a head that frames its answer twice', () => {
  it.each(Object.keys(CONTRADICTIONS))('is a failed node, and the tracker lives on: %s', async (kind) => {
    const { api } = await stage.tracker();
    const head = await stage.rawHead((socket) => socket.write(CONTRADICTIONS[kind] ?? ''));
    const nodeId = await join(api, head, 'a');
    for (const stream of [false, true]) {
      const reply = await api.chat(aChat({ stream }));
      expect(reply.status).toBe(502);
      expect(errorOf(reply)).toMatchObject({ type: 'server_error', code: 'node_failed' });
      expect(framingOf(reply)).toEqual(['content-length']);
      expect(await api.callOf(reply)).toMatchObject({ outcome: 'failed', sample: 'failed' });
    }
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
    const sound = await stage.head();
    await join(api, sound, 'b', { throughput_tps: 1 });
    for (let n = 0; n < 5; n += 1) expect((await api.chat(aChat())).status).toBe(200);
    expect(sound.chats).toHaveLength(5);
  });
});

describe('B63: what a client gets', () => {
  it.each<[string, number, string]>([
    ['short', 10, 'content-length'],
    ['longer than is held back', 200_000, 'transfer-encoding'],
  ])('has one framing, whatever that of the head (%s JSON)', async (_size, letters, framing) => {
    const { api } = await stage.tracker();
    const body = JSON.stringify(wholeChat('x'.repeat(letters)));
    const head = await stage.head((response, chat) => {
      const length = chat.body.includes('"sized":true') ? { 'content-length': String(body.length) } : {};
      response.writeHead(200, { 'content-type': 'application/json', ...length });
      response.write(body.slice(0, 7));
      response.end(body.slice(7));
    });
    await join(api, head, 'a');
    for (const sized of [true, false]) {
      const reply = await api.chat(aChat({ sized }));
      expect([reply.status, reply.isWhole, reply.text === body]).toEqual([200, true, true]);
      expect(framingOf(reply)).toEqual([framing]);
    }
  });

  it.each(['chunked', 'sized'])(
    'is whole though usage was taken out of the stream (%s head)',
    async (kind) => {
      const { api } = await stage.tracker();
      const events = [textChunk('a'), textChunk('b'), finishChunk(), usageChunk(12), DONE];
      const length = { 'content-length': String(Buffer.byteLength(events.join(''))) };
      const head = await stage.head((response) => {
        response.writeHead(200, { ...SSE_HEADERS, ...(kind === 'sized' ? length : {}) });
        for (const event of events) response.write(event);
        response.end();
      });
      await join(api, head, 'a');
      const reply = await api.chat(aChat({ stream: true }));
      expect([reply.status, reply.isWhole, framingOf(reply)]).toEqual([200, true, ['transfer-encoding']]);
      expect(dataOf(reply.text)).toHaveLength(events.length - 1);
      expect(reply.text).not.toContain('usage');
      expect(await api.callOf(reply)).toMatchObject({ completion_tokens: 12, sample: 'recorded' });
    },
  );

  it('is framed anew where the head refused', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => sendJson(response, 422, { error: { message: 'no' } }));
    await join(api, head, 'a');
    for (const stream of [true, false]) {
      const reply = await api.chat(aChat({ stream }));
      expect([reply.status, reply.isWhole, framingOf(reply)]).toEqual([422, true, ['content-length']]);
      expect(errorOf(reply).message).toBe('no');
    }
  });
});
