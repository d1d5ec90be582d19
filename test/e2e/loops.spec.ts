import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/http-client.js';
import { SilentLogger } from '../support/silent-logger.js';
import { Stage } from '../support/stage.js';
import { aChat, join, MODEL } from '../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

describe('a node that leads to the tracker itself', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.0.0.1', false],
    ['localhost', false],
    ['[::ffff:127.0.0.1]', true],
  ])('as %s (streamed: %j) gets a chat once, and it is told why', async (host, stream) => {
    const logger = new SilentLogger();
    const tracker = await stage.tracker({ parts: { logger } });
    await tracker.api.register({
      wallet: 'w',
      endpoint: `http://${host}:${String(tracker.port)}`,
      model: MODEL,
    });
    const reply = await tracker.api.chat(aChat({ stream }));
    expect([reply.status, errorOf(reply).code]).toEqual([508, 'loop_detected']);
    expect((await tracker.api.calls()).map(({ attempts }) => attempts.length)).toEqual([1]);
    expect(logger.of('chat.unexpected_fault')).toEqual([]);
  });

  it('by way of another tracker is found out likewise', async () => {
    const [one, other] = await Promise.all([stage.tracker(), stage.tracker()]);
    await one.api.register({ wallet: 'w', endpoint: other.url, model: MODEL });
    await other.api.register({ wallet: 'w', endpoint: one.url, model: MODEL });
    const reply = await one.api.chat(aChat());
    expect([reply.status, errorOf(reply).code]).toEqual([508, 'loop_detected']);
    expect([(await one.api.calls()).length, (await other.api.calls()).length]).toEqual([1, 1]);
  });

  it('costs nobody an answer that another node can give, and is blamed', async () => {
    const [tracker, head] = await Promise.all([stage.tracker(), stage.head()]);
    await join(tracker.api, head, 'good');
    await tracker.api.register({ wallet: 'w', endpoint: tracker.url, model: MODEL });
    for (let n = 0; n < 6; n += 1) expect((await tracker.api.chat(aChat())).status).toBe(200);
    expect((await tracker.api.node('w:all')).reputation).toBeLessThan(1);
  });
});

describe('trackers that are nodes of each other', () => {
  it('make few attempts of one chat, since only the first tries other routes', async () => {
    const trackers = await Promise.all([0, 1, 2, 3].map(() => stage.tracker()));
    for (const { api, url } of trackers) {
      for (const [at, other] of trackers.entries()) {
        if (other.url !== url)
          await api.register({ wallet: `t${String(at)}`, endpoint: other.url, model: MODEL });
      }
    }
    const [first] = trackers;
    expect((await first?.api.chat(aChat()))?.status).toBe(508);
    const calls = (await Promise.all(trackers.map(({ api }) => api.calls()))).flat();
    const attempts = calls.reduce((sum, call) => sum + call.attempts.length, 0);
    // Three attempts of the first one, each going round through the other three at most.
    expect(attempts).toBeLessThanOrEqual(3 * 4);
  });

  it('hold nothing against a node for what a client says of its way', async () => {
    const [back, front, head] = await Promise.all([stage.tracker(), stage.tracker(), stage.head()]);
    await join(back.api, head, 'a');
    await front.api.register({ wallet: 'back', endpoint: back.url, model: MODEL });
    await front.api.chat(aChat());
    const said = String(head.last.headers.via);
    for (const via of [said, said.toUpperCase(), said.replace(/ /g, '  ')]) {
      const reply = await front.api.chat(aChat(), { headers: { via } });
      expect([reply.status, errorOf(reply).code]).toEqual([508, 'loop_detected']);
    }
    expect((await front.api.node('back:all')).reputation).toBe(1);
  });
});

describe('a Via of the client', () => {
  it.each(['', 'x'.repeat(9000), '1.1 (', ', , '])('of %j costs no chat', async (via) => {
    const [tracker, head] = await Promise.all([stage.tracker(), stage.head()]);
    await join(tracker.api, head, 'a');
    expect((await tracker.api.chat(aChat(), { headers: { via } })).status).toBe(200);
    expect(String(head.last.headers.via).length).toBeLessThan(2200);
  });
});

describe('a chain of trackers', () => {
  it('that comes to an end works, and the head is told of all of them', async () => {
    const [front, back, head] = await Promise.all([stage.tracker(), stage.tracker(), stage.head()]);
    await front.api.register({ wallet: 'w', endpoint: back.url, model: MODEL });
    await join(back.api, head, 'a');
    const reply = await front.api.chat(aChat(), { headers: { via: '1.1 proxy' } });
    expect(reply.status).toBe(200);
    expect(head.last.headers.via).toMatch(/^1\.1 proxy, 1\.1 meshnet-[\w-]+, 1\.1 meshnet-[\w-]+$/);
  });
});
