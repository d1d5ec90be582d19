import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { FakeHead } from '../support/fake-head.js';
import { errorOf, start } from '../support/http-client.js';
import { sendChat } from '../support/openai-answers.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aChat, finishedCall, join, received, standingOf, UNTOUCHED } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

interface HeldHead {
  readonly head: FakeHead;
  /** Answers the chat that has waited longest. */
  readonly answer: () => void;
}

async function heldHead(): Promise<HeldHead> {
  const held: (() => void)[] = [];
  const head = await stage.head((response, chat) => held.push(() => sendChat(response, chat)));
  return { head, answer: () => held.shift()?.() };
}

/** A tracker with one node, which has room for one call and is busy with it. */
async function busy(
  env: Readonly<Record<string, string>> = {},
): Promise<HeldHead & { tracker: StagedTracker }> {
  const tracker = await stage.tracker({ env });
  const one = await heldHead();
  await join(tracker.api, one.head, 'a', { max_concurrent: 1 });
  void tracker.api.chat(aChat()).catch(() => undefined);
  await received(one.head);
  return { ...one, tracker };
}

async function queued({ api }: StagedTracker, count: number): Promise<void> {
  await eventually(async () => {
    const phases = (await api.calls('?open=true')).map(({ phase }) => phase);
    expect(phases.filter((phase) => phase === 'queued')).toHaveLength(count);
  });
}

