import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { FakeHead } from '../support/fake-head.js';
import { dataOf, type Reply } from '../support/http-client.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  DONE,
  finishChunk,
  sendChat,
  SSE_HEADERS,
  textChunk,
  usageChunk,
} from '../support/openai-answers.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import {
  aChat,
  droppedSoon,
  finishedCall,
  join,
  MODEL,
  received,
  standingOf,
  UNTOUCHED,
} from '../support/whole-model.js';

/** A scout has to do a quarter of 40 tokens/s. */
const ENV = {
  MESHNET_ROUTE_SAFE_SCOUTING: '0.25',
  MESHNET_ROUTE_EXPLORE_SHARE: '1',
  MESHNET_STREAM_PING_SECONDS: '0',
};
/** A scout's time, and a bit for the prompt. */
const TRIAL_MS = 6_000;
const ID = { headers: { 'x-request-id': 'scouted' } };
const STREAM = aChat({ stream: true });

const stage = new Stage();
afterEach(() => stage.end());

interface Scouting extends StagedTracker {
  readonly clock: ManualClock;
  readonly best: FakeHead;
  readonly scout: FakeHead;
  /** The scout's answer, which the test writes. */
  readonly answer: () => ServerResponse;
}

/** A proven route of 40 tokens/s, and one that the next chats scout. */
async function scouting(env: Record<string, string> = {}): Promise<Scouting> {
  const clock = new ManualClock();
  const tracker = await stage.tracker({ env: { ...ENV, ...env }, parts: { clock } });
  const best = await stage.head((response, chat) => {
    clock.advance(250);
    sendChat(response, chat);
  });
  let last: ServerResponse | null = null;
  const scout = await stage.head((response) => (last = response));
  await join(tracker.api, best, 'best', { throughput_tps: 100 });
  await join(tracker.api, scout, 'scout', { throughput_tps: 1 });
  await tracker.api.chat(aChat());
  expect(await tracker.api.candidate(MODEL, 'best:all')).toMatchObject({ status: 'proven', tps: 40 });
  const answer = (): ServerResponse => {
    if (last === null) throw new Error('nobody asked the scout');
    return last;
  };
  return Object.assign(tracker, { clock, best, scout, answer });
}

/** The scout says something, and the tracker has read it: a head's bytes are signs of life. */
async function says({ api, clock, answer }: Scouting, text: string): Promise<void> {
  const response = answer();
  if (!response.headersSent) response.writeHead(200, SSE_HEADERS);
  clock.advance(1);
  response.write(text);
  await eventually(async () => expect((await api.node('scout:all')).last_seen_seconds_ago).toBe(0));
}

const tokens = (count: number): string =>
  Array.from({ length: count }, (_, at) => textChunk(`s${String(at)} `)).join('');

/** A streamed chat that the scout has been asked for, and whether its client has had anything. */
async function asked(
  staged: Scouting,
  body = STREAM,
): Promise<{ reply: Promise<Reply>; hasBegun: () => boolean }> {
  let hasBegun = false;
  const reply = staged.api.openChat(body, ID).then((opened) => {
    hasBegun = true;
    return opened.rest();
  });
  await received(staged.scout);
  return { reply, hasBegun: () => hasBegun };
}

