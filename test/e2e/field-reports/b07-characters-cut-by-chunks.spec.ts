import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { dataOf, errorOf } from '../../support/http-client.js';
import {
  DONE,
  event,
  finishChunk,
  SSE_HEADERS,
  textChunk,
  usageChunk,
  wholeChat,
} from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { aChat, join, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const TEXT = '北京😀é';
const BEFORE_USAGE = Buffer.from(textChunk(TEXT) + finishChunk());
const STREAM = Buffer.from(BEFORE_USAGE.toString() + usageChunk(12) + DONE);
const WITH_USAGE = aChat({ stream: true, stream_options: { include_usage: true } });
const REPLACEMENT = '\ufffd';

const stage = new Stage();
afterEach(() => stage.end());

/** Each part in a network packet of its own. */
async function sendParts(response: ServerResponse, parts: readonly Buffer[]): Promise<void> {
  for (const part of parts) {
    response.write(part);
    await new Promise(setImmediate);
  }
  response.end();
}

function bytewise(bytes: Buffer): Buffer[] {
  return [...bytes].map((_, at) => bytes.subarray(at, at + 1));
}

/** Offsets within a character of several bytes. */
function insideCharacters(bytes: Buffer): number[] {
  return [...bytes.keys()].filter((at) => ((bytes[at] ?? 0) & 0xc0) === 0x80);
}

describe('B07 a character is cut by the edge of a chunk', () => {
  it('gives the client the very bytes of the head when each byte comes alone', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS);
      return sendParts(response, bytewise(STREAM));
    });
    const nodeId = await join(api, head, 'head');

    const reply = await api.chat(WITH_USAGE);

    expect(reply.body.equals(STREAM)).toBe(true);
    expect(await api.callOf(reply)).toMatchObject({ completion_tokens: 12, tokens_estimated: false });
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('leaves out the usage that only the tracker asked for, and not a byte more', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS);
      return sendParts(response, bytewise(STREAM));
    });
    await join(api, head, 'head');

    const reply = await api.chat(aChat({ stream: true }));

    expect(reply.body.equals(Buffer.concat([BEFORE_USAGE, Buffer.from(DONE)]))).toBe(true);
    expect(await api.callOf(reply)).toMatchObject({ completion_tokens: 12, tokens_estimated: false });
  });

  it('gives the client the very bytes wherever a character is cut', async () => {
    const { api } = await stage.tracker();
    const cuts = insideCharacters(STREAM);
    expect(cuts.length).toBe(8);
    let cut = 0;
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS);
      return sendParts(response, [STREAM.subarray(0, cut), STREAM.subarray(cut)]);
    });
    await join(api, head, 'head');

    for (cut of cuts) {
      const reply = await api.chat(WITH_USAGE);
      expect({ cut, same: reply.body.equals(STREAM) }).toEqual({ cut, same: true });
      expect(await api.callOf(reply)).toMatchObject({ completion_tokens: 12, tokens_estimated: false });
    }
  });

  it('gives the client the very bytes of a JSON answer', async () => {
    const { api } = await stage.tracker();
    const answer = Buffer.from(JSON.stringify(wholeChat(TEXT, 12)));
    const head = await stage.head((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      return sendParts(response, bytewise(answer));
    });
    await join(api, head, 'head');

    const reply = await api.chat(aChat());

    expect(reply.body.equals(answer)).toBe(true);
    expect(reply.headers['content-length']).toBe(String(answer.length));
    expect(await api.callOf(reply)).toMatchObject({ completion_tokens: 12 });
  });

  it('gives the head the very bytes of a question whose characters came in two pieces', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    await join(api, head, 'head');
    const question = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: TEXT }] }));

    for (const cut of insideCharacters(question)) {
      const chunks = [question.subarray(0, cut), question.subarray(cut)];
      expect((await api.chatInChunks(chunks)).status).toBe(200);
      expect(head.last.body.equals(question)).toBe(true);
    }
  });

  it('reads an error before the first token character by character, not piece by piece', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS);
      return sendParts(response, bytewise(Buffer.from(event({ error: { message: TEXT, code: 400 } }))));
    });
    await join(api, head, 'head');

    const reply = await api.chat(aChat({ stream: true }));

    expect(reply.status).toBe(400);
    expect(errorOf(reply).message).toBe(TEXT);
  });

  it('drops a character that the head never finished instead of replacing it', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS);
      const [cut] = insideCharacters(STREAM);
      return sendParts(response, [Buffer.from(textChunk('whole')), STREAM.subarray(0, cut)]);
    });
    await join(api, head, 'head');

    const reply = await api.chat(WITH_USAGE);

    expect(reply.text).not.toContain(REPLACEMENT);
    const [whole, fault] = dataOf(reply.text);
    expect(whole).toContain('whole');
    expect(JSON.parse(fault ?? '')).toMatchObject({ error: { code: 'answer_cut_off' } });
    expect(dataOf(reply.text).length).toBe(2);
  });
});
