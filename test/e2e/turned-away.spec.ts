import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ChatLane } from '../../src/chat-proxy/index.js';
import { EventBus, type MeshEvents } from '../../src/kernel/index.js';
import { eventually } from '../support/eventually.js';
import { send } from '../support/http-client.js';
import { sendChat, sendJson, SSE_HEADERS, textChunk } from '../support/openai-answers.js';
import { heldBy } from '../support/rooms-held.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aChat, join, MODEL, received } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

type TurnedAway = MeshEvents['chat.turned_away'];

let tracker: StagedTracker;
let turnedAway: TurnedAway[];
let finished: string[];

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  tracker = await stage.tracker({ env });
  [turnedAway, finished] = [[], []];
  const bus = tracker.app.get(EventBus);
  bus.on('chat.turned_away', (fact) => turnedAway.push(fact));
  bus.on('call.finished', ({ request_id }) => finished.push(request_id));
}

/** A chat under this id. @returns its status */
async function chat(id: string, body: string | object): Promise<number> {
  return (await tracker.api.chat(body, { headers: { 'x-request-id': id } })).status;
}

function told(request_id: string, model: string | null, code: string, status: number): TurnedAway {
  return { request_id, model, code, status, at: expect.any(Number) as unknown as number };
}

describe('a chat that becomes no call', () => {
  beforeEach(() => start({ MESHNET_MAX_BODY_BYTES: '1024', MESHNET_MAX_IN_FLIGHT: '1' }));
  // None of them leaves a record: nobody is told twice.
  afterEach(() => expect(finished).toEqual([]));

  it.each([
    ['that is no JSON', '{"model":', 400, 'invalid_request'],
    ['without a model', { messages: [] }, 400, 'invalid_request'],
    ['that is too long', { model: 'm', filler: 'x'.repeat(1024) }, 413, 'request_too_large'],
    ['for a model nobody knows', { model: 'unheard-of' }, 404, 'model_not_found'],
  ])('%s is told once, without a name that only its client knows', async (_what, body, status, code) => {
    expect(await chat('r', body)).toBe(status);
    expect(turnedAway).toEqual([told('r', null, code, status)]);
  });

  it('for not being sent with POST is told once', async () => {
    await send(`${tracker.url}/v1/chat/completions`, { headers: { 'x-request-id': 'r' } });
    expect(turnedAway).toEqual([told('r', null, 'method_not_allowed', 405)]);
  });

  it('for want of a route is told once, with its model', async () => {
    await tracker.api.register({ wallet: 'w', endpoint: 'http://127.0.0.1:9', model: MODEL });
    await tracker.api.ask('DELETE', '/v1/nodes/w:all');
    expect(await chat('r', aChat())).toBe(503);
    expect(turnedAway).toEqual([told('r', MODEL, 'no_route', 503)]);
  });

  it('for a pin that is no route is told once', async () => {
    await join(tracker.api, await stage.head(), 'w');
    expect(await chat('r', aChat({ route: ['nobody:all'] }))).toBe(400);
    expect(turnedAway).toEqual([told('r', MODEL, 'invalid_request', 400)]);
  });

  it('for the tracker going down is told once', async () => {
    tracker.app.get(ChatLane).close();
    expect(await chat('r', aChat())).toBe(503);
    expect(turnedAway).toEqual([told('r', null, 'shutting_down', 503)]);
  });

  it('for its client leaving while it sends is told once', async () => {
    const sending = tracker.api.startChat('{"mo', {
      headers: { 'x-request-id': 'r', 'content-length': '900' },
    });
    await new Promise((resolve) => tracker.app.getHttpServer().once('request', resolve));
    sending.destroy();
    await eventually(() => expect(turnedAway).toEqual([told('r', null, 'invalid_request', 400)]));
  });
});

