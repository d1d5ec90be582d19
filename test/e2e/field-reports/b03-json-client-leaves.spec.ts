import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { HeadAnswering, ReceivedChat } from '../../support/fake-head.js';
import { sendChat, sendJson, wholeChat } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import {
  aChat,
  droppedSoon,
  finishedCall,
  join,
  MODEL,
  received,
  standingOf,
  UNTOUCHED,
} from '../../support/whole-model.js';

const JSON_HEADERS = { 'content-type': 'application/json' };

const stage = new Stage();
afterEach(() => stage.end());

describe('B03 a client of a JSON answer leaves', () => {
  it('ends each job whose client hung up, so that only the job of the client who stays goes on', async () => {
    const { api } = await stage.tracker();
    const jobs = new Set<ReceivedChat>();
    let aborted = 0;
    const head = await stage.head((response, chat) => {
      jobs.add(chat);
      response.on('close', () => {
        jobs.delete(chat);
        if (chat.aborted) aborted += 1;
      });
      if (chat.headers['x-stays'] !== undefined) stays = () => sendChat(response, chat);
    });
    let stays = (): void => undefined;
    const nodeId = await join(api, head, 'head');

    const staying = api.chat(aChat(), { headers: { 'x-stays': 'yes' } });
    await received(head);
    for (const at of [1, 2, 3, 4, 5]) {
      const leaving = api.startChat(aChat(), { headers: { 'x-request-id': `leaving-${String(at)}` } });
      await received(head, 1 + at);
      leaving.destroy();
      await eventually(() => expect(aborted).toBe(at), 2_500);
      expect(jobs.size).toBe(1);
    }
    stays();

    expect(await staying).toMatchObject({ status: 200, isWhole: true });
    expect(jobs.size).toBe(0);
    for (const at of [1, 2, 3, 4, 5]) {
      expect(await finishedCall(api, `leaving-${String(at)}`)).toMatchObject({
        outcome: 'client_left',
        sample: 'client_left',
        attempts: [{ outcome: 'client_left', status: null }],
      });
    }
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('ends five jobs at once when their clients hang up at once', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head(() => undefined);
    const nodeId = await join(api, head, 'head');

    const leaving = [1, 2, 3, 4, 5].map(() => api.startChat(aChat()));
    await received(head, 5);
    for (const client of leaving) client.destroy();

    await eventually(() => expect(head.chats.map(({ aborted }) => aborted)).not.toContain(false), 2_500);
    await eventually(async () => expect(await api.inFlight(MODEL)).toEqual({ nodes: 0, routes: 0 }));
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
    expect((await api.calls()).map(({ outcome }) => outcome)).toEqual(Array(5).fill('client_left'));
  });

  it('frees the only slot of a node each time, so that a client that tries again does not wait behind itself', async () => {
    const { api } = await stage.tracker({ env: { MESHNET_QUEUE_LENGTH: '1' } });
    const head = await stage.head(() => undefined);
    const nodeId = await join(api, head, 'head', { max_concurrent: 1 });

    for (const at of [1, 2, 3, 4, 5]) {
      const leaving = api.startChat(aChat());
      await received(head, at);
      leaving.destroy();
    }
    head.answer(sendChat);

    expect((await api.chat(aChat())).status).toBe(200);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  const half = JSON.stringify(wholeChat()).slice(0, 40);
  it.each<[string, HeadAnswering]>([
    ['has sent its headers', (response) => response.writeHead(200, JSON_HEADERS).flushHeaders()],
    ['has sent half of its answer', (response) => response.writeHead(200, JSON_HEADERS).write(half)],
    [
      'has said how long its answer will be',
      (response) => response.writeHead(200, { ...JSON_HEADERS, 'content-length': '999' }).write(half),
    ],
    ['is within an error', (response) => response.writeHead(500, JSON_HEADERS).write('{"error":')],
  ])('ends the work of a head that %s', async (_what, answering) => {
    const { api } = await stage.tracker();
    const head = await stage.head(answering);
    const spare = await stage.head();
    const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
    await join(api, spare, 'spare', { throughput_tps: 1 });

    const leaving = api.startChat(aChat(), { headers: { 'x-request-id': 'leaving' } });
    await received(head);
    leaving.destroy();

    await droppedSoon(head);
    expect(await finishedCall(api, 'leaving')).toMatchObject({ outcome: 'client_left' });
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
    expect(spare.chats).toEqual([]);
  });

  it('ends the work of a head in the middle of an answer that the client is reading already', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) =>
      response.writeHead(200, JSON_HEADERS).write(`{"text":"${'x'.repeat(200_000)}`),
    );
    const nodeId = await join(api, head, 'head');

    const leaving = await api.openChat(aChat(), { headers: { 'x-request-id': 'leaving' } });
    await leaving.until('xxx');
    leaving.leave();

    await droppedSoon(head);
    expect(await finishedCall(api, 'leaving')).toMatchObject({ outcome: 'client_left' });
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
  });

  it('is not held up by an answer that comes as its client goes', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head((response) => {
      setImmediate(() => sendJson(response, 200, wholeChat()));
    });
    const nodeId = await join(api, head, 'head');

    for (let at = 1; at <= 30; at += 1) {
      const leaving = api.startChat(aChat());
      await received(head, at);
      leaving.destroy();
    }

    await eventually(async () => expect(await api.inFlight(MODEL)).toEqual({ nodes: 0, routes: 0 }));
    expect((await standingOf(api, nodeId)).isBlamed).toBe(false);
    const outcomes = new Set((await api.calls()).map(({ outcome }) => outcome));
    expect([...outcomes].filter((outcome) => outcome !== 'completed' && outcome !== 'client_left')).toEqual(
      [],
    );
  });
});
