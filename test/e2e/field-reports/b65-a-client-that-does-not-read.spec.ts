import { afterEach, describe, expect, it } from '@jest/globals';
import { NodeHealthService } from '../../../src/node-health/index.js';
import { eventually } from '../../support/eventually.js';
import { FastHead } from '../../support/fast-head.js';
import { DONE, finishChunk } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import { aChat, finishedCall, join } from '../../support/whole-model.js';

const MIB = 1024 * 1024;
const ALL = 200 * MIB;
/** Most that may leave a head for a client that reads nothing, what the sockets hold included. */
const MOST = 16 * MIB;
const stage = new Stage();
afterEach(() => stage.end());

async function expectAllForgotten(tracker: StagedTracker): Promise<void> {
  const health = tracker.app.get(NodeHealthService);
  await eventually(async () => {
    expect(health.inFlight).toBe(0);
    expect(await tracker.api.calls('?open=true')).toEqual([]);
  });
  expect(await tracker.api.node('a:all')).toMatchObject({ reputation: 1, breaker: 'closed' });
}

describe('B65: a client that does not read', () => {
  it.each([true, false])('pauses the head, and its leaving ends the head (stream: %s)', async (stream) => {
    const tracker = await stage.tracker();
    const fast = await FastHead.start(stage, ALL);
    await join(tracker.api, fast.head, 'a');
    const unread = await tracker.api.openChat(aChat({ stream }));
    await fast.stalls();
    expect(fast.taken[0]).toBeGreaterThan(0);
    expect(fast.taken[0]).toBeLessThanOrEqual(MOST);
    expect(fast.head.last.aborted).toBe(false);
    unread.leave();
    await eventually(() => expect(fast.head.last.aborted).toBe(true), 2_500);
    await expectAllForgotten(tracker);
    const record = await finishedCall(tracker.api, String(unread.headers['x-request-id']));
    expect(record).toMatchObject({ outcome: 'client_left', sample: 'client_left' });
  });

  it('costs no more when there are twenty of them', async () => {
    const tracker = await stage.tracker();
    const fast = await FastHead.start(stage, ALL);
    await join(tracker.api, fast.head, 'a');
    const unread = await Promise.all(
      Array.from({ length: 20 }, () => tracker.api.openChat(aChat({ stream: true }))),
    );
    await fast.stalls();
    expect(fast.taken).toHaveLength(20);
    expect(Math.max(...fast.taken)).toBeLessThanOrEqual(MOST);
    // Others are served meanwhile.
    expect((await tracker.api.get('/healthz')).status).toBe(200);
    for (const reply of unread) reply.leave();
    await eventually(() => expect(fast.head.chats.every(({ aborted }) => aborted)).toBe(true));
    await expectAllForgotten(tracker);
  });

  it('gets every byte once it reads after all', async () => {
    const tracker = await stage.tracker();
    const fast = await FastHead.start(stage, 32 * MIB);
    await join(tracker.api, fast.head, 'a');
    const late = await tracker.api.openChat(aChat({ stream: true, stream_options: { include_usage: true } }));
    await fast.stalls();
    expect(fast.taken[0]).toBeLessThanOrEqual(MOST);
    const { body, isWhole } = await late.rest();
    expect(isWhole).toBe(true);
    expect(body.length).toBe((fast.taken[0] ?? 0) + Buffer.byteLength(finishChunk() + DONE));
    expect(body.subarray(-DONE.length).toString()).toBe(DONE);
    await expectAllForgotten(tracker);
    // It was the client that was slow, which says nothing of the route.
    expect(await tracker.api.callOf(late)).toMatchObject({ outcome: 'completed', sample: 'client_slow' });
  });
});
