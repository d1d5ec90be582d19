import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { HeadAnswering } from '../../support/fake-head.js';
import { dataOf, errorOf } from '../../support/http-client.js';
import { ManualClock } from '../../support/manual-clock.js';
import {
  DONE,
  finishChunk,
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

const STREAM = aChat({ stream: true });
const ANSWER = dataOf(TEN.map(textChunk).join('') + finishChunk() + DONE);
const FIRST_BYTE_MS = 600_000;
const IDLE_MS = 300_000;

const stage = new Stage();
afterEach(() => stage.end());

type Staged = StagedTracker & { readonly clock: ManualClock };

/** A tracker whose time moves only when told to; nodes stay however far that is. */
async function stagedTracker(
  env: Record<string, string> = {},
): Promise<StagedTracker & { clock: ManualClock }> {
  const clock = new ManualClock();
  const lasting = { MESHNET_NODE_LEASE_SECONDS: '1000000', MESHNET_STREAM_PING_SECONDS: '0' };
  return Object.assign(await stage.tracker({ env: { ...lasting, ...env }, parts: { clock } }), { clock });
}

/** So much time goes by. A head that talks is heard again halfway. */
async function pass({ api, clock }: Staged, ms: number, nodeId: string, talks: boolean): Promise<void> {
  clock.advance(ms / 2);
  if (talks) await eventually(async () => expect((await api.node(nodeId)).last_seen_seconds_ago).toBe(0));
  clock.advance(ms / 2);
}

const JSON_HEADERS = { 'content-type': 'application/json' };
const silent: HeadAnswering = () => undefined;
const headersOnly: HeadAnswering = (response) => response.writeHead(200, SSE_HEADERS).flushHeaders();
const commentsOnly: HeadAnswering = (response) => comment(response.writeHead(200, SSE_HEADERS));
const halfAnEvent: HeadAnswering = (response) => response.writeHead(200, SSE_HEADERS).write('data: {"cho');
const SILENCES: [string, HeadAnswering, talks: boolean][] = [
  ['headers and then nothing', headersOnly, false],
  ['nothing at all', silent, false],
  ['comments and no answer', commentsOnly, true],
  ['half an event', halfAnEvent, false],
];

function comment(response: ServerResponse): void {
  const timer = setInterval(() => response.write(': still here\n\n'), 10);
  response.on('close', () => clearInterval(timer));
}

describe('B21 a head stays silent after it was asked', () => {
  it.each(SILENCES)('is replaced by another route after %s, and charged', async (_what, answering, talks) => {
    const tracker = await stagedTracker();
    const { api } = tracker;
    const head = await stage.head(answering);
    const spare = await stage.head();
    const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
    const spareId = await join(api, spare, 'spare', { throughput_tps: 1 });

    const replying = api.chat(STREAM);
    await received(head);
    await pass(tracker, FIRST_BYTE_MS, nodeId, talks);
    const reply = await replying;

    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'x-meshnet-attempts': '2',
      'x-meshnet-route': 'm|spare:all[0-0]',
    });
    expect(dataOf(reply.text)).toEqual(ANSWER);
    await droppedSoon(head);
    expect(await api.callOf(reply)).toMatchObject({
      outcome: 'completed',
      routing: { signature: 'm|spare:all[0-0]' },
      attempts: [
        { outcome: 'timed_out', ms: FIRST_BYTE_MS },
        { outcome: 'completed', status: 200 },
      ],
    });
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
    expect(await standingOf(api, spareId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });

  it.each(SILENCES)(
    'is a 504 that says what happened after %s when no other route is left',
    async (_what, answering, talks) => {
      const tracker = await stagedTracker();
      const { api } = tracker;
      const head = await stage.head(answering);
      const nodeId = await join(api, head, 'head');

      const replying = api.chat(STREAM);
      await received(head);
      await pass(tracker, FIRST_BYTE_MS, nodeId, talks);
      const reply = await replying;

      expect(reply.status).toBe(504);
      const { message, ...error } = errorOf(reply);
      expect(error).toEqual({ type: 'server_error', param: null, code: 'node_timeout' });
      expect(message).toContain(nodeId);
      expect(message).toContain('600.0 s');
      expect(message).toContain(`${String(head.last.body.length)} bytes`);
      expect(message).toContain('MESHNET_FIRST_BYTE_TIMEOUT_SECONDS');
      await droppedSoon(head);
      expect(await api.callOf(reply)).toMatchObject({
        outcome: 'timed_out',
        sample: 'failed',
        completion_tokens: null,
        attempts: [{ outcome: 'timed_out' }],
      });
      expect(await standingOf(api, nodeId)).toEqual(BLAMED);
    },
  );

  it('is replaced once only: a second silent head ends the call', async () => {
    const { api, clock } = await stagedTracker();
    const heads = [await stage.head(headersOnly), await stage.head(silent), await stage.head()] as const;
    for (const [at, head] of heads.entries()) {
      await join(api, head, `head${String(at)}`, { throughput_tps: 100 - at });
    }

    const replying = api.chat(STREAM);
    for (const head of heads.slice(0, 2)) {
      await received(head);
      clock.advance(FIRST_BYTE_MS);
    }
    const reply = await replying;

    expect(reply.status).toBe(504);
    expect(reply.headers['x-meshnet-attempts']).toBe('2');
    expect(heads.map(({ chats }) => chats.length)).toEqual([1, 1, 0]);
  });

  it.each<[string, HeadAnswering]>([
    ['at all', silent],
    ['after its headers', (response) => response.writeHead(200, JSON_HEADERS).flushHeaders()],
    ['within its answer', (response) => response.writeHead(200, JSON_HEADERS).write('{"id')],
  ])(
    'is not replaced when it owes a JSON answer, which may be almost ready (silent %s)',
    async (_what, answering) => {
      const { api, clock } = await stagedTracker();
      const head = await stage.head(answering);
      const spare = await stage.head();
      const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
      await join(api, spare, 'spare', { throughput_tps: 1 });

      const replying = api.chat(aChat());
      await received(head);
      clock.advance(FIRST_BYTE_MS);
      const reply = await replying;

      expect(reply.status).toBe(504);
      expect(reply.headers['x-should-retry']).toBe('false');
      expect(errorOf(reply).code).toBe('node_timeout');
      expect(spare.chats).toEqual([]);
      await droppedSoon(head);
      expect(await standingOf(api, nodeId)).toEqual(BLAMED);
    },
  );

  it('is given all the time up to the limit, also beyond the idle limit, for a JSON answer', async () => {
    const { api, clock } = await stagedTracker();
    let answer = (): void => undefined;
    const head = await stage.head((response) => {
      answer = () => sendJson(response, 200, wholeChat());
    });
    const nodeId = await join(api, head, 'head');

    const replying = api.chat(aChat());
    await received(head);
    clock.advance(FIRST_BYTE_MS - 1);
    answer();

    expect((await replying).status).toBe(200);
    expect(await standingOf(api, nodeId)).toEqual({ ...UNTOUCHED, samples: 1 });
  });
});

describe('B21 a head falls silent after its first tokens', () => {
  const stalling: HeadAnswering = (response) =>
    response.writeHead(200, SSE_HEADERS).write(TEN.map(textChunk).join(''));
  const commenting: HeadAnswering = (response, chat) => {
    stalling(response, chat);
    comment(response);
  };

  it.each<[string, HeadAnswering, talks: boolean]>([
    ['says nothing more', stalling, false],
    ['sends only comments', commenting, true],
  ])(
    'ends its stream in one error event when it %s, and no other route is asked',
    async (_what, answering, talks) => {
      const tracker = await stagedTracker();
      const { api } = tracker;
      const head = await stage.head(answering);
      const spare = await stage.head();
      const nodeId = await join(api, head, 'head', { throughput_tps: 100 });
      await join(api, spare, 'spare', { throughput_tps: 1 });

      const open = await api.openChat(STREAM);
      await open.until(TEN.at(-1) ?? '');
      await pass(tracker, IDLE_MS, nodeId, talks);
      const reply = await open.rest();

      const data = dataOf(reply.text);
      expect(data.length).toBe(TEN.length + 1);
      const { error } = JSON.parse(data.at(-1) ?? '') as { error: { code: string; message: string } };
      expect(error.code).toBe('node_timeout');
      expect(error.message).toContain('fell silent for 300.0 s');
      expect(error.message).toContain('MESHNET_IDLE_TIMEOUT_SECONDS');
      expect(spare.chats).toEqual([]);
      await droppedSoon(head);
      expect(await api.callOf(reply)).toMatchObject({
        outcome: 'timed_out',
        sample: 'failed',
        completion_tokens: 10,
      });
      expect(await standingOf(api, nodeId)).toEqual(BLAMED);
    },
  );

  it('ends its stream in one error event when it drips beyond the total time', async () => {
    const { api, clock } = await stagedTracker({ MESHNET_TOTAL_TIMEOUT_SECONDS: '1000' });
    let say = (text: string): unknown => text;
    const head = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS);
      say = (text) => response.write(textChunk(text));
    });
    const nodeId = await join(api, head, 'head');

    const opening = api.openChat(STREAM);
    await received(head);
    say('<0>');
    const open = await opening;
    for (let at = 1; at <= 9; at += 1) {
      clock.advance(100_000);
      say(`<${String(at)}>`);
      await open.until(`<${String(at)}>`);
    }
    clock.advance(100_000);
    const { text } = await open.rest();

    expect(dataOf(text).length).toBe(11);
    const { error } = JSON.parse(dataOf(text).at(-1) ?? '') as { error: { message: string } };
    expect(error.message).toContain('did not finish for 1000.0 s');
    expect(error.message).toContain('MESHNET_TOTAL_TIMEOUT_SECONDS');
    await droppedSoon(head);
    expect(await standingOf(api, nodeId)).toEqual(BLAMED);
  });
});