describe('a scout under safe scouting', () => {
  it('that proves its speed at once is shown from then on, byte for byte', async () => {
    const staged = await scouting();
    const opened = staged.api.openChat(STREAM, ID);
    await received(staged.scout);
    staged.clock.advance(100);
    await says(staged, tokens(7));
    await says(staged, textChunk('eighth'));
    const client = await opened;
    expect(await client.until('eighth')).toBe(tokens(7) + textChunk('eighth'));
    staged.answer().end(finishChunk() + DONE);
    const reply = await client.rest();
    expect(reply.text).toBe(tokens(7) + textChunk('eighth') + finishChunk() + DONE);
    expect(reply.headers).toMatchObject({ 'x-meshnet-route-mode': 'scout', 'x-meshnet-attempts': '1' });
    expect(await finishedCall(staged.api, 'scouted')).toMatchObject({ sample: 'recorded', ttft_ms: 102 });
  });

  it('that is too slow is dropped unseen: the best route answers, nobody is blamed, nothing is learned', async () => {
    const staged = await scouting();
    const { api, clock, best, scout } = staged;
    const { reply, hasBegun } = await asked(staged);
    await says(staged, tokens(5));
    clock.advance(TRIAL_MS);
    const { text, headers } = await reply;
    expect(hasBegun()).toBe(true);
    expect(text).not.toContain('s0');
    expect(dataOf(text).at(-1)).toBe('[DONE]');
    expect(headers).toMatchObject({ 'x-meshnet-attempts': '2', 'x-meshnet-route-mode': 'exploit' });
    await droppedSoon(scout);
    expect(best.chats).toHaveLength(2);
    const record = await finishedCall(api, 'scouted');
    expect(record).toMatchObject({
      outcome: 'completed',
      routing: { mode: 'exploit' },
      attempts: [
        { mode: 'scout', outcome: 'abandoned', status: 200, failed_node_id: null, cause: null },
        { mode: 'exploit', outcome: 'completed' },
      ],
    });
    expect(record.ttft_ms).toBeGreaterThan(5_000);
    expect(await standingOf(api, 'scout:all')).toEqual(UNTOUCHED);
    const next = await api.chat(STREAM);
    expect(next.headers).toMatchObject({ 'x-meshnet-route-mode': 'exploit', 'x-meshnet-attempts': '1' });
    const metrics = (await api.get('/metrics')).text;
    expect(metrics).toMatch(/meshnet_attempts_total\{[^}]*outcome="abandoned"[^}]*\} 1/);
    expect(metrics).toMatch(/meshnet_scout_seconds_total\{[^}]*\} 5\.\d+/);
  });

  it('that says nothing at all is dropped as well', async () => {
    const staged = await scouting();
    const { reply } = await asked(staged);
    staged.clock.advance(TRIAL_MS);
    expect(dataOf((await reply).text).at(-1)).toBe('[DONE]');
    expect((await finishedCall(staged.api, 'scouted')).attempts[0]).toMatchObject({
      outcome: 'abandoned',
      status: null,
    });
  });

  it('keeps its client alive with pings meanwhile', async () => {
    const staged = await scouting({ MESHNET_STREAM_PING_SECONDS: '4' });
    const opened = staged.api.openChat(STREAM, ID);
    await received(staged.scout);
    await says(staged, tokens(2));
    staged.clock.advance(4_000);
    expect(await (await opened).until(': ping')).toBe(': ping\n');
    staged.clock.advance(2_000);
    const { text } = await (await opened).rest();
    expect(text.startsWith(': ping\ndata: ')).toBe(true);
    expect(text).not.toContain('s0');
  });

  it('that is quick enough after a slow start is shown when its time is up', async () => {
    const staged = await scouting();
    const { reply } = await asked(staged);
    staged.clock.advance(4_000);
    await says(staged, tokens(30));
    await says(staged, tokens(30));
    staged.answer().end(finishChunk() + DONE);
    expect((await reply).text).toBe(tokens(30) + tokens(30) + finishChunk() + DONE);
    expect((await finishedCall(staged.api, 'scouted')).attempts).toHaveLength(1);
  });

  it('that ends while held has served the call', async () => {
    const staged = await scouting();
    const { reply } = await asked(staged);
    staged.clock.advance(1_500);
    await says(staged, textChunk('a') + textChunk('b'));
    staged.answer().end(finishChunk() + DONE);
    expect((await reply).text).toBe(textChunk('a') + textChunk('b') + finishChunk() + DONE);
    expect(await finishedCall(staged.api, 'scouted')).toMatchObject({
      ...{ outcome: 'completed', sample: 'too_few_tokens', ttft_ms: 1_501 },
      attempts: [{ mode: 'scout', outcome: 'completed' }],
    });
  });

  it('that ends without [DONE] while held has served it too', async () => {
    const staged = await scouting();
    const { reply } = await asked(staged);
    staged.clock.advance(1_500);
    await says(staged, textChunk('a'));
    staged.answer().end(finishChunk());
    expect((await reply).text).toBe(textChunk('a') + finishChunk());
    expect(await finishedCall(staged.api, 'scouted')).toMatchObject({ outcome: 'completed' });
  });

  it.each([
    ['dies', (response: ServerResponse) => response.destroy(), 'failed'],
    ['is cut off', (response: ServerResponse) => response.end(), 'cut_off'],
    [
      'tells of an error',
      (response: ServerResponse) => response.write('data: {"error":{"message":"x"}}\n\n'),
      'failed',
    ],
  ])('that %s while held failed as any other: another route serves', async (_, fail, outcome) => {
    const staged = await scouting();
    const { reply } = await asked(staged);
    staged.clock.advance(1_500);
    await says(staged, textChunk('unseen'));
    fail(staged.answer());
    const { text, headers } = await reply;
    expect([dataOf(text).at(-1), text.includes('unseen'), headers['x-meshnet-attempts']]).toEqual([
      '[DONE]',
      false,
      '2',
    ]);
    expect((await finishedCall(staged.api, 'scouted')).attempts[0]).toMatchObject({ outcome });
    expect((await standingOf(staged.api, 'scout:all')).isBlamed).toBe(true);
  });

  it('whose client leaves while it is held is dropped, and nobody takes over', async () => {
    const staged = await scouting();
    const client = staged.api.startChat(STREAM, ID);
    await received(staged.scout);
    await says(staged, tokens(3));
    client.destroy();
    await droppedSoon(staged.scout);
    expect(await finishedCall(staged.api, 'scouted')).toMatchObject({ outcome: 'client_left' });
    staged.clock.advance(TRIAL_MS);
    expect(staged.best.chats).toHaveLength(1);
    expect(await staged.api.inFlight(MODEL)).toEqual({ nodes: 0, routes: 0 });
  });

  it('goes on and is shown where no proven route can take over', async () => {
    const staged = await scouting();
    const opened = staged.api.openChat(STREAM, ID);
    await received(staged.scout);
    await says(staged, tokens(2) + textChunk('half').slice(0, 20));
    await staged.api.ask('DELETE', '/v1/nodes/best:all');
    staged.clock.advance(TRIAL_MS);
    expect(await (await opened).until('s1')).toBe(tokens(2));
    staged.answer().end(textChunk('half').slice(20) + finishChunk() + DONE);
    const reply = await (await opened).rest();
    expect(reply.text).toBe(tokens(2) + textChunk('half') + finishChunk() + DONE);
    expect((await finishedCall(staged.api, 'scouted')).attempts).toMatchObject([{ outcome: 'completed' }]);
  });

  it('is shown after 64 KiB, proven or not, and held up by its client like any other', async () => {
    const staged = await scouting();
    const opened = staged.api.openChat(STREAM, ID);
    await received(staged.scout);
    // Content in no form that counts: of it, no tokens are known.
    const filler = `data: {"choices":[{"delta":{"logprobs":null}}],"x":"${'y'.repeat(1000)}"}\n\n`.repeat(70);
    await says(staged, textChunk('first') + filler);
    const client = await opened;
    await client.until('yyy');
    staged.answer().end(finishChunk() + DONE);
    expect((await client.rest()).text).toBe(textChunk('first') + filler + finishChunk() + DONE);
  });

  it('has the usage stripped that its client did not ask for', async () => {
    const staged = await scouting();
    const { reply } = await asked(staged);
    staged.clock.advance(100);
    await says(staged, tokens(4) + usageChunk(4) + tokens(4));
    staged.answer().end(finishChunk() + usageChunk(8) + DONE);
    expect((await reply).text).toBe(tokens(4) + tokens(4) + finishChunk() + DONE);
    expect(await finishedCall(staged.api, 'scouted')).toMatchObject({
      completion_tokens: 8,
      tokens_estimated: false,
    });
  });

  it('is given the time that its prompt takes at that speed', async () => {
    const staged = await scouting();
    // 4,000 tokens at a tenth of an output token each, at 10 tokens/s: 40 s.
    const long = aChat({ stream: true, messages: [{ role: 'user', content: 'x'.repeat(16_000) }] });
    const { reply } = await asked(staged, long);
    staged.clock.advance(39_000);
    await says(staged, tokens(8));
    staged.answer().end(finishChunk() + DONE);
    expect((await reply).text).toContain('s7');
  });

  it('may put many tokens into one chunk', async () => {
    const staged = await scouting();
    const { reply } = await asked(staged);
    staged.clock.advance(1_000);
    await says(staged, textChunk('x'.repeat(60)));
    await says(staged, textChunk('z'.repeat(60)));
    staged.clock.advance(TRIAL_MS);
    staged.answer().end(finishChunk() + DONE);
    expect((await reply).text).toContain('zzz');
  });
});

