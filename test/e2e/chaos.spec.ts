import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallRecord } from '../../src/calls/index.js';
import { CallsService } from '../../src/calls/index.js';
import { expectedText } from '../../src/demo/canned-text.js';
import { seededRng } from '../../src/kernel/index.js';
import { NodeHealthService } from '../../src/node-health/index.js';
import { ChaosMesh } from '../support/chaos-mesh.js';
import { eventually } from '../support/eventually.js';
import { dataOf, jsonOf, type Reply } from '../support/http-client.js';
import { Stage, type StagedTracker } from '../support/stage.js';

/** Another seed is another story; the clock has its part in it too. */
const SEED = 20260729;
const MODEL = 'chaos';
const LAYERS = 12;
const MAX_TOKENS = 24;
/** As many as `GET /v1/calls` remembers. */
const CHATS = 1000;
const AT_ONCE = 200;
const MOST_MS = 25_000;
const CHATS_A_STRIKE = 3;
/** More than there are nodes: as long as a route lives, an attempt is left for it. */
const MAX_ATTEMPTS = 40;

interface Told {
  readonly id: string;
  readonly stream: boolean;
  readonly whole: string;
  /** null: the connection broke before an answer came. */
  readonly reply: Reply | null;
}

const stage = new Stage();
let tracker: StagedTracker;
let chaos: ChaosMesh;
let told: Told[];
let records: Map<string, CallRecord>;

beforeAll(async () => {
  tracker = await stage.tracker({
    env: {
      MESHNET_ROUTE_SEED: String(SEED),
      MESHNET_MAX_ATTEMPTS: String(MAX_ATTEMPTS),
      MESHNET_NODE_LEASE_SECONDS: '3',
      MESHNET_CONNECT_TIMEOUT_SECONDS: '1',
      MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '1.5',
      MESHNET_IDLE_TIMEOUT_SECONDS: '1',
      MESHNET_STREAM_PING_SECONDS: '0.5',
    },
  });
  const mesh = stage.mesh(tracker.url);
  const common = { model: MODEL, numLayers: LAYERS, slots: AT_ONCE, hopTimeoutMs: 600, drainMs: 100 };
  // One route that nothing happens to. It says that it is slow, so that the others are asked first.
  await mesh.add({ ...common, wallet: 'rock', shard: { start: 0, end: 11 }, throughputTps: 1 });
  chaos = new ChaosMesh(mesh, seededRng(SEED));
  for (let at = 0; at < 7; at += 1) {
    await chaos.add({ ...common, wallet: `head${String(at)}`, shard: { start: 0, end: 5 } });
    await chaos.add({ ...common, wallet: `tail${String(at)}`, shard: { start: 6, end: 11 } });
  }
  for (let at = 0; at < 5; at += 1) {
    await chaos.add({ ...common, wallet: `whole${String(at)}`, shard: { start: 0, end: 11 } });
  }
  told = await chatsUnderFire();
  await chaos.heal();
  records = new Map(
    (await tracker.api.calls(`?limit=${String(CHATS)}`)).map((call) => [call.request_id, call]),
  );
}, 60_000);
afterAll(() => stage.end(), 30_000);

