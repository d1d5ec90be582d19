import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { HeadAnswering } from '../support/fake-head.js';
import {
  DONE,
  finishChunk,
  sendChat,
  sendJson,
  SSE_HEADERS,
  TEN,
  textChunk,
} from '../support/openai-answers.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { Stage } from '../support/stage.js';
import type { TrackerApi } from '../support/tracker-api.js';
import { aChat, join, standingOf } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

const isStream = (body: Buffer): boolean => body.includes('"stream":true');

/** What a bad node does with a chat. All but `good` give no completion. */
const DOINGS = {
  good: sendChat,
  empty: (response, { body }) => {
    const choices = [{ index: 0, message: { content: '' }, finish_reason: 'stop' }];
    if (isStream(body)) response.writeHead(200, SSE_HEADERS).end(finishChunk() + DONE);
    else sendJson(response, 200, { choices, usage: { completion_tokens: 90 } });
  },
  cut: (response, { body }) => {
    if (isStream(body)) response.writeHead(200, SSE_HEADERS).end(textChunk('a') + DONE);
    else response.writeHead(200, { 'content-length': '900' }).write('{', () => response.destroy());
  },
  refuse: (response) => sendJson(response, 400, { error: { message: 'no' } }),
  fail: (response) => sendJson(response, 402, { error: { message: 'no credits' } }),
  none: (response, { body }) =>
    isStream(body) ? response.writeHead(200, SSE_HEADERS).end(DONE) : sendJson(response, 200, {}),
  abort: (response, { body }) =>
    isStream(body)
      ? response.writeHead(200, SSE_HEADERS).end(finishChunk('abort') + DONE)
      : sendJson(response, 200, { choices: [{ message: { content: '' }, finish_reason: 'abort' }] }),
  hang: () => undefined,
} satisfies Record<string, HeadAnswering>;
type Doing = keyof typeof DOINGS;

const TEXT = TEN.at(-1) ?? '';

/** Whether the client got a whole answer. */
async function isServed(api: TrackerApi, stream: boolean): Promise<boolean> {
  const { status, text } = await api.chat(aChat({ stream }));
  return status === 200 && text.includes(TEXT) && text.includes('"stop"') && !text.includes('"error"');
}

interface Play {
  /** What the bad node does with its chats, one after the other; the last goes on for ever. */
  readonly doings: readonly Doing[];
  readonly company: number;
  readonly spacingMs: readonly number[];
  readonly stream: boolean;
  readonly policy: string;
  readonly chats: number;
}

/** @returns how many chats got no completion once the bad node had given its last one, and in all */
async function play({ doings, company, spacingMs, stream, policy, chats }: Play) {
  const clock = new ShiftedClock();
  const tracker = await stage.tracker({
    env: {
      MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.3',
      MESHNET_NODE_LEASE_SECONDS: '90000',
      MESHNET_ROUTE_POLICY: policy,
    },
    parts: { clock },
  });
  const { api } = tracker;
  let asked = 0;
  const bad = await stage.head((response, chat) => {
    const doing = doings[Math.min(asked, doings.length - 1)] ?? 'good';
    asked += 1;
    DOINGS[doing](response, chat);
  });
  const healthy = await stage.head((response, chat) => setTimeout(() => sendChat(response, chat), 8));
  await join(api, bad, 'bad', { throughput_tps: 1000 });
  await join(api, healthy, 'healthy', { throughput_tps: 10 });
  const lastGood = doings.lastIndexOf('good');
  let [all, since] = [0, 0];
  for (let n = 0; n < chats; n += company) {
    const wereBad = asked > lastGood;
    const served = await Promise.all(Array.from({ length: company }, () => isServed(api, stream)));
    const none = served.filter((one) => !one).length;
    all += none;
    if (wereBad) since += none;
    clock.shift(spacingMs[n % spacingMs.length] ?? 0);
  }
  const standing = await standingOf(api, 'healthy:all');
  await tracker.stop();
  return { all, since, standing };
}

const BAD = (Object.keys(DOINGS) as Doing[]).filter((doing) => doing !== 'good');
const SPACING = fc.array(fc.constantFrom(0, 100, 5_000, 31_000, 130_000, 700_000), {
  minLength: 1,
  maxLength: 5,
});
const POLICY = fc.constantFrom('proportional', 'proportional', 'least-expected-delay');

describe('a node that stops giving completions beside one that serves', () => {
  it('costs at most 5 chats and those that were under way with it, whatever it does, however they come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Doing>('good', 'good', ...BAD), { maxLength: 25 }),
        fc.array(fc.constantFrom<Doing>(...BAD), { minLength: 1, maxLength: 3 }),
        fc.constantFrom(1, 2, 6),
        SPACING,
        fc.boolean(),
        POLICY,
        async (before, after, company, spacingMs, stream, policy) => {
          const doings = [...before, ...after];
          const { since } = await play({ doings, company, spacingMs, stream, policy, chats: 60 });
          expect(since).toBeLessThanOrEqual(5 + company);
        },
      ),
      { numRuns: 12 },
    );
  }, 120_000);

  it.each(BAD)('costs no more when it only ever does: %s', async (doing) => {
    for (const stream of [false, true]) {
      const few = { company: 2, spacingMs: [0, 31_000], stream, policy: 'proportional', chats: 40 };
      const { all } = await play({ ...few, doings: [doing] });
      expect(all).toBeLessThanOrEqual(7);
    }
  });

  it.each([0, 20_000, 650_000])(
    'costs at most a tenth of the chats when it cuts every other answer, %i ms apart',
    async (spacing) => {
      const doings = Array.from({ length: 300 }, (_, at): Doing => (at % 2 === 0 ? 'good' : 'cut'));
      for (const stream of [false, true]) {
        const { all } = await play({
          ...{ doings, company: 1, spacingMs: [spacing], stream },
          ...{ policy: 'proportional', chats: 100 },
        });
        expect(all).toBeLessThanOrEqual(10);
      }
    },
  );
});
