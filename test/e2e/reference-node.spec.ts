import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { expectedText } from '../../src/demo/canned-text.js';
import type { Hop } from '../../src/demo/hops.js';
import type { ReferenceNode } from '../../src/demo/reference-node.js';
import { ReferenceMesh } from '../support/reference-mesh.js';

const MODEL = 'Qwen3.6-35B-A3B';
const MESSAGES = [{ role: 'user', content: 'Which way is the fastest?' }];
const GPU = { model: MODEL, numLayers: 40, shard: { start: 0, end: 21 } };
const CPU = { model: MODEL, numLayers: 40, shard: { start: 0, end: 39 } };

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function newMesh(tracker: string | null = null): ReferenceMesh {
  const mesh = new ReferenceMesh(tracker);
  endings.push(() => mesh.end());
  return mesh;
}

/** Looks again and again until `holds`; the test's own time limit bounds it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function hop(node: ReferenceNode | { url: string }, nodeId: string, start: number, end: number): Hop {
  return { node_id: nodeId, endpoint: node.url, start_layer: start, end_layer: end };
}

interface Asked {
  readonly hops?: readonly Hop[];
  readonly body?: object;
  readonly signal?: AbortSignal;
}

function ask(node: ReferenceNode, { hops, body = {}, signal }: Asked = {}): Promise<Response> {
  return fetch(`${node.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(hops && { 'x-meshnet-route': JSON.stringify({ hops }) }),
    },
    body: JSON.stringify({ model: MODEL, messages: MESSAGES, ...body }),
    ...(signal && { signal }),
  });
}

/** What these tests read of an answer or of one of its chunks. */
interface Said {
  readonly choices: readonly [
    {
      readonly message: { readonly content: string };
      readonly delta: { readonly content?: string };
      readonly text: string;
      readonly finish_reason: string | null;
    },
  ];
  readonly usage?: object | null;
  readonly error: { readonly code: string; readonly node_id?: string };
}

async function said(answer: Response): Promise<Said> {
  return (await answer.json()) as Said;
}

async function textOf(answer: Response): Promise<string> {
  return (await said(answer)).choices[0].message.content;
}

/** The events of a stream up to `[DONE]`, which has to be there unless `done` says otherwise, and last. */
async function eventsOf(answer: Response, done = true): Promise<Said[]> {
  const events = (await answer.text()).split('\n\n').map((line) => line.replace(/^data: /, ''));
  expect(events.pop()).toBe('');
  if (done) expect(events.pop()).toBe('[DONE]');
  return events.map((event) => JSON.parse(event) as Said);
}

