import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CallsService } from '../../src/calls/index.js';
import { exchange } from '../support/raw-client.js';
import { Stage, type StagedTracker } from '../support/stage.js';

const MODEL = 'm/1';
const CLIENTS = 200;
const BEGIN = 'POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\n';

const stage = new Stage();
afterEach(() => stage.end());

async function aTracker(): Promise<StagedTracker> {
  const head = await stage.head();
  const tracker = await stage.tracker();
  await tracker.api.register({ wallet: 'w', endpoint: head.url, model: MODEL });
  return tracker;
}

/** So many connections that have sent this and are in no hurry with the rest. */
async function slowClients({ port }: StagedTracker, begun: string): Promise<Socket[]> {
  const sockets = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'));
  stage.atEnd(() => sockets.forEach((socket) => socket.destroy()));
  await Promise.all(
    sockets.map(async (socket) => {
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(begun);
    }),
  );
  return sockets;
}

/** Others are served, and what is slow counts nowhere. */
async function expectServed(tracker: StagedTracker): Promise<void> {
  for (let times = 0; times < 5; times += 1) {
    expect((await tracker.api.chat({ model: MODEL, messages: [] })).status).toBe(200);
    expect((await tracker.api.get('/healthz')).status).toBe(200);
  }
  expect(tracker.app.get(CallsService).openCount).toBe(0);
  expect(await tracker.api.inFlight(MODEL)).toEqual({ nodes: 0, routes: 0 });
}

describe('clients that take their time', () => {
  it.each([
    ['nothing', ''],
    ['half a request line', 'POST /v1/chat/com'],
    ['half of the headers', `${BEGIN}content-le`],
    ['half of a body', `${BEGIN}content-length: 400\r\n\r\n{"model":`],
    ['half of a chunk', `${BEGIN}transfer-encoding: chunked\r\n\r\nff\r\n{"mod`],
  ])('and send %s hold nobody up', async (_, begun) => {
    const tracker = await aTracker();
    const slow = await slowClients(tracker, begun);
    await expectServed(tracker);
    for (const socket of slow) socket.destroy();
    await expectServed(tracker);
  });

  it('and send one header at a time hold nobody up', async () => {
    const tracker = await aTracker();
    const slow = await slowClients(tracker, BEGIN);
    for (let header = 0; header < 20; header += 1) {
      for (const socket of slow) socket.write(`x-${String(header)}: y\r\n`);
      await turn();
    }
    await expectServed(tracker);
  });

  it('have a minute for headers, and five for all', async () => {
    const server = (await aTracker()).app.getHttpServer();
    expect([server.headersTimeout, server.requestTimeout]).toEqual([60_000, 300_000]);
  });
});

describe('clients that send too much', () => {
  it.each([
    ['one header of 2 MB', [`x: ${'y'.repeat(2_000_000)}`]],
    ['2 MB of headers', Array.from({ length: 20_000 }, (_, at) => `x-${String(at)}: ${'y'.repeat(90)}`)],
  ])('%s: get 431, and others are served', async (_, lines) => {
    const tracker = await aTracker();
    const sent = Buffer.from(`${BEGIN}${lines.join('\r\n')}\r\n\r\n`);
    const flood = Promise.all(Array.from({ length: 20 }, () => exchange(tracker.port, [sent])));
    await expectServed(tracker);
    // Whoever is still sending when the connection ends may not get to read why.
    for (const { status } of await flood) expect([431, null]).toContain(status);
    await expectServed(tracker);
  });
});
