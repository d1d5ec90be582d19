import { request } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { HeadAnswering } from '../../support/fake-head.js';
import { sendJson, sendStream, SSE_HEADERS, TEN } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';
import {
  aChat,
  BLAMED,
  droppedSoon,
  finishedCall,
  join,
  MODEL,
  received,
  standingOf,
  UNTOUCHED,
} from '../../support/whole-model.js';

const STREAM = aChat({ stream: true });
const LEAVING = { headers: { 'x-request-id': 'leaving' } };

const stage = new Stage();
afterEach(() => stage.end());

const silent: HeadAnswering = () => undefined;
const headersOnly: HeadAnswering = (response) => response.writeHead(200, SSE_HEADERS).flushHeaders();
const commentsOnly: HeadAnswering = (response) => {
  response.writeHead(200, SSE_HEADERS);
  const timer = setInterval(() => response.write(': PROCESSING\n\n'), 20);
  response.on('close', () => clearInterval(timer));
};
const halfAnEvent: HeadAnswering = (response) => response.writeHead(200, SSE_HEADERS).write('data: {"cho');

describe('B01 a client leaves before the first token', () => {
  it.each([
    ['says nothing at all', silent],
    ['has sent its headers', headersOnly],
    ['sends comments', commentsOnly],
    ['is within its first event', halfAnEvent],
  ])('ends the work of a head that %s, and blames nobody', async (_what, answering) => {
    const { api } = await stage.tracker();
    const head = await stage.head(answering);
    const spare = await stage.head();
    const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
    const spareId = await join(api, spare, 'spare', { throughput_tps: 1 });

    const leaving = api.startChat(STREAM, LEAVING);
    await received(head);
    expect(await api.inFlight(MODEL)).toEqual({ nodes: 1, routes: 1 });
    leaving.destroy();

    await droppedSoon(head);
    expect(await finishedCall(api, 'leaving')).toMatchObject({
      outcome: 'client_left',
      sample: 'client_left',
      attempts: [{ outcome: 'client_left' }],
      completion_tokens: null,
    });
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
    expect(await standingOf(api, spareId)).toEqual(UNTOUCHED);
    expect([head.chats.length, spare.chats.length]).toEqual([1, 0]);
    expect(await api.calls('?open=true')).toEqual([]);
  });

  it('ends the work of a head whose silence was bridged by pings', async () => {
    const { api } = await stage.tracker({ env: { MESHNET_STREAM_PING_SECONDS: '0.05' } });
    const head = await stage.head(silent);
    const nodeId = await join(api, head, 'head');

    const leaving = await api.openChat(STREAM, LEAVING);
    await leaving.until(': ping');
    leaving.leave();

    await droppedSoon(head);
    expect(await finishedCall(api, 'leaving')).toMatchObject({ outcome: 'client_left' });
    expect(await standingOf(api, nodeId)).toEqual(UNTOUCHED);
  });

  it('asks no further route when the client leaves over the second one, which is not blamed', async () => {
    const { api } = await stage.tracker();
    const failing = await stage.head((response) => sendJson(response, 500, { error: { message: 'no' } }));
    const second = await stage.head(silent);
    const third = await stage.head();
    const failingId = await join(api, failing, 'failing', { throughput_tps: 100 });
    const secondId = await join(api, second, 'second', { throughput_tps: 50 });
    const thirdId = await join(api, third, 'third', { throughput_tps: 1 });

    const leaving = api.startChat(STREAM, LEAVING);
    await received(second);
    leaving.destroy();

    await droppedSoon(second);
    expect(await finishedCall(api, 'leaving')).toMatchObject({
      outcome: 'client_left',
      attempts: [{ outcome: 'failed', status: 500 }, { outcome: 'client_left' }],
    });
    expect(await standingOf(api, failingId)).toEqual(BLAMED);
    expect(await standingOf(api, secondId)).toEqual(UNTOUCHED);
    expect(await standingOf(api, thirdId)).toEqual(UNTOUCHED);
    expect(third.chats).toEqual([]);
  });

  it('forgets a client that leaves while it waits for a node with room, and serves the one behind it', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head(headersOnly);
    const nodeId = await join(api, head, 'head', { max_concurrent: 1 });
    const holding = api.startChat(STREAM);
    await received(head);
    const leaving = api.startChat(STREAM, LEAVING);
    await eventually(async () => expect(await api.call('leaving')).toMatchObject({ phase: 'queued' }));
    const waiting = api.chat(STREAM, { headers: { 'x-request-id': 'waiting' } });
    await eventually(async () => expect(await api.call('waiting')).toMatchObject({ phase: 'queued' }));

    leaving.destroy();
    expect(await finishedCall(api, 'leaving')).toMatchObject({
      outcome: 'client_left',
      attempts: [],
      routing: null,
    });
    expect(head.chats.length).toBe(1);
    head.answer((response) => sendStream(response, TEN));
    holding.destroy();

    expect(await waiting).toMatchObject({ status: 200, isWhole: true });
    expect(head.chats.length).toBe(2);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('lets go of a client that leaves while the connection to the head is still being made', async () => {
    const { api } = await stage.tracker({ env: { MESHNET_CONNECT_TIMEOUT_SECONDS: '1' } });
    // Takes the connection and never answers the TLS handshake.
    const head = await stage.rawHead(() => undefined);
    const endpoint = head.url.replace('http:', 'https:');
    const { node_id } = await api.register({ wallet: 'head', endpoint, model: MODEL });

    const leaving = api.startChat(STREAM, LEAVING);
    await eventually(() => expect(head.connections).toBe(1));
    leaving.destroy();

    expect(await finishedCall(api, 'leaving')).toMatchObject({ outcome: 'client_left' });
    expect(await standingOf(api, node_id)).toEqual(UNTOUCHED);
    await eventually(() => expect(head.openConnections).toBe(0), 2_500);
  });

  it('sends nothing to any head for a client that leaves while it still sends its question', async () => {
    const { api } = await stage.tracker();
    const head = await stage.head();
    const nodeId = await join(api, head, 'head');

    const leaving = request(`${api.url}/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': '1000' },
    });
    leaving.on('error', () => undefined);
    await new Promise((written) => leaving.write('{"model":"m"', written));
    leaving.destroy();

    expect((await api.chat(STREAM)).status).toBe(200);
    expect(head.chats.length).toBe(1);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
    expect((await api.calls()).length).toBe(1);
  });
});
