import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallStory } from '../../src/calls/index.js';
import { eventually } from '../support/eventually.js';
import type { FakeHead } from '../support/fake-head.js';
import { jsonOf } from '../support/http-client.js';
import { ManualClock } from '../support/manual-clock.js';
import { DONE, finishChunk, sendJson, SSE_HEADERS, textChunk, wholeChat } from '../support/openai-answers.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aChat, join, MODEL } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

async function aTracker(env: Readonly<Record<string, string>> = {}): Promise<StagedTracker> {
  return stage.tracker({
    env: {
      MESHNET_ROUTE_POLICY: 'least-expected-delay',
      MESHNET_ROUTE_CONTROL_SHARE: '0',
      MESHNET_ROUTE_EXPLORE_SHARE: '0',
      MESHNET_ROUTE_SEED: '3',
      MESHNET_NODE_LEASE_SECONDS: '100000',
      ...env,
    },
    parts: { clock },
  });
}

/** Its whole answers of 100 tokens take so long. */
function taking(seconds: number): Promise<FakeHead> {
  return stage.head((response) => {
    clock.advance(seconds * 1000);
    sendJson(response, 200, wholeChat('well', 100));
  });
}

async function storyOf(tracker: StagedTracker, requestId: string, more: object = {}): Promise<CallStory> {
  await tracker.api.chat(aChat(more), { headers: { 'x-request-id': requestId } });
  return jsonOf(await tracker.api.get(`/v1/calls/${requestId}`)) as CallStory;
}

const signatureOf = (wallet: string): string => `${MODEL}|${wallet}:all[0-0]`;

describe('MESHNET_ROUTE_POLICY=least-expected-delay', () => {
  let tracker: StagedTracker;
  beforeEach(async () => {
    tracker = await aTracker();
    // Both say the same of themselves.
    await join(tracker.api, await taking(2), 'fast', { throughput_tps: 10 });
    await join(tracker.api, await taking(40), 'slow', { throughput_tps: 10 });
    for (let calls = 0; calls < 6; calls += 1) await tracker.api.chat(aChat());
  });

  it('sends chats where they are done first, after a few of them', async () => {
    for (let calls = 0; calls < 10; calls += 1) {
      const { headers } = await tracker.api.chat(aChat());
      expect(headers).toMatchObject({
        ...{ 'x-meshnet-route': signatureOf('fast'), 'x-meshnet-route-mode': 'exploit' },
      });
    }
  });

  it('shows what it believes of nodes and expects of routes, and where it sent the latest', async () => {
    for (let calls = 0; calls < 14; calls += 1) await tracker.api.chat(aChat());
    const fast = (await tracker.api.nodes()).find(({ wallet }) => wallet === 'fast');
    expect(fast?.speed_factor).toBeGreaterThan(2.5);
    expect(fast?.speed_sigma).toBeGreaterThan(0);
    expect(fast?.speed_sigma).toBeLessThan(0.5);
    const { candidates } = await tracker.api.routing(MODEL);
    const by = new Map(candidates.map((row) => [row.signature, row]));
    const [quick, late] = [by.get(signatureOf('fast'))!, by.get(signatureOf('slow'))!];
    expect(quick.recent_share).toBeGreaterThan(0.7);
    expect(quick.recent_share! + late.recent_share!).toBeCloseTo(1);
    expect(quick.predicted_seconds_200).toBeGreaterThan(1);
    expect(quick.predicted_seconds_200).toBeLessThan(10);
    expect(late.predicted_seconds_200).toBeGreaterThan(quick.predicted_seconds_200!);
  });

  it('tells of each call what was expected, of how long an answer, and why it went there', async () => {
    const { attempts } = await storyOf(tracker, 'long');
    expect(attempts[0]?.reason).toMatch(/^expected [\d.]+ s; next best [\d.]+ s$/);
    const [chosen, other] = [...(attempts[0]?.candidates ?? [])].sort(
      (a, b) => b.traffic_share - a.traffic_share,
    );
    expect(chosen).toMatchObject({ signature: signatureOf('fast'), traffic_share: 1, node_loads: [0] });
    expect(chosen!.predicted_seconds).toBeLessThan(other!.predicted_seconds!);
    expect(chosen!.predicted_seconds_200).toBeGreaterThan(chosen!.predicted_seconds!);
    const short = await storyOf(tracker, 'short', { max_tokens: 1 });
    const expected = short.attempts[0]?.candidates.find(({ signature }) => signature === signatureOf('fast'));
    expect(expected!.predicted_seconds).toBeLessThan(chosen!.predicted_seconds! / 2);
  });
});

