import { once, type EventEmitter } from 'node:events';
import { Agent, type ClientRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CountingClock } from '../support/counting-clock.js';
import { eventually } from '../support/eventually.js';
import type { FakeHead, ReceivedChat } from '../support/fake-head.js';
import { send } from '../support/http-client.js';
import { sendChat, SSE_HEADERS, textChunk } from '../support/openai-answers.js';
import { entriesOf, heldBy, NOTHING_HELD } from '../support/rooms-held.js';
import { Stage, type StagedTracker } from '../support/stage.js';

/** Calls of each kind; all of them have to be over in about half a minute. */
const COMPLETED = 10_000;
const ABORTED = 10_000;
const AT_ONCE = 50;
/** More than the calls that are remembered, so that what remembers them is full before anything is counted. */
const WARM_UP = 1_100;

const PHASES = [
  'sending',
  'queued',
  'before headers',
  'before the first token',
  'mid-stream',
  'in JSON',
] as const;
type Phase = (typeof PHASES)[number];

const stage = new Stage();
const clock = new CountingClock();
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
/** Told when the head has a chat, by the chat's id. */
const expected = new Map<string, () => void>();
const connections = new Set<Socket>();
let tracker: StagedTracker;
let head: FakeHead;
let narrowHead: FakeHead;
let sent = 0;

beforeAll(async () => {
  tracker = await stage.tracker({ parts: { clock } });
  tracker.app.getHttpServer().on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  head = await stage.head(answer);
  await tracker.api.register({ wallet: 'wide', endpoint: head.url, model: 'wide' });
  narrowHead = await stage.head(answer);
  const narrow = { wallet: 'narrow', endpoint: narrowHead.url, model: 'narrow', max_concurrent: 1 };
  await tracker.api.register(narrow);
});
afterAll(() => {
  agent.destroy();
  return stage.end();
});

/** As far as the phase that the chat names, then nothing more. */
function answer(response: ServerResponse, chat: ReceivedChat): void {
  const { phase } = JSON.parse(chat.body.toString()) as { phase?: Phase };
  if (phase === undefined) sendChat(response, chat);
  else if (phase === 'before the first token') response.writeHead(200, SSE_HEADERS).flushHeaders();
  else if (phase === 'mid-stream') response.writeHead(200, SSE_HEADERS).write(textChunk('x'));
  else if (phase === 'in JSON') response.writeHead(200, { 'content-length': '100' }).write('{"choices":');
  expected.get(String(chat.headers['x-request-id']))?.();
}

/** A chat under way that has got as far as this. */
async function inPhase(phase: Phase): Promise<ClientRequest> {
  const id = `leaving-${String((sent += 1))}`;
  const body = JSON.stringify({
    model: phase === 'queued' ? 'narrow' : 'wide',
    stream: phase !== 'in JSON',
    phase,
  });
  const cut = phase === 'sending' ? 10 : 0;
  const atHead = new Promise<void>((resolve) => expected.set(id, resolve));
  const request = tracker.api.startChat(cut > 0 ? body.slice(cut) : body, {
    headers: { 'x-request-id': id, 'content-length': String(body.length) },
  });
  if (phase === 'mid-stream') await once(request, 'response');
  else if (phase === 'sending') await once(request, 'finish');
  else if (phase !== 'queued') await atHead;
  expected.delete(id);
  return request;
}

async function abortSome(phase: Phase, count: number): Promise<void> {
  const holder = phase === 'queued' ? [tracker.api.startChat({ model: 'narrow', phase })] : [];
  if (phase === 'queued') await eventually(() => expect(heldBy(tracker).inFlight).toBe(1));
  const requests = await Promise.all(Array.from({ length: count }, () => inPhase(phase)));
  if (phase === 'queued') await eventually(() => expect(heldBy(tracker).waiting).toBe(count));
  for (const request of [...requests, ...holder]) request.destroy();
  await eventually(() => expect(heldBy(tracker)).toEqual(NOTHING_HELD));
}

async function abort(count: number): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    await abortSome(PHASES[(done / AT_ONCE) % PHASES.length]!, AT_ONCE);
  }
}

async function complete(count: number): Promise<void> {
  let left = count;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const body = { model: left % 5 === 0 ? 'narrow' : 'wide', stream: left % 2 === 0 };
      const { status } = await send(`${tracker.url}/v1/chat/completions`, { method: 'POST', body, agent });
      if (status !== 200) throw new Error(`a chat got ${String(status)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}

/** All that may pile up. Connections that are kept for later calls are closed first, at both ends of the tracker. */
async function piled(): Promise<object> {
  const listeners = [...connections].map(listenersOf);
  agent.destroy();
  await eventually(() => {
    for (const each of [head, narrowHead]) each.closeIdle();
    expect([connections.size, openSockets()]).toEqual([0, 0]);
  });
  return {
    held: heldBy(tracker),
    entries: entriesOf(tracker),
    timers: clock.liveTimers,
    serverListeners: listenersOf(tracker.app.getHttpServer()),
    mostSocketListeners: Math.max(0, ...listeners),
  };
}

/** Of this whole process: the tracker's, the clients' and the heads'. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

function listenersOf(emitter: EventEmitter): number {
  return emitter.eventNames().reduce((total, name) => total + emitter.listenerCount(name), 0);
}

describe('what a tracker holds', () => {
  let start: object;
  beforeAll(async () => {
    await abort(AT_ONCE * PHASES.length);
    await complete(WARM_UP);
    start = await piled();
  }, 120_000);

  it('was counted in full', () => {
    expect(start).toMatchObject({
      held: NOTHING_HELD,
      entries: {
        'CallsService.open.present': 0,
        'CallsService.ring.pages': 1000,
        'Deadlines.waiting.present': 0,
        'NodeHealthService.counts.routes': 0,
      },
    });
    expect(Object.keys((start as { entries: object }).entries).length).toBeGreaterThan(15);
  });

  it(`is back where it was after ${String(COMPLETED)} calls that were completed`, async () => {
    await complete(COMPLETED);
    expect(await piled()).toEqual(start);
  }, 180_000);

  it(`is back where it was after ${String(ABORTED)} calls that were aborted, in every phase`, async () => {
    await abort(ABORTED);
    // As many listeners as a connection has that serves.
    await complete(AT_ONCE);
    expect(await piled()).toEqual(start);
  }, 180_000);
});
