import { afterEach, describe, expect, it } from '@jest/globals';
import { EventsService } from '../../src/calls/index.js';
import { EventBus } from '../../src/kernel/index.js';
import { aFinishedCall } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { FastHead } from '../support/fast-head.js';
import { open, type OpenReply } from '../support/http-client.js';
import { DONE, finishChunk } from '../support/openai-answers.js';
import { heldBy, NOTHING_HELD } from '../support/rooms-held.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aChat, join, MODEL, UNTOUCHED, standingOf } from '../support/whole-model.js';

const MIB = 1024 * 1024;
const ALL = 200 * MIB;
const PAUSED = 20;

const stage = new Stage();
afterEach(() => stage.end());

/** Clients that have seen how their stream begins, and read no further. */
async function pausedClients({ api }: StagedTracker, count: number): Promise<OpenReply[]> {
  return Promise.all(Array.from({ length: count }, () => api.openChat(aChat({ stream: true }))));
}

// That the head is paused, at how many bytes, and let go when the client goes: field-reports/b65.
describe('clients that do not read', () => {
  it('hold nobody else up, who is served whole by the same node', async () => {
    const tracker = await stage.tracker();
    const fast = await FastHead.start(stage, 4 * MIB);
    await join(tracker.api, fast.head, 'w');
    const endless = await FastHead.start(stage, ALL);
    await tracker.api.register({ wallet: 'w', endpoint: endless.head.url, model: 'endless' });
    const paused = await Promise.all(
      Array.from({ length: PAUSED }, () => tracker.api.openChat(aChat({ model: 'endless', stream: true }))),
    );
    await endless.stalls();
    const before = endless.taken.join();
    const replies = await Promise.all([true, false].map((stream) => tracker.api.chat(aChat({ stream }))));
    expect(replies.map(({ status, isWhole }) => [status, isWhole])).toEqual([
      [200, true],
      [200, true],
    ]);
    expect(endless.taken.join()).toBe(before);
    for (const client of paused) client.leave();
    await eventually(() => expect(heldBy(tracker)).toEqual(NOTHING_HELD));
  });

  it('fill a node, and the next chat goes to another', async () => {
    const tracker = await stage.tracker();
    const fast = await FastHead.start(stage, ALL);
    await join(tracker.api, fast.head, 'full', { max_concurrent: 2, throughput_tps: 100 });
    const paused = await pausedClients(tracker, 2);
    await fast.stalls();
    await join(tracker.api, await stage.head(), 'free', { throughput_tps: 1 });
    const reply = await tracker.api.chat(aChat());
    expect([reply.status, reply.headers['x-meshnet-route']]).toEqual([200, `${MODEL}|free:all[0-0]`]);
    for (const client of paused) client.leave();
    await eventually(() => expect(heldBy(tracker)).toEqual(NOTHING_HELD));
  });

  it('are not taken for a head that fell silent, and get no pings on top', async () => {
    const tracker = await stage.tracker({
      env: { MESHNET_IDLE_TIMEOUT_SECONDS: '0.4', MESHNET_STREAM_PING_SECONDS: '0.1' },
    });
    const fast = await FastHead.start(stage, 32 * MIB);
    const nodeId = await join(tracker.api, fast.head, 'w');
    const late = await tracker.api.openChat(aChat({ stream: true }));
    // Each of these takes as long as a head may be silent, and as four pings.
    for (let times = 0; times < 3; times += 1) await fast.stalls();
    const { text, isWhole } = await late.rest();
    expect([isWhole, text.endsWith(finishChunk() + DONE)]).toEqual([true, true]);
    // While the client reads a busy machine may well be silent for one.
    expect(text.split(': ping').length - 1).toBeLessThan(6);
    expect(await standingOf(tracker.api, nodeId)).toEqual(UNTOUCHED);
  });

  it('are cut off from the events once a mebibyte waits for them, while others get all', async () => {
    const tracker = await stage.tracker();
    const deaf = await open(`${tracker.url}/v1/events`, {});
    const reading = await open(`${tracker.url}/v1/events`, {});
    const events = tracker.app.get(EventsService);
    expect(events.watcherCount).toBe(2);
    const filler = 'x'.repeat(64 * 1024);
    const call = { ...aFinishedCall(), filler };
    let told = 0;
    // The sockets in between hold some MiB too.
    await eventually(async () => {
      told += 1;
      tracker.app
        .get(EventBus)
        .publish('call.finished', { request_id: `told-${String(told)}`, model: MODEL, call, at: 0 });
      await reading.until(`told-${String(told)}"`);
      expect(events.watcherCount).toBe(1);
    }, 20_000);
    expect(told).toBeGreaterThan(MIB / filler.length);
    expect((await deaf.rest()).isWhole).toBe(false);
    reading.leave();
    await eventually(() => expect(events.watcherCount).toBe(0));
  });
});
