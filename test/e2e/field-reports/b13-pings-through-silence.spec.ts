import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { FakeHead } from '../../support/fake-head.js';
import { dataOf, errorOf } from '../../support/http-client.js';
import { ManualClock } from '../../support/manual-clock.js';
import {
  DONE,
  event,
  finishChunk,
  sendChat,
  sendJson,
  SSE_HEADERS,
  TEN,
  textChunk,
  wholeChat,
} from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import {
  aChat,
  BLAMED,
  droppedSoon,
  join,
  received,
  standingOf,
  UNTOUCHED,
} from '../../support/whole-model.js';

const PERIOD_MS = 15_000;
const PING = ': ping\n';
const STREAM = aChat({ stream: true });
const NAMED = { headers: { 'x-request-id': 'named' } };

const stage = new Stage();
afterEach(() => stage.end());

interface Staged extends StagedTracker {
  readonly clock: ManualClock;
}

/** A tracker whose time moves only when told to, so that pings can be counted. */
async function stagedTracker(env: Record<string, string> = {}): Promise<Staged> {
  const clock = new ManualClock();
  return Object.assign(await stage.tracker({ env, parts: { clock } }), { clock });
}

/** A head that has been asked and answers when the test says so. */
async function askedHead(): Promise<{ head: FakeHead; answer: () => ServerResponse }> {
  let last: ServerResponse | null = null;
  const head = await stage.head((response) => (last = response));
  const answer = (): ServerResponse => {
    if (last === null) throw new Error('nobody asked');
    return last;
  };
  return { head, answer };
}

function wholeText(): string {
  return TEN.map(textChunk).join('') + finishChunk() + DONE;
}

