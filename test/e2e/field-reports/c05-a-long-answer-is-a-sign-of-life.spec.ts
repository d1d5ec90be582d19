import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { jsonOf } from '../../support/http-client.js';
import { OneThreadServer } from '../../support/one-thread-server.js';
import { Stage, type StagedTracker } from '../../support/stage.js';

const MODEL = 'm';
const LEASE_MS = 600;
const stage = new Stage();
afterEach(() => stage.end());

interface Scene {
  readonly tracker: StagedTracker;
  readonly server: OneThreadServer;
}

async function scene(entry: object = {}, models: readonly string[] = [MODEL]): Promise<Scene> {
  const server = await new OneThreadServer(models).start();
  stage.atEnd(() => server.end());
  const folder = mkdtempSync(join(tmpdir(), 'nodes-file-'));
  stage.atEnd(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'nodes.json');
  writeFileSync(path, JSON.stringify({ nodes: [{ url: server.url, name: 'one', ...entry }] }));
  const env = { MESHNET_NODES_FILE: path, MESHNET_NODE_LEASE_SECONDS: String(LEASE_MS / 1000) };
  return { tracker: await stage.tracker({ env }), server };
}

async function modelsOf({ api }: StagedTracker): Promise<string[]> {
  const { data } = jsonOf(await api.get('/v1/models')) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

/** Returns the different answers to /v1/models over this number of leases. */
async function modelsOver(leases: number, tracker: StagedTracker): Promise<string[]> {
  const until = performance.now() + leases * LEASE_MS;
  const seen = new Set<string>();
  while (performance.now() < until) {
    seen.add((await modelsOf(tracker)).join());
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 20));
  }
  return [...seen];
}

describe('C05: a listed server with one thread that computes for longer than its lease', () => {
  it('stays, and a chat that comes meanwhile is served after it', async () => {
    const { tracker, server } = await scene();
    const first = tracker.api.chat({ model: MODEL });
    await eventually(() => expect(server.begun).toBe(1));
    expect(await modelsOver(3, tracker)).toEqual([MODEL]);
    expect(await tracker.api.node('local.one:all')).toMatchObject({ probe: 'failed' });
    const second = tracker.api.chat({ model: MODEL });
    await eventually(async () => expect(await tracker.api.inFlight(MODEL)).toMatchObject({ nodes: 2 }));
    server.finish();
    expect((await first).status).toBe(200);
    await eventually(() => expect(server.begun).toBe(2));
    server.finish();
    expect((await second).status).toBe(200);
    await eventually(async () =>
      expect(await tracker.api.node('local.one:all')).toMatchObject({ probe: 'ok' }),
    );
    expect((await tracker.api.routing(MODEL)).epoch).toBe(1);
  });

  it('stays, and a chat waits for its turn where the server takes one at a time', async () => {
    const { tracker, server } = await scene({ max_concurrent: 1 });
    const first = tracker.api.chat({ model: MODEL });
    await eventually(() => expect(server.begun).toBe(1));
    expect(await modelsOver(2, tracker)).toEqual([MODEL]);
    const second = tracker.api.chat({ model: MODEL });
    expect(await modelsOver(1, tracker)).toEqual([MODEL]);
    server.finish();
    expect((await first).status).toBe(200);
    await eventually(() => expect(server.begun).toBe(2));
    server.finish();
    expect((await second).status).toBe(200);
  });

  it('keeps all models of its port while it computes for one', async () => {
    const { tracker, server } = await scene({}, [MODEL, 'other']);
    const chat = tracker.api.chat({ model: MODEL });
    await eventually(() => expect(server.begun).toBe(1));
    expect(await modelsOver(3, tracker)).toEqual([`${MODEL},other`]);
    server.finish();
    expect((await chat).status).toBe(200);
  });

  it('leaves after the first-byte limit of its entry', async () => {
    const { tracker, server } = await scene({ first_byte_timeout_seconds: 2 });
    const chat = tracker.api.chat({ model: MODEL });
    await eventually(() => expect(server.begun).toBe(1));
    expect(await modelsOver(2, tracker)).toEqual([MODEL]);
    expect((await chat).status).toBe(504);
    await eventually(async () => expect(await modelsOf(tracker)).toEqual([]));
    expect((await tracker.api.chat({ model: MODEL })).status).toBe(503);
  });

  it('leaves when its lease is over once its port refuses, whatever is under way', async () => {
    const { tracker, server } = await scene();
    const chat = tracker.api.startChat({ model: MODEL });
    chat.on('error', () => undefined);
    stage.atEnd(() => chat.destroy());
    await eventually(() => expect(server.begun).toBe(1));
    expect(await modelsOver(1.5, tracker)).toEqual([MODEL]);
    server.refuse();
    await eventually(async () => expect(await modelsOf(tracker)).toEqual([]), 3 * LEASE_MS);
  });

  it('leaves when its lease is over where no attempt is under way', async () => {
    const { tracker, server } = await scene();
    // Busy for a client that came past the tracker.
    const stranger = fetch(`${server.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
    stranger.catch(() => undefined);
    await eventually(() => expect(server.begun).toBe(1));
    await eventually(async () => expect(await modelsOf(tracker)).toEqual([]), 3 * LEASE_MS);
    server.finish();
    await stranger;
    await eventually(async () => expect(await modelsOf(tracker)).toEqual([MODEL]));
  });
});

/** A process whose only thread stands still while it computes, and whose backlog holds two connections. */
const BLOCKING_SERVER = `
  const { createServer } = require('node:http');
  const block = new Int32Array(new SharedArrayBuffer(4));
  createServer((request, response) => {
    response.setHeader('connection', 'close');
    response.setHeader('content-type', 'application/json');
    if (request.method === 'GET') return response.end(JSON.stringify({ data: [{ id: 'm' }] }));
    request.resume().on('end', () => {
      Atomics.wait(block, 0, 0, 3000);
      response.end(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] }));
    });
  }).listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port); });
`;

describe('C05: a process that stands still while it computes', () => {
  it('stays when its backlog is full of probes that nothing takes', async () => {
    const child = spawn(process.execPath, ['-e', BLOCKING_SERVER], { stdio: ['ignore', 'pipe', 'ignore'] });
    stage.atEnd(() => child.kill('SIGKILL'));
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    const tracker = await stage.tracker({
      argv: ['--node', `http://127.0.0.1:${port.toString().trim()}`],
      env: { MESHNET_NODE_LEASE_SECONDS: String(LEASE_MS / 1000) },
    });
    const chat = tracker.api.chat({ model: MODEL });
    expect(await modelsOver(4.5, tracker)).toEqual([MODEL]);
    expect((await chat).status).toBe(200);
  });
});

describe('C05: a node that registered itself', () => {
  it('is not kept by an attempt under way, since it can heartbeat', async () => {
    const server = await new OneThreadServer([MODEL]).start();
    stage.atEnd(() => server.end());
    const tracker = await stage.tracker({ env: { MESHNET_NODE_LEASE_SECONDS: String(LEASE_MS / 1000) } });
    await tracker.api.register({ wallet: 'w', endpoint: server.url, model: MODEL });
    const chat = tracker.api.chat({ model: MODEL });
    await eventually(() => expect(server.begun).toBe(1));
    await eventually(async () => expect(await modelsOf(tracker)).toEqual([]), 3 * LEASE_MS);
    server.finish();
    expect((await chat).status).toBe(200);
  });
});