describe('a chat for which there is too much under way', () => {
  it('is told once, and nothing of the one that is under way', async () => {
    await start({ MESHNET_MAX_IN_FLIGHT: '1' });
    const head = await stage.head((response) => response.writeHead(200, SSE_HEADERS).write(textChunk('x')));
    await join(tracker.api, head, 'w');
    const opened = await tracker.api.openChat(aChat({ stream: true }));
    expect(await chat('r', aChat())).toBe(503);
    expect([turnedAway, finished]).toEqual([[told('r', MODEL, 'overloaded', 503)], []]);
    opened.leave();
    await eventually(() => expect(finished).toHaveLength(1));
    expect(turnedAway).toHaveLength(1);
  });
});

describe('a chat that becomes a call', () => {
  beforeEach(() => start({ MESHNET_QUEUE_LENGTH: '1' }));
  afterEach(() => expect(turnedAway).toEqual([]));

  it.each([
    ['was served', 200, sendChat],
    ['was refused', 400, refuse(400)],
    ['failed', 500, refuse(500)],
    ['found its node busy', 429, refuse(429)],
  ] as const)('is told by its record alone: it %s', async (_what, status, answering) => {
    await join(tracker.api, await stage.head(answering), 'w');
    expect(await chat('r', aChat())).toBe(status);
    expect(finished).toEqual(['r']);
  });

  it('is told by its record alone though it found the queue full', async () => {
    const head = await stage.head(() => undefined);
    await join(tracker.api, head, 'w', { max_concurrent: 1 });
    const held = [tracker.api.startChat(aChat())];
    await received(head);
    held.push(tracker.api.startChat(aChat()));
    await eventually(() => expect(heldBy(tracker).waiting).toBe(1));
    expect(await chat('full', aChat())).toBe(429);
    expect(finished).toEqual(['full']);
    expect(await tracker.api.call('full')).toMatchObject({ outcome: 'busy', cause: 'queue_full' });
    for (const request of held) request.destroy();
    await eventually(() => expect(finished).toHaveLength(3));
  });

  it('is told by its record alone though it waited in vain', async () => {
    await start({ MESHNET_QUEUE_SECONDS: '0.1' });
    const head = await stage.head(() => undefined);
    await join(tracker.api, head, 'w', { max_concurrent: 1 });
    const busy = tracker.api.startChat(aChat());
    await received(head);
    expect(await chat('late', aChat())).toBe(429);
    expect(finished).toEqual(['late']);
    busy.destroy();
    await eventually(() => expect(finished).toHaveLength(2));
  });

  it('is told by its record alone though the last node left while it waited', async () => {
    const head = await stage.head(() => undefined);
    await join(tracker.api, head, 'w', { max_concurrent: 1 });
    const busy = tracker.api.startChat(aChat());
    await received(head);
    const waiting = chat('waiting', aChat());
    await eventually(() => expect(heldBy(tracker).waiting).toBe(1));
    await tracker.api.ask('DELETE', '/v1/nodes/w:all');
    expect(await waiting).toBe(503);
    expect(finished).toEqual(['waiting']);
    expect(await tracker.api.call('waiting')).toMatchObject({ outcome: 'failed', cause: 'no_route' });
    busy.destroy();
    await eventually(() => expect(finished).toHaveLength(2));
  });

  it('is told by its record alone though its client left while it waited', async () => {
    const head = await stage.head(() => undefined);
    await join(tracker.api, head, 'w', { max_concurrent: 1 });
    const busy = tracker.api.startChat(aChat());
    await received(head);
    const leaving = tracker.api.startChat(aChat(), { headers: { 'x-request-id': 'left' } });
    await eventually(() => expect(heldBy(tracker).waiting).toBe(1));
    leaving.destroy();
    await eventually(() => expect(finished).toContain('left'));
    busy.destroy();
    await eventually(() => expect(finished).toHaveLength(2));
  });
});

function refuse(status: number): Parameters<Stage['head']>[0] {
  return (response) => sendJson(response, status, { error: { message: 'no' } });
}