/** A server of this test's own: a broken hop, or a tracker. */
async function serve(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<Server & { url: string }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return Object.assign(server, { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` });
}

describe('a reference node as head', () => {
  it('reads well over two hops that share the layers', async () => {
    const mesh = newMesh();
    const [gpu, cpu] = [await mesh.add(GPU), await mesh.add(CPU)];
    const hops = [hop(gpu, 'w.gpu:0-21', 0, 21), hop(cpu, 'w.cpu:0-39', 22, 39)];
    expect(await textOf(await ask(gpu, { hops }))).toBe(expectedText(MESSAGES));
    await until(() => gpu.queueDepth + cpu.queueDepth + gpu.openChats === 0);
    expect([gpu.chatsServed, gpu.tokensServed, cpu.chatsServed]).toEqual([1, 32, 0]);
  });

  it('reads well over three hops', async () => {
    const mesh = newMesh();
    const layers = { model: MODEL, numLayers: 9 };
    const head = await mesh.add({ ...layers, shard: { start: 0, end: 2 } });
    const middle = await mesh.add({ ...layers, shard: { start: 1, end: 5 } });
    const tail = await mesh.add(layers);
    const hops = [hop(head, 'a:0-2', 0, 2), hop(middle, 'b:1-5', 3, 5), hop(tail, 'c:all', 6, 8)];
    expect(await textOf(await ask(head, { hops }))).toBe(expectedText(MESSAGES));
  });

  it('says garbage when a hop is sent the wrong start_layer', async () => {
    const mesh = newMesh();
    const [gpu, cpu] = [await mesh.add(GPU), await mesh.add(CPU)];
    for (const wrong of [0, 21, 23]) {
      const hops = [hop(gpu, 'w.gpu:0-21', 0, 21), hop(cpu, 'w.cpu:0-39', wrong, 39)];
      const text = await textOf(await ask(gpu, { hops, body: { max_tokens: 8 } }));
      expect(text).toContain('\ufffd');
    }
  });

  it('runs its own layers only when nobody sent a route', async () => {
    const mesh = newMesh();
    const [gpu, cpu] = [await mesh.add(GPU), await mesh.add(CPU)];
    expect(await textOf(await ask(cpu))).toBe(expectedText(MESSAGES));
    expect(await textOf(await ask(gpu))).toContain('\ufffd');
  });

  it("streams in OpenAI's shape, with usage only when asked", async () => {
    const cpu = await newMesh().add(CPU);
    const plain = await eventsOf(await ask(cpu, { body: { stream: true, max_tokens: 5 } }));
    expect(plain[0]?.choices[0].delta).toEqual({ role: 'assistant', content: '' });
    expect(
      plain
        .slice(1, 6)
        .map((chunk) => chunk.choices[0].delta.content)
        .join(''),
    ).toBe(expectedText(MESSAGES, 5));
    expect(plain[6]?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'length' });
    expect(plain.length).toBe(7);
    expect(plain.some((chunk) => 'usage' in chunk)).toBe(false);

    const options = { stream: true, max_completion_tokens: 5, stream_options: { include_usage: true } };
    const counted = await eventsOf(await ask(cpu, { body: options }));
    expect(counted[0]?.usage).toBeNull();
    expect(counted.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
    });
  });

  it('ends with "stop" where its text ends', async () => {
    const cpu = await newMesh().add({ model: MODEL });
    const [choice] = (await said(await ask(cpu, { body: { max_tokens: 100_000 } }))).choices;
    expect(choice.finish_reason).toBe('stop');
    expect(choice.message.content).toBe(expectedText(MESSAGES, 100_000));
  });

  it('serves text completions as well, whole and streamed', async () => {
    const cpu = await newMesh().add(CPU);
    const complete = (more: object) =>
      fetch(`${cpu.url}/v1/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: MODEL, prompt: 'Once upon a mesh', max_tokens: 9, ...more }),
      });
    const text = expectedText('Once upon a mesh', 9);
    expect(await (await complete({})).json()).toMatchObject({
      object: 'text_completion',
      choices: [{ text, index: 0, finish_reason: 'length' }],
      usage: { prompt_tokens: 4, completion_tokens: 9, total_tokens: 13 },
    });
    const chunks = await eventsOf(await complete({ stream: true }));
    expect(chunks.map(({ choices }) => choices[0].text).join('')).toBe(text);
    expect(chunks.at(-1)?.choices[0].finish_reason).toBe('length');
  });

  it.each([
    [404, 'model_not_found', { model: 'another' }],
    [400, 'invalid_request', { max_tokens: 0 }],
    [400, 'invalid_request', { messages: [] }],
    [413, 'request_too_large', { padding: 'x'.repeat(5_000) }],
  ])('answers %i %s to what it cannot serve', async (status, code, body) => {
    const cpu = await newMesh().add({ ...CPU, maxBodyBytes: 4_000 });
    const answer = await ask(cpu, { body });
    expect([answer.status, (await said(answer)).error.code]).toEqual([status, code]);
  });

  it('answers 400 to a body or a route that is not JSON', async () => {
    const cpu = await newMesh().add(CPU);
    const url = `${cpu.url}/v1/chat/completions`;
    expect((await fetch(url, { method: 'POST', body: '{' })).status).toBe(400);
    const headers = { 'x-meshnet-route': 'gpu -> cpu' };
    const body = JSON.stringify({ model: MODEL, messages: MESSAGES });
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(400);
  });

  it('lists its model', async () => {
    const cpu = await newMesh().add(CPU);
    expect(await (await fetch(`${cpu.url}/v1/models`)).json()).toMatchObject({ data: [{ id: MODEL }] });
    expect((await fetch(`${cpu.url}/healthz`)).status).toBe(200);
  });
});