describe('a call whose nodes are all full', () => {
  it('waits its turn, first in, first out, and its record says for how long', async () => {
    const { tracker, head, answer } = await busy();
    const order: number[] = [];
    const replies = [];
    for (let n = 0; n < 4; n += 1) {
      const reply = tracker.api.chat(aChat({ n, stream: n % 2 === 0 }));
      void reply.then(() => order.push(n));
      replies.push(reply);
      await queued(tracker, n + 1);
    }
    for (let n = 0; n < 4; n += 1) {
      answer();
      await received(head, n + 2);
    }
    answer();
    const [first] = await Promise.all(replies);
    expect(head.chats.slice(1).map(({ body }) => (JSON.parse(body.toString()) as { n: number }).n)).toEqual([
      0, 1, 2, 3,
    ]);
    expect(order).toEqual([0, 1, 2, 3]);
    const record = await tracker.api.callOf(first!);
    expect(record).toMatchObject({ outcome: 'completed', sample: 'recorded', attempts: [{ status: 200 }] });
    expect(record.queued_ms).toBeGreaterThan(0);
    expect(record.queued_ms).toBeLessThanOrEqual(record.total_ms!);
    expect(await standingOf(tracker.api, 'a:all')).toEqual({ ...UNTOUCHED, samples: 5 });
  });

  it('gets 429 after MESHNET_QUEUE_SECONDS, and has not begun before', async () => {
    const env = { MESHNET_QUEUE_SECONDS: '0.4', MESHNET_STREAM_PING_SECONDS: '0.1' };
    const { tracker, head } = await busy(env);
    const reply = await tracker.api.chat(aChat({ stream: true }), { headers: { 'x-request-id': 'late' } });
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '5']);
    expect(errorOf(reply)).toMatchObject({ code: 'queue_timeout', type: 'rate_limit_error' });
    const record = await tracker.api.call('late');
    expect(record).toMatchObject({
      outcome: 'busy',
      cause: 'queue_timeout',
      attempts: [],
      routing: null,
      sample: null,
    });
    expect(record.queued_ms).toBeGreaterThanOrEqual(399);
    expect(head.chats).toHaveLength(1);
    expect(await standingOf(tracker.api, 'a:all')).toEqual({ ...UNTOUCHED, inFlight: 2 });
  });

  it('gets 429 at once where MESHNET_QUEUE_LENGTH calls wait already', async () => {
    const { tracker, head, answer } = await busy({ MESHNET_QUEUE_LENGTH: '1' });
    const waiting = tracker.api.chat(aChat());
    await queued(tracker, 1);
    const refused = await tracker.api.chat(aChat());
    expect([refused.status, errorOf(refused).code]).toEqual([429, 'queue_full']);
    expect(refused.headers['retry-after']).toBe('5');
    answer();
    await received(head, 2);
    answer();
    expect((await waiting).status).toBe(200);
  });

  it('is forgotten when its client leaves, and nobody is asked for it', async () => {
    const { tracker, head, answer } = await busy();
    const leaving = start(`${tracker.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-request-id': 'left' },
      body: aChat(),
    });
    await queued(tracker, 1);
    const next = tracker.api.chat(aChat({ n: 2 }));
    await queued(tracker, 2);
    leaving.destroy();
    expect(await finishedCall(tracker.api, 'left')).toMatchObject({ outcome: 'client_left', attempts: [] });
    await queued(tracker, 1);
    answer();
    await received(head, 2);
    expect(head.lastBody).toMatchObject({ n: 2 });
    answer();
    expect((await next).status).toBe(200);
    expect(head.chats).toHaveLength(2);
  });
});

describe('a call that comes while the mesh is slower than admission allows', () => {
  const ADMISSION = {
    MESHNET_ROUTE_POLICY: 'least-expected-delay',
    MESHNET_ADMISSION_SECONDS_PER_TOKEN: '0.0001',
  };

  it('waits as if its nodes were full, and record and metrics say so', async () => {
    const tracker = await stage.tracker({ env: ADMISSION });
    const { api } = tracker;
    const { head, answer } = await heldHead();
    await join(api, head, 'a');
    const first = api.chat(aChat());
    await received(head);
    const second = api.chat(aChat({ stream: true }));
    await queued(tracker, 1);
    expect((await api.get('/metrics')).text).toMatch(/^meshnet_queued 1$/m);
    answer();
    await received(head, 2);
    answer();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect((await api.callOf(await first)).queued_ms).toBe(0);
    expect((await api.callOf(await second)).queued_ms).toBeGreaterThan(0);
    expect((await api.get('/metrics')).text).toMatch(/meshnet_queue_wait_seconds_count\{[^}]*\} 1/);
  });

  it('gets 429 in the end, which names the setting', async () => {
    const { api } = await stage.tracker({ env: { ...ADMISSION, MESHNET_QUEUE_SECONDS: '0.2' } });
    const { head, answer } = await heldHead();
    await join(api, head, 'a');
    const first = api.chat(aChat());
    await received(head);
    const late = await api.chat(aChat());
    expect([late.status, errorOf(late).code, late.headers['retry-after']]).toEqual([
      429,
      'queue_timeout',
      '5',
    ]);
    expect(errorOf(late).message).toContain('MESHNET_ADMISSION_SECONDS_PER_TOKEN');
    answer();
    expect((await first).status).toBe(200);
  });
});

describe('another attempt whose nodes are all full', () => {
  it('waits too, unbegun, and tells the first failure when that takes too long', async () => {
    const env = { MESHNET_QUEUE_SECONDS: '0.5', MESHNET_STREAM_PING_SECONDS: '0.1' };
    const { tracker, head, answer } = await busy(env);
    const failing = await stage.head((response) => response.destroy());
    await join(tracker.api, failing, 'b', { throughput_tps: 999 });
    const late = await tracker.api.chat(aChat({ stream: true }));
    expect([late.status, errorOf(late).code]).toEqual([502, 'node_failed']);
    expect((await tracker.api.callOf(late)).queued_ms).toBeGreaterThanOrEqual(499);

    const patient = tracker.api.chat(aChat({ stream: true }));
    await received(failing, 2);
    await queued(tracker, 1);
    answer();
    await received(head, 2);
    answer();
    const reply = await patient;
    expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([200, '2']);
  });
});

describe('a node that is stuck', () => {
  it('gets MESHNET_NODE_MAX_CONNECTIONS calls and leaves the rest to others', async () => {
    const tracker = await stage.tracker({ env: { MESHNET_NODE_MAX_CONNECTIONS: '2' } });
    const stuck = await stage.head(() => undefined);
    const sound = await stage.head();
    await join(tracker.api, stuck, 'stuck', { throughput_tps: 99_999 });
    await join(tracker.api, sound, 'sound', { throughput_tps: 1 });
    const hanging = [1, 2].map(() =>
      start(`${tracker.url}/v1/chat/completions`, { method: 'POST', body: aChat() }),
    );
    await received(stuck, 2);
    const replies = await Promise.all(Array.from({ length: 2 }, () => tracker.api.chat(aChat())));
    for (let n = 0; n < 10; n += 1) replies.push(await tracker.api.chat(aChat()));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect([stuck.chats.length, sound.chats.length]).toEqual([2, 12]);
    for (const each of hanging) each.destroy();
    await eventually(async () => expect((await standingOf(tracker.api, 'stuck:all')).inFlight).toBe(0));
  });
});