describe('what is not held', () => {
  it.each([
    ['a pinned call', {}, { route: ['scout:all'] }],
    ['any scout, unless the setting says so', { MESHNET_ROUTE_SAFE_SCOUTING: '' }, {}],
    ['a scout for which no other attempt is allowed', { MESHNET_MAX_ATTEMPTS: '1' }, {}],
  ])('%s', async (_, env, more) => {
    const staged = await scouting(env);
    const opened = staged.api.openChat(aChat({ stream: true, ...more }), ID);
    await received(staged.scout);
    await says(staged, textChunk('at once'));
    await (await opened).until('at once');
    staged.clock.advance(TRIAL_MS);
    staged.answer().end(finishChunk() + DONE);
    expect((await (await opened).rest()).isWhole).toBe(true);
    expect((await finishedCall(staged.api, 'scouted')).attempts).toHaveLength(1);
  });

  it('a JSON answer, of whatever length its making is', async () => {
    const staged = await scouting();
    const reply = staged.api.chat(aChat(), ID);
    await received(staged.scout);
    staged.clock.advance(TRIAL_MS);
    sendChat(staged.answer(), { body: Buffer.from(JSON.stringify(aChat())) });
    expect((await reply).headers).toMatchObject({
      'x-meshnet-route-mode': 'scout',
      'x-meshnet-attempts': '1',
    });
  });
});