describe('a failing hop is named', () => {
  const broken = (url: string) => hop({ url }, 'w.bad:22-39', 22, 39);

  it.each<[string, (req: IncomingMessage, res: ServerResponse) => void]>([
    ['resets', (req) => req.socket.destroy()],
    ['answers 500', (_req, res) => res.writeHead(500).end('{}')],
    ['answers nonsense', (_req, res) => res.end('<html>')],
    ['is silent', () => undefined],
  ])('when it %s before the first byte', async (_how, answer) => {
    const gpu = await newMesh().add({ ...GPU, hopTimeoutMs: 500 });
    const bad = await serve(answer);
    const answered = await ask(gpu, {
      hops: [hop(gpu, 'w.gpu:0-21', 0, 21), broken(bad.url)],
      body: { stream: true },
    });
    expect(answered.status).toBe(502);
    expect(await answered.json()).toMatchObject({
      error: { type: 'server_error', code: 'hop_failed', node_id: 'w.bad:22-39' },
    });
    await until(() => gpu.queueDepth + gpu.openChats === 0);
  });

  it('when it refuses the connection', async () => {
    const mesh = newMesh();
    const [gpu, gone] = [await mesh.add(GPU), await mesh.add(CPU)];
    const { url } = gone;
    mesh.kill(gone);
    const answered = await ask(gpu, { hops: [hop(gpu, 'w.gpu:0-21', 0, 21), broken(url)] });
    expect(await answered.json()).toMatchObject({ error: { node_id: 'w.bad:22-39' } });
  });

  it('when it is asked for layers that it does not hold', async () => {
    const mesh = newMesh();
    const [gpu, tail] = [await mesh.add(GPU), await mesh.add({ ...CPU, shard: { start: 30, end: 39 } })];
    const answered = await ask(gpu, { hops: [hop(gpu, 'w.gpu:0-21', 0, 21), broken(tail.url)] });
    expect(answered.status).toBe(502);
    expect(await answered.json()).toMatchObject({ error: { node_id: 'w.bad:22-39' } });
    expect(tail.queueDepth).toBe(0);
    expect((await ask(tail, { hops: [hop(tail, 'w.tail:30-39', 22, 39)] })).status).toBe(400);
  });

  it('when it is the third one, by the one before it', async () => {
    const mesh = newMesh();
    const [gpu, cpu] = [await mesh.add(GPU), await mesh.add(CPU)];
    const bad = await serve((_req, res) => res.writeHead(503).end());
    const hops = [
      hop(gpu, 'w.gpu:0-21', 0, 21),
      hop(cpu, 'w.cpu:0-39', 22, 29),
      hop(bad, 'w.bad:30-39', 30, 39),
    ];
    expect(await (await ask(gpu, { hops })).json()).toMatchObject({ error: { node_id: 'w.bad:30-39' } });
    await until(() => cpu.queueDepth === 0);
  });

  it('in the stream, once that began, and the stream ends without [DONE]', async () => {
    const mesh = newMesh();
    const gpu = await mesh.add(GPU);
    const cpu = await mesh.add({ ...CPU, msPerLayer: 0.5 });
    const hops = [hop(gpu, 'w.gpu:0-21', 0, 21), broken(cpu.url)];
    const answered = await ask(gpu, { hops, body: { stream: true, max_tokens: 10_000 } });
    expect(answered.status).toBe(200);
    mesh.kill(cpu);
    const events = await eventsOf(answered, false);
    expect(events.at(-1)).toMatchObject({ error: { code: 'hop_failed', node_id: 'w.bad:22-39' } });
  });
});

