import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { dataOf, errorOf } from '../../support/http-client.js';
import {
  DONE,
  event,
  finishChunk,
  sendChat,
  SSE_HEADERS,
  TEN,
  textChunk,
} from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { aChat, BLAMED, join, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const STREAM = aChat({ stream: true });
const ANSWER = dataOf(TEN.map(textChunk).join('') + finishChunk() + DONE);

const stage = new Stage();
afterEach(() => stage.end());

function anError(code: unknown): string {
  return event({ error: { message: 'bad', code } });
}

function stream(...parts: string[]): (response: ServerResponse) => Promise<void> {
  return async (response) => {
    response.writeHead(200, SSE_HEADERS);
    for (const part of parts) {
      response.write(part);
      await new Promise(setImmediate);
    }
    response.end();
  };
}

/** A tracker with a head that streams this, and a spare head. */
async function staged(...parts: string[]) {
  const { api } = await stage.tracker();
  const head = await stage.head(stream(...parts));
  const spare = await stage.head();
  const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
  await join(api, spare, 'spare', { throughput_tps: 1 });
  return { api, head, spare, nodeId };
}

/** The same, but the head has completed a chat: what it refuses is refused. */
async function stagedProven(...parts: string[]) {
  const { api } = await stage.tracker({ env: { MESHNET_ROUTE_EXPLORE_SHARE: '0' } });
  const head = await stage.head(sendChat);
  const spare = await stage.head();
  const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
  await join(api, spare, 'spare', { throughput_tps: 1 });
  await api.chat(aChat({ route: [nodeId] }));
  head.answer(stream(...parts));
  return { api, spare, nodeId };
}

describe('B17 the first event of a stream is an error', () => {
  it.each([
    ['a code', [anError(400), DONE], 400],
    ['a code given as text', [anError('422'), DONE], 422],
    ['comments before it', [': loading\n\n', ': loading\n\n', anError(431), DONE], 431],
    ['its bytes cut', anError(400).split(/(?=\W)/), 400],
    ['CRLF', [anError(400).replaceAll('\n', '\r\n')], 400],
    ['the stream broken off after it', [anError(400)], 400],
    ['an event name', ['event: error\ndata: {"message":"bad","code":415}\n\n', DONE], 415],
    ['a bare object', [event({ object: 'error', message: 'bad', code: 400 }), DONE], 400],
  ])('becomes the status of the answer, with %s', async (_what, parts, status) => {
    const { api, spare, nodeId } = await stagedProven(...parts);

    const reply = await api.chat(STREAM);

    expect(reply.status).toBe(status);
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
    expect(errorOf(reply)).toMatchObject({ message: 'bad', type: 'invalid_request_error', param: null });
    expect(spare.chats).toEqual([]);
    expect(await api.callOf(reply)).toMatchObject({
      outcome: 'refused',
      sample: 'failed',
      attempts: [{ outcome: 'refused', status: 200 }],
    });
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it.each([
    ['500', [anError(500), DONE]],
    ['502 as text', [anError('502'), DONE]],
    ['529', [anError(529), DONE]],
    ['no code', [anError(undefined), DONE]],
    ['a code of words', [anError('server_error'), DONE]],
    ['nothing but a text', [event({ error: 'out of memory' }), DONE]],
    ['a code that is no status', [anError(7), DONE]],
    ['401, which is the node’s quarrel with the tracker', [anError(401), DONE]],
    ['409 in an event named error', ['event: error\ndata: {"message":"bad","code":409}\n\n', DONE]],
  ])('lets the next route try, with %s', async (_what, parts) => {
    const { api, nodeId } = await staged(...parts);

    const reply = await api.chat(STREAM);

    expect(reply.status).toBe(200);
    expect(reply.headers['x-meshnet-attempts']).toBe('2');
    expect(dataOf(reply.text)).toEqual(ANSWER);
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
  });

  it.each([
    ['400 of a node without a completion', [anError(400), DONE], 'refused'],
    ['413 after comments', [': loading\n\n', ': loading\n\n', anError(413), DONE], 'too_long'],
    ['501', [anError(501), DONE], 'unsupported'],
  ])('lets the next route try and charges no node, with %s', async (_what, parts, outcome) => {
    const { api, nodeId } = await staged(...parts);

    const reply = await api.chat(STREAM);

    expect(reply.status).toBe(200);
    expect(dataOf(reply.text)).toEqual(ANSWER);
    expect(await api.callOf(reply)).toMatchObject({
      outcome: 'completed',
      attempts: [{ outcome, status: 200 }, { outcome: 'completed' }],
    });
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
  });

  it.each([
    [429, 'busy', false],
    [500, 'failed', true],
    [529, 'failed', true],
  ])('gives the client status %i where no other route is left', async (code, outcome, isBlamed) => {
    const { api } = await stage.tracker();
    const nodeId = await join(api, await stage.head(stream(anError(code), DONE)), 'head');

    const reply = await api.chat(STREAM);

    expect(reply.status).toBe(code);
    expect(errorOf(reply)).toMatchObject({ message: 'bad', code: String(code) });
    expect((await api.callOf(reply)).outcome).toBe(outcome);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, isBlamed });
  });

  it.each([401, 403, 404])(
    'hides a %i that concerns the tracker behind a 502 that names the node',
    async (code) => {
      const { api } = await stage.tracker();
      const nodeId = await join(api, await stage.head(stream(anError(code), DONE)), 'head');

      const reply = await api.chat(STREAM);

      expect(reply.status).toBe(502);
      expect(errorOf(reply).code).toBe('node_misconfigured');
      expect(errorOf(reply).message).toContain(nodeId);
      expect(await standingOf(api, nodeId)).toEqual(BLAMED);
    },
  );

  it('is an error of its class for the official library', async () => {
    const tracker = await stage.tracker();
    await join(tracker.api, await stage.head(stream(anError(400), DONE)), 'head');
    const client = new OpenAI({ baseURL: `${tracker.url}/v1`, apiKey: 'none', maxRetries: 0 });

    const asking = client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Which way?' }],
      stream: true,
    });

    await expect(asking).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });

  it.each([
    [400, 'refused', false],
    [500, 'failed', true],
  ])(
    'stays an event once tokens were sent: code %i ends in %s, and there is no second error',
    async (code, outcome, isBlamed) => {
      const { api, spare, nodeId } = await staged(TEN.map(textChunk).join(''), anError(code));

      const reply = await api.chat(STREAM);

      expect(reply.text).toBe(TEN.map(textChunk).join('') + anError(code));
      expect(spare.chats).toEqual([]);
      expect(await api.callOf(reply)).toMatchObject({ outcome, sample: 'failed', completion_tokens: 10 });
      expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, isBlamed });
    },
  );

  it('is no sample although the head says [DONE] after it', async () => {
    const { api, nodeId } = await staged(TEN.map(textChunk).join(''), anError(500), DONE);

    const reply = await api.chat(STREAM);

    expect(dataOf(reply.text).length).toBe(TEN.length + 2);
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'failed', sample: 'failed' });
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
  });

  it('sees no error in an answer that talks of one', async () => {
    const { api, nodeId } = await staged(
      event({ error: null, choices: [{ index: 0, delta: { content: '{"error":{"code":500}}' } }] }),
      ...TEN.map(textChunk),
      finishChunk() + DONE,
    );

    const reply = await api.chat(STREAM);

    expect(reply.status).toBe(200);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });
});
