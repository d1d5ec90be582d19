import { afterEach, describe, expect, it } from '@jest/globals';
import type { FakeHead, HeadAnswering } from '../../support/fake-head.js';
import { dataOf, errorOf } from '../../support/http-client.js';
import {
  DONE,
  event,
  finishChunk,
  sendChat,
  sendJson,
  SSE_HEADERS,
  sendStream,
  TEN,
  textChunk,
} from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { aChat, join, received, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const STREAM = aChat({ stream: true });
const REFUSAL = { error: { message: 'extra inputs not permitted', type: 'bad', param: null, code: null } };

const stage = new Stage();
afterEach(() => stage.end());

/** Knows no `stream_options`, and gives no usage. */
function strict(status: number): HeadAnswering {
  return (response, chat) => {
    if (chat.body.includes('stream_options')) sendJson(response, status, REFUSAL);
    else sendStream(response, TEN, false);
  };
}

/** Whether each chat that came asked for usage. */
function asked(head: FakeHead): boolean[] {
  return head.chats.map(({ body }) => body.includes('stream_options'));
}

describe('B25 a head refuses the field that the tracker added', () => {
  it.each([400, 422])('is asked again without it, which is remembered (status %i)', async (status) => {
    const { api } = await stage.tracker();
    const head = await stage.head(strict(status));
    const spare = await stage.head();
    const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
    const spareId = await join(api, spare, 'spare', { throughput_tps: 1 });
    const pinned = aChat({ stream: true, route: [nodeId] });

    const first = await api.chat(STREAM);
    expect(asked(head)).toEqual([true, false]);
    for (let at = 0; at < 3; at += 1) expect((await api.chat(pinned)).status).toBe(200);
    expect(asked(head)).toEqual([true, false, false, false, false]);

    expect(first).toMatchObject({ status: 200, headers: { 'x-meshnet-attempts': '1' } });
    expect(dataOf(first.text)).toEqual(dataOf(TEN.map(textChunk).join('') + finishChunk() + DONE));
    expect(await api.callOf(first)).toMatchObject({
      outcome: 'completed',
      attempts: [{ outcome: 'completed', status: 200 }],
      completion_tokens: 10,
      tokens_estimated: true,
      sample: 'recorded',
    });
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 4 });
    expect(await standingOf(api, spareId)).toEqual(UNTOUCHED);
  });

  it('is remembered for that node alone', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head(strict(400));
    const other = await stage.head();
    const nodeId = await join(api, head, 'head');
    const otherId = await join(api, other, 'other');

    for (const id of [nodeId, otherId, nodeId, otherId]) {
      expect((await api.chat(aChat({ stream: true, route: [id] }))).status).toBe(200);
    }

    expect(asked(head)).toEqual([true, false, false]);
    expect(asked(other)).toEqual([true, true]);
  });

  it('is asked again too where the refusal comes inside a 200', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response, chat) => {
      if (!chat.body.includes('stream_options')) sendStream(response, TEN, false);
      else response.writeHead(200, SSE_HEADERS).end(event({ error: { message: 'no', code: 400 } }));
    });
    const nodeId = await join(api, head, 'head');

    expect((await api.chat(STREAM)).status).toBe(200);
    expect((await api.chat(STREAM)).status).toBe(200);
    expect(asked(head)).toEqual([true, false, false]);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 2 });
  });

  it('still keeps the usage that such a head sends unasked from the client', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response, chat) => {
      if (chat.body.includes('stream_options')) sendJson(response, 400, REFUSAL);
      else sendStream(response, TEN);
    });
    await join(api, head, 'head');

    for (let at = 0; at < 2; at += 1) {
      const reply = await api.chat(STREAM);
      expect(reply.text).toBe(TEN.map(textChunk).join('') + finishChunk() + DONE);
      expect(await api.callOf(reply)).toMatchObject({ completion_tokens: 10, tokens_estimated: false });
    }
  });

  it('leaves one call counted once, while it is asked again', async () => {
    const { api } = await stage.tracker();
    let answer = (): void => undefined;
    const head = await stage.head((response, chat) => {
      if (chat.body.includes('stream_options')) sendJson(response, 400, REFUSAL);
      else answer = () => sendChat(response, chat);
    });
    await join(api, head, 'head', { max_concurrent: 1 });

    const replying = api.chat(STREAM);
    await received(head, 2);
    expect(await api.inFlight('m')).toEqual({ nodes: 1, routes: 1 });
    answer();
    await replying;
    expect(await api.inFlight('m')).toEqual({ nodes: 0, routes: 0 });
  });

  it('tells the client of its own field, and asks no second time', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head(strict(400));
    const nodeId = await join(api, head, 'head');

    const reply = await api.chat(aChat({ stream: true, stream_options: { include_usage: true } }));

    expect(reply.status).toBe(400);
    expect(errorOf(reply)).toEqual(REFUSAL.error);
    expect(head.chats.length).toBe(1);
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
  });

  it('remembers nothing of a head that refuses the rest as well, and tells the client why', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => sendJson(response, 400, REFUSAL));
    const nodeId = await join(api, head, 'head');

    const reply = await api.chat(STREAM);

    expect(reply.status).toBe(400);
    expect(errorOf(reply)).toEqual(REFUSAL.error);
    expect(asked(head)).toEqual([true, false]);
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'refused', attempts: [{ outcome: 'refused' }] });
    head.answer(sendChat);
    await api.chat(STREAM);
    expect(asked(head)).toEqual([true, false, true]);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('is no reason to ask a second time for JSON', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => sendJson(response, 400, REFUSAL));
    await join(api, head, 'head');

    expect((await api.chat(aChat())).status).toBe(400);
    expect(head.chats.length).toBe(1);
  });

  it('lets another route take over when the head fails over the second asking', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response, chat) => {
      if (chat.body.includes('stream_options')) sendJson(response, 400, REFUSAL);
      else response.destroy();
    });
    const spare = await stage.head();
    const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
    await join(api, spare, 'spare', { throughput_tps: 1 });

    const reply = await api.chat(STREAM);

    expect(reply).toMatchObject({ status: 200, headers: { 'x-meshnet-attempts': '2' } });
    expect(await api.callOf(reply)).toMatchObject({
      attempts: [{ outcome: 'failed' }, { outcome: 'completed' }],
    });
    expect((await standingOf(api, nodeId)).isBlamed).toBe(true);
  });
});
