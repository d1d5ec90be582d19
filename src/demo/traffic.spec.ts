import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Clock } from '../kernel/clock.js';
import { Traffic } from './traffic.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Traffic against a tracker that answers as told; `tick` lets the time for the next chat come. */
async function newTraffic(answer: (res: ServerResponse) => void) {
  const server = createServer((_req, res) => answer(res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const timers: { delayMs: number; act: () => void }[] = [];
  const clock: Clock = {
    now: () => 0,
    wallMs: () => 0,
    after: (delayMs, act) => {
      timers.push({ delayMs, act });
      return () => timers.splice(0);
    },
  };
  const failures: string[] = [];
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const traffic = new Traffic(
    url,
    clock,
    () => 0.5,
    (line) => failures.push(line),
  );
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => traffic.end(),
  );
  return { traffic, timers, failures, tick: () => timers.shift()?.act() };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const PLAN = { model: 'm', everyMs: 700, maxTokens: 24 };

describe('the traffic of the demo', () => {
  it('asks again and again, without waiting for an answer', async () => {
    const { traffic, timers, tick } = await newTraffic((res) => res.end('data: {}\n\ndata: [DONE]\n\n'));
    traffic.start([PLAN]);
    expect(timers[0]?.delayMs).toBe(700);
    tick();
    expect(traffic.counts.open).toBe(2);
    await until(() => traffic.counts.done === 2);
    expect(traffic.counts).toEqual({ done: 2, failed: 0, open: 0 });
  });

  it.each<[string, (res: ServerResponse) => void]>([
    ['a refusal', (res) => res.writeHead(503).end('{"error":{"code":"no_route"}}')],
    ['a stream without its end', (res) => res.end('data: {"error":{"code":"hop_failed"}}\n\n')],
  ])('counts %s as a failure and says why', async (_what, answer) => {
    const { traffic, failures } = await newTraffic(answer);
    traffic.start([PLAN]);
    await until(() => traffic.counts.failed === 1);
    expect(failures[0]).toMatch(/a chat with m failed: .*(no_route|hop_failed)/);
  });

  it('leaves its chats when it ends, and counts none of them as failed', async () => {
    const { traffic, timers } = await newTraffic(() => undefined);
    traffic.start([PLAN]);
    await traffic.end();
    await until(() => traffic.counts.open === 0);
    expect(traffic.counts.failed).toBe(0);
    expect(timers).toEqual([]);
  });
});