describe('the time of a reference node', () => {
  it.each([{ stream: true }, { stream: false }])(
    'is given back on all hops when the client leaves (%j)',
    async (mode) => {
      const mesh = newMesh();
      const gpu = await mesh.add({ ...GPU, msPerLayer: 0.1 });
      const cpu = await mesh.add({ ...CPU, msPerLayer: 1_000 });
      const hops = [hop(gpu, 'w.gpu:0-21', 0, 21), hop(cpu, 'w.cpu:0-39', 22, 39)];
      const leaving = new AbortController();
      const asked = ask(gpu, { hops, body: mode, signal: leaving.signal });
      await until(() => cpu.queueDepth === 1);
      leaving.abort();
      await expect(asked).rejects.toThrow('abort');
      await until(() => gpu.openChats + gpu.queueDepth + cpu.queueDepth === 0);
      expect(gpu.tokensServed).toBe(0);
    },
  );

  it('goes to as many sequences as there are slots, and the others wait in line', async () => {
    const cpu = await newMesh().add({ ...CPU, slots: 1, msPerLayer: 1_000 });
    const leaving = new AbortController();
    const first = ask(cpu, { signal: leaving.signal });
    await until(() => cpu.queueDepth === 1);
    cpu.msPerLayer = 0;
    const second = ask(cpu);
    await until(() => cpu.queueDepth === 2);
    expect(cpu.tokensServed).toBe(0);
    leaving.abort();
    await expect(first).rejects.toThrow('abort');
    expect(await textOf(await second)).toBe(expectedText(MESSAGES));
  });

  it('keeps a slot of each hop for the whole sequence', async () => {
    const mesh = newMesh();
    const gpu = await mesh.add({ ...GPU, msPerLayer: 0.5 });
    const cpu = await mesh.add({ ...CPU, slots: 1 });
    const hops = [hop(gpu, 'w.gpu:0-21', 0, 21), hop(cpu, 'w.cpu:0-39', 22, 39)];
    const answered = await ask(gpu, { hops, body: { stream: true, max_tokens: 20 } });
    const waiting = ask(cpu);
    await until(() => cpu.queueDepth === 2);
    expect(cpu.openChats).toBe(1);
    await answered.text();
    expect(await textOf(await waiting)).toBe(expectedText(MESSAGES));
  });

  it('is what its layers and its prompt cost', async () => {
    const cpu = await newMesh().add({ ...CPU, msPerLayer: 0.05, prefillMsPerToken: 20, loadSeconds: 0.1 });
    const took = async () => {
      const from = performance.now();
      await (await ask(cpu, { body: { max_tokens: 50 } })).json();
      return performance.now() - from;
    };
    expect(await took()).toBeGreaterThan(285);
    expect(await took()).toBeGreaterThan(185);
  });
});

type Told = Record<string, unknown>;

/** Notes what nodes tell a tracker, and answers as `respond` says. */
async function fakeTracker(heartbeatSeconds = 0.02) {
  const told: { call: string; body: Told }[] = [];
  const leases = new Set<string>();
  let registrations = 0;
  const server = await serve((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const lease = req.url?.split('/').at(-1) ?? '';
      told.push({
        call: `${req.method ?? ''} ${req.url ?? ''}`,
        body: text === '' ? null : JSON.parse(text),
      });
      if (req.method === 'POST') {
        registrations += 1;
        leases.add(`lease-${String(registrations)}`);
        const body = { node_id: 'w.n:0-21', lease_id: `lease-${String(registrations)}`, epoch: 1 };
        res
          .writeHead(201)
          .end(JSON.stringify({ ...body, heartbeat_seconds: heartbeatSeconds, expires_in_seconds: 1 }));
      } else if (!leases.has(lease)) {
        res.writeHead(404).end(JSON.stringify({ error: { code: 'lease_unknown' } }));
      } else {
        if (req.method === 'DELETE') leases.delete(lease);
        res.writeHead(req.method === 'DELETE' ? 204 : 200).end(req.method === 'DELETE' ? undefined : '{}');
      }
    });
  });
  const calls = (of: string) => told.filter(({ call }) => call.startsWith(of));
  return { url: server.url, told, leases, calls };
}