describe('B13 a head sends nothing but comments for long', () => {
  it('gives the client a byte in each period, and then the answer', async () => {
    const { api, clock } = await stagedTracker();
    const { head, answer } = await askedHead();
    const nodeId = await join(api, head, 'head');
    const opening = api.openChat(STREAM);
    await received(head);

    answer().writeHead(200, SSE_HEADERS).write(': REASONING\n\n');
    clock.advance(PERIOD_MS);
    const open = await opening;
    expect(open).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    });
    for (let periods = 2; periods <= 20; periods += 1) {
      answer().write(': REASONING\n\n');
      clock.advance(PERIOD_MS);
      const text = await open.until(PING.repeat(periods));
      expect(text).toBe(PING.repeat(periods));
    }
    answer().end(wholeText());
    const reply = await open.rest();

    expect(dataOf(reply.text)).toEqual(dataOf(wholeText()));
    expect(await api.callOf(reply)).toMatchObject({ outcome: 'completed', sample: 'recorded' });
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it('pings a client whose head has not even sent headers, naming the route as known then', async () => {
    const { api, clock } = await stagedTracker();
    const { head, answer } = await askedHead();
    await join(api, head, 'head');
    const opening = api.openChat(STREAM, NAMED);
    await received(head);

    clock.advance(PERIOD_MS);
    const open = await opening;
    expect(open.headers).toMatchObject({
      'x-request-id': 'named',
      'x-meshnet-route': 'm|head:all[0-0]',
      'x-meshnet-attempts': '1',
    });
    answer().writeHead(200, SSE_HEADERS).end(wholeText());

    expect(dataOf((await open.rest()).text)).toEqual(dataOf(wholeText()));
  });

  it('lets pings go on through a silence between tokens, once a period from the last byte', async () => {
    const { api, clock } = await stagedTracker();
    const { head, answer } = await askedHead();
    await join(api, head, 'head');
    const opening = api.openChat(STREAM);
    await received(head);
    clock.advance(PERIOD_MS - 1);
    answer().writeHead(200, SSE_HEADERS).write(textChunk('a'));
    const open = await opening;
    await open.until(textChunk('a'));

    clock.advance(PERIOD_MS - 1);
    answer().write(textChunk('b'));
    await open.until(textChunk('b'));
    clock.advance(PERIOD_MS);
    await open.until(PING);
    answer().end(finishChunk() + DONE);

    const { text } = await open.rest();
    expect(text).toBe(textChunk('a') + textChunk('b') + PING + finishChunk() + DONE);
  });

  it.each([
    ['the tracker strips usage', STREAM],
    ['the tracker relays every byte', aChat({ stream: true, stream_options: { include_usage: true } })],
  ])('never puts a ping into an event that has come in part, where %s', async (_what, body) => {
    const { api, clock } = await stagedTracker();
    const { head, answer } = await askedHead();
    await join(api, head, 'head');
    const opening = api.openChat(body);
    await received(head);
    const whole = textChunk('whole');
    answer()
      .writeHead(200, SSE_HEADERS)
      .write(textChunk('first') + whole.slice(0, 20));
    const open = await opening;
    await open.until(textChunk('first'));

    clock.advance(PERIOD_MS);
    await open.until(PING);
    answer().end(whole.slice(20) + finishChunk() + DONE);

    const { text } = await open.rest();
    expect(text).toBe(textChunk('first') + PING + whole + finishChunk() + DONE);
  });

  it('never puts a ping into an event too long to be held', async () => {
    const { api, clock } = await stagedTracker();
    const { head, answer } = await askedHead();
    await join(api, head, 'head');
    const opening = api.openChat(STREAM);
    await received(head);
    const long = textChunk('x'.repeat(2_000_000));
    answer().writeHead(200, SSE_HEADERS).write(long.slice(0, 1_500_000));
    const open = await opening;
    await open.until(long.slice(0, 1_400_000));

    clock.advance(PERIOD_MS);
    answer().end(long.slice(1_500_000) + finishChunk() + DONE);

    expect((await open.rest()).text).toBe(long + finishChunk() + DONE);
  });

  it('lets another route take over after pings, on the same stream', async () => {
    const { api, clock } = await stagedTracker();
    const { head, answer } = await askedHead();
    const spare = await stage.head(sendChat);
    const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
    const spareId = await join(api, spare, 'spare', { throughput_tps: 1 });
    const opening = api.openChat(STREAM);
    await received(head);
    clock.advance(PERIOD_MS);
    const open = await opening;
    await open.until(PING);

    answer().destroy();
    const reply = await open.rest();

    expect(reply.status).toBe(200);
    expect(dataOf(reply.text)).toEqual(dataOf(wholeText()));
    expect(await api.callOf(reply)).toMatchObject({
      outcome: 'completed',
      attempts: [{ outcome: 'failed' }, { outcome: 'completed', status: 200 }],
    });
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
    expect(await standingOf(api, spareId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it.each<[string, (response: ServerResponse) => unknown, object]>([
    ['breaks the connection', (response) => response.destroy(), { code: 'node_failed' }],
    [
      'ends without an answer',
      (response) => response.writeHead(200, SSE_HEADERS).end(),
      { code: 'answer_cut_off' },
    ],
    [
      'answers with an error',
      (response) => sendJson(response, 500, { error: { message: 'boom', code: 'oom' } }),
      { message: 'boom', code: 'oom' },
    ],
    [
      'answers with an error of another shape',
      (response) => sendJson(response, 409, { detail: 'not now' }),
      { type: 'invalid_request_error', param: null },
    ],
    [
      'answers with a page',
      (response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>loading</h1>'),
      { type: 'server_error', param: null },
    ],
    [
      'puts an error into its stream',
      (response) =>
        response.writeHead(200, SSE_HEADERS).end(event({ error: { message: 'boom', code: 500 } })),
      { message: 'boom' },
    ],
    [
      'answers a stream with JSON',
      (response) => sendJson(response, 200, wholeChat()),
      { code: 'node_failed' },
    ],
  ])(
    'tells one error event and invents no end when after pings the only head %s',
    async (_what, end, error) => {
      const { api, clock } = await stagedTracker();
      const { head, answer } = await askedHead();
      await join(api, head, 'head');
      const opening = api.openChat(STREAM);
      await received(head);
      clock.advance(PERIOD_MS);
      const open = await opening;
      await open.until(PING);

      end(answer());
      const reply = await open.rest();

      const data = dataOf(reply.text);
      expect(data.length).toBe(1);
      expect(JSON.parse(data[0] ?? '')).toMatchObject({ error });
      expect(reply.isWhole).toBe(true);
      expect((await api.callOf(reply)).sample).not.toBe('recorded');
    },
  );

  it('pings no client that waits for a node with room, and keeps its status open', async () => {
    const { api, clock } = await stagedTracker({ MESHNET_QUEUE_SECONDS: '60' });
    const { head, answer } = await askedHead();
    await join(api, head, 'head', { max_concurrent: 1 });
    const holding = api.chat(STREAM);
    await received(head);
    const queued = api.chat(STREAM, NAMED);
    await eventually(async () => expect(await api.call('named')).toMatchObject({ phase: 'queued' }));

    clock.advance(60_001);
    const reply = await queued;
    expect(reply.status).toBe(429);
    expect(errorOf(reply).code).toBe('queue_timeout');
    answer().writeHead(200, SSE_HEADERS).end(wholeText());
    expect((await holding).text).toContain(PING);
  });

  it('pings no client of a JSON answer', async () => {
    const { api, clock } = await stagedTracker();
    const { head, answer } = await askedHead();
    await join(api, head, 'head');
    const replying = api.chat(aChat());
    await received(head);

    clock.advance(10 * PERIOD_MS);
    sendJson(answer(), 200, wholeChat());

    expect((await replying).text).toBe(JSON.stringify(wholeChat()));
  });

  it('pings nobody where pings are turned off', async () => {
    const { api, clock } = await stagedTracker({ MESHNET_STREAM_PING_SECONDS: '0' });
    const { head, answer } = await askedHead();
    await join(api, head, 'head');
    const replying = api.chat(STREAM);
    await received(head);

    clock.advance(10 * PERIOD_MS);
    answer().writeHead(200, SSE_HEADERS).end(wholeText());

    expect((await replying).text).toBe(wholeText());
  });

  it('takes pings for no sign of the head, which times out all the same', async () => {
    const { api, clock } = await stagedTracker({ MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '40' });
    const { head } = await askedHead();
    const nodeId = await join(api, head, 'head');
    const opening = api.openChat(STREAM);
    await received(head);

    clock.advance(40_000);
    const reply = await (await opening).rest();

    expect(reply.text).toMatch(/^(: ping\n){2}data: \{.*"code":"node_timeout".*\}\n\n$/);
    await droppedSoon(head);
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
  });

  it('leaves no timer behind', async () => {
    const { api, clock } = await stagedTracker();
    await join(api, await stage.head(), 'head');
    const before = clock.liveTimers;

    for (let at = 0; at < 10; at += 1) await api.chat(STREAM);

    // But for the one that closes idle connections.
    await eventually(() => expect(clock.liveTimers).toBe(before + 1));
  });
});
