import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { RawHead } from '../../support/fake-head.js';
import { errorOf } from '../../support/http-client.js';
import { rawChat } from '../../support/openai-answers.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import { aChat, BLAMED, join, standingOf, UNTOUCHED } from '../../support/whole-model.js';

const stage = new Stage();
afterEach(() => stage.end());

/** What a head does with the request that finds its connection used. */
const CLOSES: Readonly<Record<string, (socket: Socket) => unknown>> = {
  'a reset': (socket) => socket.resetAndDestroy(),
  'a close': (socket) => socket.destroy(),
  'a polite end': (socket) => socket.end(),
  'an interim answer and a close': (socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'),
};

interface Scene {
  readonly tracker: StagedTracker;
  readonly head: RawHead;
}

async function scene(onRequest: (socket: Socket, connections: number) => unknown): Promise<Scene> {
  const tracker = await stage.tracker();
  const head = await stage.rawHead((socket) => void onRequest(socket, head.connections));
  await join(tracker.api, head, 'a');
  return { tracker, head };
}

describe('B67: a head that closes a connection just as it is used again', () => {
  it.each(Object.keys(CLOSES))('is asked once more, unseen and uncharged, after %s', async (kind) => {
    const { tracker, head } = await scene((socket) => {
      socket.write(rawChat());
      socket.once('data', () => CLOSES[kind]?.(socket));
    });
    for (let n = 0; n < 6; n += 1) {
      const reply = await tracker.api.chat(aChat({ stream: false }));
      expect([reply.status, reply.headers['x-meshnet-attempts']]).toEqual([200, '1']);
      const { attempts, outcome, sample } = await tracker.api.callOf(reply);
      expect([outcome, sample, attempts.length]).toEqual(['completed', 'recorded', 1]);
    }
    expect(await standingOf(tracker.api, 'a:all')).toEqual({ ...UNTOUCHED, samples: 6 });
    // One for each first try, and one for each second.
    expect(head.connections).toBeGreaterThanOrEqual(6);
  });

  it('is served though each connection ends right after its answer', async () => {
    const { tracker } = await scene((socket) => socket.end(rawChat()));
    const lanes = Array.from({ length: 4 }, async () => {
      for (let n = 0; n < 10; n += 1) expect((await tracker.api.chat(aChat())).status).toBe(200);
    });
    await Promise.all(lanes);
    expect(await standingOf(tracker.api, 'a:all')).toEqual({ ...UNTOUCHED, samples: 40 });
  });

  it('is served whenever the idle time of its connections is over', async () => {
    const idleMs = 20;
    const { tracker } = await scene((socket) => {
      let timer = setTimeout(() => undefined, 0);
      const answer = (): void => {
        clearTimeout(timer);
        socket.write(rawChat());
        timer = setTimeout(() => socket.destroy(), idleMs);
      };
      socket.on('data', answer);
      socket.on('close', () => clearTimeout(timer));
      answer();
    });
    for (let n = 0; n < 30; n += 1) {
      expect((await tracker.api.chat(aChat())).status).toBe(200);
      // From well before to well after the moment: whichever it is, the client must not see it.
      await new Promise((resolve) => setTimeout(resolve, idleMs - 6 + (n % 8)));
    }
    expect(await standingOf(tracker.api, 'a:all')).toEqual({ ...UNTOUCHED, samples: 30 });
  });

  // The reset may come after the request was given the connection and before it was written.
  it('is served whenever its connections are reset', async () => {
    const { tracker } = await scene((socket, connections) => {
      const answer = (): void => {
        socket.write(rawChat());
        setTimeout(() => socket.resetAndDestroy(), connections % 7);
      };
      socket.on('data', answer);
      answer();
    });
    const lanes = Array.from({ length: 4 }, async (_, lane) => {
      for (let n = 0; n < 40; n += 1) {
        const reply = await tracker.api.chat(aChat());
        expect([lane, n, reply.status, reply.headers['x-meshnet-attempts']]).toEqual([lane, n, 200, '1']);
        await new Promise((resolve) => setTimeout(resolve, (n + lane) % 8));
      }
    });
    await Promise.all(lanes);
    expect(await standingOf(tracker.api, 'a:all')).toEqual({ ...UNTOUCHED, samples: 160 });
  });
});

describe('B67: a head that is at fault', () => {
  it('for closing a fresh connection is not asked again', async () => {
    const { tracker, head } = await scene((socket) => socket.destroy());
    const reply = await tracker.api.chat(aChat());
    expect([reply.status, errorOf(reply).code]).toEqual([502, 'node_failed']);
    expect(head.connections).toBe(1);
    expect(await standingOf(tracker.api, 'a:all')).toEqual(BLAMED);
  });

  it('for closing the second connection too is charged once', async () => {
    const { tracker, head } = await scene((socket, connections) => {
      if (connections > 1) {
        socket.destroy();
        return;
      }
      socket.write(rawChat());
      socket.once('data', () => socket.destroy());
    });
    expect((await tracker.api.chat(aChat())).status).toBe(200);
    const reply = await tracker.api.chat(aChat());
    expect(reply.status).toBe(502);
    expect(head.connections).toBe(2);
    expect((await tracker.api.callOf(reply)).attempts).toHaveLength(1);
    expect((await tracker.api.node('a:all')).reputation).toBeCloseTo(2 / 3, 2);
  });

  it('for closing in the midst of an answer is not asked again', async () => {
    const whole = rawChat();
    const { tracker, head } = await scene((socket) => {
      socket.write(whole);
      socket.once('data', () => socket.end(whole.slice(0, -5)));
    });
    expect((await tracker.api.chat(aChat())).status).toBe(200);
    expect((await tracker.api.chat(aChat())).status).toBe(502);
    expect(head.connections).toBe(1);
  });
});

describe("B67: the tracker's own connections", () => {
  it('are kept longer than a proxy in front keeps them idle, which is a minute for most', async () => {
    const tracker = await stage.tracker();
    const agent = new Agent({ keepAlive: true });
    stage.atEnd(() => agent.destroy());
    for (const path of ['/healthz', '/v1/chat/completions']) {
      const sent = request(tracker.url + path, { agent }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      const [, seconds] = /timeout=(\d+)/.exec(String(response.headers['keep-alive'])) ?? [];
      expect(Number(seconds)).toBeGreaterThan(60);
    }
  });
});
