import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChatCallsService } from '../../src/chat-proxy/chat-calls.service.js';
import { ClientAnswer } from '../../src/chat-proxy/relay/client-answer.js';
import { parseChatRequest } from '../../src/chat-proxy/request/chat-request.js';
import { SystemClock } from '../../src/kernel/index.js';
import { RoutingStatsService } from '../../src/routing-stats/index.js';
import { eventually } from '../support/eventually.js';
import type { HeadAnswering } from '../support/fake-head.js';
import { FakeResponse } from '../support/fake-response.js';
import { Fuse, FusedClock, FusedLogger } from '../support/fuse.js';
import { DONE, sendChat, sendJson, SSE_HEADERS, textChunk, wholeChat } from '../support/openai-answers.js';
import { heldBy, NOTHING_HELD } from '../support/rooms-held.js';
import { Stage, type StagedTracker } from '../support/stage.js';

/**
 * The tracker's own clock and log throw, once, at each place in turn where a call uses them. Jest itself fails a test
 * during which an exception or a rejection is caught by nobody.
 */
const MOST_PLACES = 500;
/** All of the first; later ones, of long answers and of several chats, are more of the same. */
const nextPlace = (place: number): number => place + 1 + Math.floor(place / 25);

const stage = new Stage();
const fuse = new Fuse();
const logFuse = new Fuse();
let tracker: StagedTracker;
beforeAll(async () => {
  tracker = await stage.tracker({
    env: {
      MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.15',
      MESHNET_IDLE_TIMEOUT_SECONDS: '0.1',
      MESHNET_STREAM_PING_SECONDS: '0.04',
      MESHNET_QUEUE_SECONDS: '0.1',
    },
    parts: { clock: new FusedClock(new SystemClock(), fuse), logger: new FusedLogger([fuse, logFuse]) },
  });
});
afterAll(() => stage.end());

/** A head of a model of its own; a second one waits behind it, slower by its own word. */
async function route(model: string, answering: HeadAnswering, stated: object = {}): Promise<void> {
  const head = await stage.head(answering);
  const spare = await stage.head(answering);
  await tracker.api.register({ wallet: 'a', endpoint: head.url, model, throughput_tps: 9, ...stated });
  await tracker.api.register({ wallet: 'b', endpoint: spare.url, model, throughput_tps: 1, ...stated });
}

/** One chat, which ends in whatever way. */
function ask(model: string, stream: boolean): Promise<unknown> {
  return tracker.api.chat({ model, stream }).catch(() => 'broken off');
}

/** A client that leaves as soon as the answer, or silence instead of one, has begun. */
async function askAndLeave(model: string, stream: boolean): Promise<void> {
  const sent = tracker.api.startChat({ model, stream });
  await new Promise((resolve) =>
    sent
      .once('response', resolve)
      .once('close', resolve)
      .setTimeout(60, () => resolve(null)),
  );
  sent.destroy();
  await new Promise((resolve) => (sent.closed ? resolve(null) : sent.once('close', resolve)));
}

function answerHalf(response: Parameters<HeadAnswering>[0], stream: boolean): void {
  response.writeHead(200, stream ? SSE_HEADERS : { 'content-type': 'application/json' });
  response.write(stream ? textChunk('x') : '{"choices":');
}

const isStream: (body: Buffer) => boolean = (body) => body.includes('"stream":true');

const SITUATIONS: readonly {
  readonly name: string;
  readonly answering: HeadAnswering;
  readonly ask?: (model: string, stream: boolean) => Promise<unknown>;
  readonly stated?: object;
}[] = [
  { name: 'is answered well', answering: sendChat },
  { name: 'is refused', answering: (response) => sendJson(response, 400, { error: { message: 'no' } }) },
  { name: 'fails', answering: (response) => sendJson(response, 500, { error: { message: 'no' } }) },
  { name: 'breaks off', answering: (response) => response.destroy() },
  {
    name: 'breaks off in the middle',
    answering: (response, { body }) => {
      answerHalf(response, isStream(body));
      setTimeout(() => response.destroy(), 5);
    },
  },
  { name: 'meets silence', answering: () => undefined },
  {
    name: 'meets silence in the middle',
    answering: (response, { body }) => answerHalf(response, isStream(body)),
  },
  { name: 'is left at once', answering: () => undefined, ask: askAndLeave },
  {
    name: 'is left in the middle',
    answering: (response, { body }) => answerHalf(response, isStream(body)),
    ask: askAndLeave,
  },
  {
    name: 'is long',
    answering: (response, { body }) => {
      const filler = 'x'.repeat(1_000_000);
      if (isStream(body)) response.writeHead(200, SSE_HEADERS).end(textChunk(filler) + DONE);
      else sendJson(response, 200, { ...wholeChat(), filler });
    },
  },
  {
    name: 'waits for a full node',
    answering: (response, chat) => setTimeout(() => sendChat(response, chat), 10),
    ask: (model, stream) => Promise.all([1, 2, 3].map(() => ask(model, stream))),
    stated: { max_concurrent: 1 },
  },
];

