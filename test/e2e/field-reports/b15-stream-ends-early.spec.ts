import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { dataOf, errorOf } from '../../support/http-client.js';
import {
  DONE,
  event,
  finishChunk,
  sendChat,
  SSE_HEADERS,
  TEN,
  textChunk,
  usageChunk,
  wholeChat,
} from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import { aChat, BLAMED, join, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const STREAM = aChat({ stream: true });
const TWO = textChunk('one ') + textChunk('two');
const WHOLE = TEN.map(textChunk).join('') + finishChunk() + DONE;
const ROLE = event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] });

const stage = new Stage();
afterEach(() => stage.end());

/** A tracker with a head that streams this and ends in this way, and a spare head that is never slow or wrong. */
async function staged(text: string, end: (response: ServerResponse) => void = (response) => response.end()) {
  const { api } = await stage.tracker();
  const head = await stage.head((response) => {
    response.writeHead(200, SSE_HEADERS).flushHeaders();
    response.write(text, () => end(response));
  });
  const spare = await stage.head();
  const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
  const spareId = await join(api, spare, 'spare', { throughput_tps: 1 });
  return { api, head, spare, nodeId, spareId };
}

describe('B15 a stream ends too early', () => {
  it.each([
    ['two deltas', TWO, 2],
    ['deltas and usage', TWO + usageChunk(40), 2],
    ['a delta and half of another', textChunk('one ') + textChunk('two').slice(0, 30), 1],
    ['empty finish reasons all along', textChunk('one ') + finishChunk(''), 2],
    ['two deltas and [DONE], without a finish reason', TWO + DONE, 2],
  ])('is no whole answer when a head ends cleanly after %s', async (_what, text, events) => {
    const { api, spare, nodeId } = await staged(text);

    const reply = await api.chat(STREAM);

    const data = dataOf(reply.text);
    expect(data.length).toBe(events + 1);
    expect(JSON.parse(data.at(-1) ?? '')).toMatchObject({
      error: { type: 'server_error', param: null, code: 'answer_cut_off' },
    });
    expect(reply.text).not.toContain('[DONE]');
    expect(reply.text.endsWith('\n\n')).toBe(true);
    expect(spare.chats).toEqual([]);
    expect(await api.callOf(reply)).toMatchObject({
      outcome: 'cut_off',
      sample: 'cut_off',
      tps: null,
      attempts: [{ outcome: 'cut_off', status: 200 }],
    });
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
  });

  it('is no whole answer when the connection breaks after ten tokens, which is no sample either', async () => {
    const { api, spare, nodeId } = await staged(TEN.map(textChunk).join(''), (response) =>
      response.destroy(),
    );

    const reply = await api.chat(STREAM);

    const data = dataOf(reply.text);
    expect(data.length).toBe(TEN.length + 1);
    expect(JSON.parse(data.at(-1) ?? '')).toMatchObject({ error: { code: 'node_failed' } });
    expect(spare.chats).toEqual([]);
    expect(await api.callOf(reply)).toMatchObject({
      outcome: 'failed',
      sample: 'failed',
      completion_tokens: 10,
    });
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
  });

  it.each([
    ['nothing', ''],
    ['comments only', ': hello\n\n: world\n\n'],
    ['half an event', textChunk('one ').slice(0, 30)],
    ['usage that the client must not see', usageChunk(40)],
    ['a role and nothing else', ROLE],
  ])('is served by another route when the head ended after %s', async (_what, text) => {
    const { api, nodeId, spareId } = await staged(text);

    const reply = await api.chat(STREAM);

    expect(reply.status).toBe(200);
    expect(reply.headers['x-meshnet-attempts']).toBe('2');
    expect(dataOf(reply.text)).toEqual(dataOf(TEN.map(textChunk).join('') + finishChunk() + DONE));
    expect(await api.callOf(reply)).toMatchObject({
      outcome: 'completed',
      attempts: [{ outcome: 'cut_off' }, { outcome: 'completed' }],
    });
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
    expect(await standingOf(api, spareId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('is a 502 when no byte of an answer came and no other route is left', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => response.writeHead(200, SSE_HEADERS).end());
    const nodeId = await join(api, head, 'head');

    const reply = await api.chat(STREAM);

    expect(reply.status).toBe(502);
    expect(errorOf(reply)).toMatchObject({ type: 'server_error', code: 'answer_cut_off' });
    expect(errorOf(reply).message).toContain(nodeId);
    expect((await api.callOf(reply)).outcome).toBe('cut_off');
  });

  it('is whole with a finish reason alone, and no [DONE] is invented', async () => {
    const { api, nodeId } = await staged(TEN.map(textChunk).join('') + finishChunk());

    const reply = await api.chat(STREAM);

    expect(reply.isWhole).toBe(true);
    expect(reply.text).toBe(TEN.map(textChunk).join('') + finishChunk());
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'completed', sample: 'recorded' });
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('is whole with a finish reason and [DONE], be its blank line missing', async () => {
    const { api, nodeId } = await staged(TEN.map(textChunk).join('') + finishChunk() + DONE.trimEnd());

    const reply = await api.chat(STREAM);

    expect(dataOf(reply.text)).toEqual(dataOf(TEN.map(textChunk).join('') + finishChunk() + DONE));
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'completed', sample: 'recorded' });
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('ends for the client with [DONE], though the head dawdles, whose connection is then closed', async () => {
    const { api, head, nodeId } = await staged(WHOLE, () => undefined);

    const reply = await api.chat(STREAM);

    expect(reply.isWhole).toBe(true);
    expect(reply.text.endsWith(DONE)).toBe(true);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
    await eventually(() => expect(head.last.aborted).toBe(true));
  });

  it('ends for the client with [DONE], whatever the head goes on to say', async () => {
    const { api, nodeId } = await staged(WHOLE + textChunk('late') + DONE);

    const reply = await api.chat(STREAM);

    expect(reply.text).toBe(WHOLE);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });
});

describe('B15 a JSON answer ends too early', () => {
  const answer = JSON.stringify(wholeChat());
  const JSON_HEADERS = { 'content-type': 'application/json' };
  const long = `{"choices":[],"text":"${'x'.repeat(200_000)}`;

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['cleanly', (response) => response.writeHead(200, JSON_HEADERS).end(answer.slice(0, -10))],
    ['without a byte', (response) => response.writeHead(200, JSON_HEADERS).end()],
    [
      'by a reset',
      (response) =>
        response.writeHead(200, JSON_HEADERS).write(answer.slice(0, -10), () => response.destroy()),
    ],
    [
      'short of its length',
      (response) =>
        response
          .writeHead(200, { ...JSON_HEADERS, 'content-length': String(answer.length) })
          .write(answer.slice(0, -10), () => response.destroy()),
    ],
  ])('and is served by another route when it ended %s, or is a 502 without one', async (_how, cut) => {
    const { api } = await stage.tracker();
    const head = await stage.head(cut);
    const spare = await stage.head(sendChat);
    const nodeId = await join(api, head, 'head', { throughput_tps: 100 });

    const alone = await api.chat(aChat());
    expect(alone.status).toBe(502);
    expect(errorOf(alone)).toMatchObject({ type: 'server_error', code: 'node_failed' });
    expect((await api.callOf(alone)).outcome).toBe('failed');
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);

    await join(api, spare, 'spare', { throughput_tps: 1 });
    const helped = await api.chat(aChat());
    expect(helped).toMatchObject({ status: 200, isWhole: true });
    expect(await api.callOf(helped)).toMatchObject({
      outcome: 'completed',
      attempts: [{ outcome: 'failed' }, { outcome: 'completed' }],
    });
  });

  it('and breaks the connection of a client that has begun to read it', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) =>
      response.writeHead(200, JSON_HEADERS).write(long, () => response.destroy()),
    );
    const spare = await stage.head(sendChat);
    const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
    await join(api, spare, 'spare', { throughput_tps: 1 });

    const open = await api.openChat(aChat());
    const reply = await open.rest();

    expect(reply).toMatchObject({ status: 200, isWhole: false });
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'failed', sample: 'failed' });
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
    expect(spare.chats).toEqual([]);
  });

  it('and breaks the connection too when a long answer ends cleanly within its JSON', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => response.writeHead(200, JSON_HEADERS).end(long));
    const nodeId = await join(api, head, 'head');

    const reply = await (await api.openChat(aChat())).rest();

    expect(reply).toMatchObject({ status: 200, isWhole: false });
    expect((await api.callOf(reply)).outcome).not.toBe('completed');
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
  });
});