/** Keeps so many chats going while nodes come and go, until all were asked or the time is over. */
async function chatsUnderFire(): Promise<Told[]> {
  const until = performance.now() + MOST_MS;
  const answers: Told[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < CHATS && performance.now() < until) {
      const number = next++;
      if (number % CHATS_A_STRIKE === 0) await chaos.strike();
      answers.push(await chat(number));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return answers;
}

async function chat(number: number): Promise<Told> {
  const id = `chaos-${String(number)}`;
  const stream = number % 2 === 0;
  const messages = [{ role: 'user', content: `Chat ${String(number)}: which way?` }];
  const reply = await tracker.api
    .chat({ model: MODEL, stream, max_tokens: MAX_TOKENS, messages }, { headers: { 'x-request-id': id } })
    .catch(() => null);
  return { id, stream, whole: expectedText(messages, MAX_TOKENS), reply };
}

interface Chunk {
  readonly error?: object;
  readonly choices?: readonly [
    { readonly delta?: { readonly content?: string }; readonly message?: { readonly content: string } },
  ];
}

/** The answer's text, how many errors it told, and whether it says that it is whole. */
function readAnswer({ stream, reply }: Told): { text: string; errors: number; isWhole: boolean } {
  if (reply === null) return { text: '', errors: 0, isWhole: false };
  if (!stream) {
    const { choices } = jsonOf(reply) as Chunk;
    return { text: choices?.[0].message?.content ?? '', errors: 0, isWhole: reply.isWhole };
  }
  const data = dataOf(reply.text);
  const chunks = data.filter((part) => part !== '[DONE]').map((part) => JSON.parse(part) as Chunk);
  return {
    text: chunks.map(({ choices }) => choices?.[0].delta?.content ?? '').join(''),
    errors: chunks.filter(({ error }) => error !== undefined).length,
    isWhole: data.at(-1) === '[DONE]',
  };
}

/** Whether the rules allowed no further attempt: a JSON answer that ran out of time, or a stream's second time. */
function hadToEnd({ stream, attempts }: CallRecord): boolean {
  const timedOut = attempts.filter(({ outcome }) => outcome === 'timed_out').length;
  return timedOut > (stream ? 1 : 0) || attempts.length === MAX_ATTEMPTS;
}

/** The chats of which this is so, and the seed that led there. */
function those(isSo: (chat: Told) => boolean): object {
  const chats = told
    .filter(isSo)
    .map(({ id, reply }) => [id, reply?.status, reply?.text, records.get(id)?.attempts]);
  return { seed: SEED, chats };
}
const NONE = { seed: SEED, chats: [] };

describe('a mesh whose nodes are killed, restarted, stalled and slowed under 200 chats at once', () => {
  it('was one: all of it happened, and chats had to change their route', () => {
    expect([...chaos.done.keys()].sort()).toEqual(['healed', 'killed', 'restarted', 'slowed', 'stalled']);
    expect(told.length).toBeGreaterThan(AT_ONCE);
    expect([...records.values()].filter(({ attempts }) => attempts.length > 1).length).toBeGreaterThan(10);
  });

  it('answers every chat', () => {
    expect(those(({ reply }) => reply === null)).toEqual(NONE);
  });

  it('gives no client a 5xx while an attempt is left', () => {
    const isWrong = ({ id, reply }: Told): boolean =>
      reply !== null && reply.status !== 200 && !(reply.status === 504 && hadToEnd(records.get(id)!));
    expect(those(isWrong)).toEqual(NONE);
  });

  it('garbles no text: an answer is the whole text, or its beginning and then one error', () => {
    const isWrong = (one: Told): boolean => {
      if (one.reply?.status !== 200) return false;
      const { text, errors, isWhole } = readAnswer(one);
      return isWhole ? errors > 0 || text !== one.whole : errors !== 1 || !one.whole.startsWith(text);
    };
    expect(those(isWrong)).toEqual(NONE);
  });

  it('serves most of them whole', () => {
    const whole = told.filter((one) => one.reply?.status === 200 && readAnswer(one).isWhole);
    expect(whole.length / told.length).toBeGreaterThan(0.5);
  });

  it('has every chat in its record, with the outcome that the client saw', () => {
    const isWrong = (one: Told): boolean => {
      const record = records.get(one.id);
      if (record === undefined || record.attempts.length === 0) return true;
      const isServed = one.reply?.status === 200 && readAnswer(one).isWhole;
      return (record.outcome === 'completed') !== isServed;
    };
    expect(those(isWrong)).toEqual(NONE);
  });

  it('has nothing under way in the end, on any node or route', async () => {
    await eventually(async () => {
      expect(await tracker.api.inFlight(MODEL)).toEqual({ nodes: 0, routes: 0 });
      expect(tracker.app.get(NodeHealthService).inFlight).toBe(0);
      expect(tracker.app.get(CallsService).openCount).toBe(0);
    });
  });
});