describe('the control group', () => {
  it('is told in headers, records, stories and metrics', async () => {
    const tracker = await aTracker({ MESHNET_ROUTE_CONTROL_SHARE: '1' });
    await join(tracker.api, await taking(2), 'w', { throughput_tps: 10 });
    const { headers } = await tracker.api.chat(aChat());
    expect(headers['x-meshnet-route-mode']).toBe('control');
    const story = await storyOf(tracker, 'c');
    expect(story).toMatchObject({ routing: { mode: 'control' }, attempts: [{ mode: 'control' }] });
    expect(story.attempts[0]?.reason).toMatch(/^0 under way, the fewest; expected /);
    const [row] = await tracker.api.calls();
    expect(row?.attempts[0]).not.toHaveProperty('reason');
    const { text } = await tracker.api.get('/metrics');
    expect(text).toMatch(/mode="control"/);
  });
});

describe('a stream under way', () => {
  it('is learned from before it ends, and while it is silent', async () => {
    const tracker = await aTracker();
    const open: ServerResponse[] = [];
    const head = await stage.head((response) => {
      open.push(response);
      response.writeHead(200, SSE_HEADERS).write(textChunk('one'));
    });
    await join(tracker.api, head, 'w', { throughput_tps: 10 });
    const factor = async (): Promise<number> => (await tracker.api.nodes())[0]?.speed_factor ?? NaN;
    const reply = await tracker.api.openChat(aChat({ stream: true }));
    await reply.until('one');
    const before = await factor();
    clock.advance(40_000);
    const silent = await factor();
    expect(silent).toBeLessThan(before / 2);
    for (let chunk = 0; chunk < 300; chunk += 1) open[0]?.write(textChunk(`w${String(chunk)} `));
    await reply.until('w299');
    clock.advance(6000);
    expect(await factor()).toBeGreaterThan(silent);
    open[0]?.end(finishChunk() + DONE);
    await reply.rest();
  });

  it('that calls a tool is not', async () => {
    const tracker = await aTracker();
    const open: ServerResponse[] = [];
    const call = { index: 0, id: 't', function: { name: 'look', arguments: '' } };
    const toolChunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`;
    const head = await stage.head((response) => {
      open.push(response);
      response.writeHead(200, SSE_HEADERS).write(textChunk('one') + toolChunk);
    });
    await join(tracker.api, head, 'w', { throughput_tps: 10 });
    const reply = await tracker.api.openChat(aChat({ stream: true }));
    await reply.until('look');
    const [before] = await tracker.api.nodes();
    clock.advance(120_000);
    const [after] = await tracker.api.nodes();
    // What little was learned passes; nothing was added.
    expect(after!.speed_factor! - before!.speed_factor!).toBeCloseTo(0, 1);
    open[0]?.end(finishChunk() + DONE);
    await reply.rest();
  });
});

describe('40 chats at once', () => {
  it('over two equal nodes give neither more than 24', async () => {
    const tracker = await aTracker({ MESHNET_ROUTE_CONTROL_SHARE: '0.02' });
    const held: ServerResponse[] = [];
    const heads = await Promise.all(['a', 'b'].map(() => stage.head((response) => held.push(response))));
    for (const [at, head] of heads.entries()) {
      await join(tracker.api, head, `w${String(at)}`, { throughput_tps: 10 });
    }
    const chats = Array.from({ length: 40 }, () => tracker.api.chat(aChat()));
    await eventually(() => expect(held.length).toBe(40));
    const counts = heads.map((head) => head.chats.length);
    for (const response of held) sendJson(response, 200, wholeChat());
    const replies = await Promise.all(chats);
    expect(Math.max(...counts)).toBeLessThanOrEqual(24);
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    const nodes = await tracker.api.nodes();
    expect(nodes.map(({ in_flight }) => in_flight)).toEqual([0, 0]);
  });
});