describe('a reference node and its tracker', () => {
  it('registers what it is', async () => {
    const tracker = await fakeTracker();
    const gpu = await newMesh(`${tracker.url}/`).add({ ...GPU, wallet: 'w', name: 'n', msPerLayer: 0.5 });
    expect(gpu.nodeId).toBe('w.n:0-21');
    expect(tracker.told[0]).toEqual({
      call: 'POST /v1/nodes',
      body: {
        wallet: 'w',
        name: 'n',
        endpoint: gpu.url,
        model: MODEL,
        num_layers: 40,
        shard_start: 0,
        shard_end: 21,
        throughput_tps: 1000 / 11,
        queue_depth: 0,
      },
    });
  });

  it('heartbeats its queue depth', async () => {
    const tracker = await fakeTracker();
    const gpu = await newMesh(tracker.url).add({ ...GPU, msPerLayer: 1_000 });
    const leaving = new AbortController();
    const asked = ask(gpu, { signal: leaving.signal });
    const depths = () => tracker.calls('PUT /v1/leases/lease-1').map(({ body }) => body.queue_depth);
    await until(() => depths().includes(1));
    leaving.abort();
    await expect(asked).rejects.toThrow('abort');
    await until(() => depths().at(-1) === 0);
  });

  it('registers again when its lease is unknown', async () => {
    const tracker = await fakeTracker();
    await newMesh(tracker.url).add(GPU);
    tracker.leases.clear();
    await until(() => tracker.calls('PUT /v1/leases/lease-2').length > 0);
  });

  it('gives its lease back when it stops, and finishes its chats first', async () => {
    const tracker = await fakeTracker();
    const mesh = newMesh(tracker.url);
    const cpu = await mesh.add({ ...CPU, msPerLayer: 0.2 });
    const asked = ask(cpu, { body: { max_tokens: 20 } });
    await until(() => cpu.queueDepth === 1);
    await mesh.remove(cpu);
    expect(tracker.told.at(-1)?.call).toBe('DELETE /v1/leases/lease-1');
    expect(await textOf(await asked)).toBe(expectedText(MESSAGES, 20));
    await expect(ask(cpu)).rejects.toThrow();
  });

  it('says nothing when it dies, and nothing while its heartbeats are paused', async () => {
    const tracker = await fakeTracker();
    const mesh = newMesh(tracker.url);
    const gpu = await mesh.add(GPU);
    gpu.pauseHeartbeats();
    gpu.resumeHeartbeats();
    await until(() => tracker.calls('PUT').length > 0);
    mesh.kill(gpu);
    await expect(ask(gpu)).rejects.toThrow();
    expect(tracker.calls('DELETE')).toEqual([]);
    expect(tracker.leases.size).toBe(1);
  });

  it('outlives a tracker that cannot be reached', async () => {
    const closed = await serve(() => undefined);
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const lines: string[] = [];
    const mesh = newMesh();
    const gpu = await mesh.add({ ...CPU, tracker: closed.url, log: (line) => lines.push(line) });
    await until(() => lines.some((line) => line.startsWith('no tracker')));
    expect((await ask(gpu)).status).toBe(200);
    const server = createServer((_req, res) =>
      res.writeHead(201).end('{"node_id":"w:0-39","lease_id":"l","heartbeat_seconds":30}'),
    ).listen(port, '127.0.0.1');
    endings.unshift(() => server.close());
    expect(await gpu.registered()).toBe('w:0-39');
  });
});

describe('the program', () => {
  it('registers, heartbeats, and deregisters on SIGTERM with exit code 0', async () => {
    const tracker = await fakeTracker();
    const flags = `--tracker ${tracker.url} --wallet w --name n --model ${MODEL} --num-layers 40 --shard 0-21`;
    const { child } = spawnNode([...flags.split(' '), '--ms-per-layer', '0.5', '--slots', '2']);
    await until(() => tracker.calls('PUT').length > 1);
    expect(tracker.told[0]?.body).toMatchObject({ wallet: 'w', name: 'n', shard_start: 0, shard_end: 21 });
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(tracker.leases.size).toBe(0);
  });

  it('says all that is wrong with its flags and exits 78', async () => {
    const { child, complaints } = spawnNode([
      '--tracker',
      'nowhere',
      '--ms-per-layer',
      '-1',
      '--sharp',
      '0-21',
    ]);
    expect(await once(child, 'exit')).toEqual([78, null]);
    for (const flag of ['--tracker', '--ms-per-layer', '--sharp', '--model', '--wallet']) {
      expect(complaints.join('')).toContain(flag);
    }
  });
});

/** The program itself, its types stripped on the way, so that the test needs no build. */
function spawnNode(flags: readonly string[]): { child: ChildProcess; complaints: string[] } {
  const home = mkdtempSync(join(tmpdir(), 'reference-node-'));
  for (const room of ['demo', 'kernel', 'wallet-proof']) {
    mkdirSync(join(home, room));
    for (const file of readdirSync(`src/${room}`).filter((name) => /^(?!.*\.spec\.).*\.ts$/.test(name))) {
      const { outputText } = ts.transpileModule(readFileSync(`src/${room}/${file}`, 'utf8'), {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2023,
          experimentalDecorators: true,
          verbatimModuleSyntax: true,
        },
      });
      writeFileSync(join(home, room, file.replace(/ts$/, 'js')), outputText);
    }
  }
  writeFileSync(join(home, 'package.json'), '{"type":"module"}');
  symlinkSync(join(process.cwd(), 'node_modules'), join(home, 'node_modules'));
  const child = spawn(process.execPath, [join(home, 'demo/reference-node.main.js'), ...flags]);
  const complaints: string[] = [];
  child.stderr.on('data', (text: Buffer) => complaints.push(text.toString()));
  endings.push(() => {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true });
  });
  return { child, complaints };
}