describe.each([
  ['JSON', false],
  ['a stream', true],
])('a chat that asks for %s while the tracker itself fails', (_kind, stream) => {
  it.each(SITUATIONS)(
    'and $name, harms no other',
    async ({ name, answering, ask: askIt = ask, stated = {} }) => {
      const model = `${name} ${String(stream)}`;
      await route(model, answering, stated);
      let places = 0;
      for (let place = 1; place <= MOST_PLACES; place = nextPlace(place)) {
        fuse.set(place);
        await askIt(model, stream);
        await eventually(() => expect([place, heldBy(tracker)]).toEqual([place, NOTHING_HELD]));
        fuse.remove();
        if (!fuse.hasBlown) break;
        places = place;
      }
      expect(places).toBeGreaterThan(3);
      expect(places).toBeLessThan(MOST_PLACES);
      const stats = tracker.app.get(RoutingStatsService);
      const { candidates } = await tracker.api.routing(model);
      const scouts = candidates.map(({ signature }) => stats.estimate(model, signature).scoutsInFlight);
      expect(scouts.every((count) => count === 0)).toBe(true);
    },
  );
});

describe('a chat whose lane is told', () => {
  /** How often, by the end; and how often when `serve` had returned. */
  async function toldOf(model: string, stream: boolean): Promise<{ atOnce: number; inAll: number }> {
    const client = new ClientAnswer(new FakeResponse(), new SystemClock());
    const request = parseChatRequest(Buffer.from(JSON.stringify({ model, stream, messages: [] })));
    const faults: unknown[] = [];
    tracker.app.get(ChatCallsService).serve(
      {
        ...{ requestId: 'r', path: '/v1/chat/completions', headers: {}, request, forwarded: null, client },
        ...{ keyName: null, passage: { tracker: 'meshnet-x', leadingBack: new Set(), hops: 0 } },
      },
      (fault) => faults.push(fault),
    );
    const atOnce = faults.length;
    await eventually(() => expect(heldBy(tracker)).toEqual(NOTHING_HELD));
    return { atOnce, inAll: faults.length };
  }

  it.each([
    ['JSON', false],
    ['a stream', true],
  ])('hears of a fault once, at once or later, and of none when all is well: %s', async (_kind, stream) => {
    const model = `told ${String(stream)}`;
    await route(model, sendChat);
    expect(await toldOf(model, stream)).toEqual({ atOnce: 0, inAll: 0 });
    expect(await toldOf('unknown', stream)).toEqual({ atOnce: 1, inAll: 1 });
    const seen = { atOnce: 0, later: 0 };
    for (let place = 1; place <= MOST_PLACES; place += 1) {
      fuse.set(place);
      const { atOnce, inAll } = await toldOf(model, stream);
      fuse.remove();
      expect(inAll).toBeLessThanOrEqual(1);
      seen.atOnce += atOnce;
      seen.later += inAll - atOnce;
      if (!fuse.hasBlown) break;
    }
    expect(seen.atOnce).toBeGreaterThan(0);
    expect(seen.later).toBeGreaterThan(0);
  });
});

describe('a tracker that can log nothing', () => {
  it('ends a chat that fails all the same', async () => {
    await route('unlogged', sendChat);
    logFuse.set(1, true);
    for (let place = 1; place <= 10; place += 1) {
      fuse.set(place);
      await ask('unlogged', false);
      expect(fuse.hasBlown).toBe(true);
      await eventually(() => expect(heldBy(tracker)).toEqual(NOTHING_HELD));
    }
    logFuse.remove();
    expect((await tracker.api.chat({ model: 'unlogged' })).status).toBe(200);
  });
});
