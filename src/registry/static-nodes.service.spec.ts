import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Rooms } from '../../test/support/rooms.js';
import { NodesSettings } from '../settings/index.js';
import type { MeshNode } from './index.js';
import { StaticNodesService } from './index.js';

const LEASE_MS = 90_000;
const PROBE_MS = LEASE_MS / 3;
const LOOK_MS = 2000;

/** An OpenAI-compatible server that knows nothing of meshes. */
class PlainServer {
  /** What `/v1/models` answers; an array is a proper list of these ids. */
  models: unknown = ['m'];
  statusOf: Readonly<Record<string, number>> = {};
  isDead = false;
  /** Nothing is answered before this has come true. */
  held: Promise<void> = Promise.resolve();
  readonly asked: { path: string; headers: IncomingHttpHeaders }[] = [];
  private readonly server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    this.asked.push({ path, headers: request.headers });
    if (this.isDead) {
      request.socket.destroy();
      return;
    }
    void this.held.then(() => {
      response.writeHead(this.statusOf[path] ?? 200, { 'content-type': 'application/json' });
      const rows = Array.isArray(this.models) ? this.models.map((id: unknown) => ({ id })) : null;
      response.end(rows === null ? this.models : JSON.stringify({ object: 'list', data: rows }));
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

let server: PlainServer;
let url: string;
let folder: string;
let rooms: Rooms;
let statics: StaticNodesService;

beforeEach(async () => {
  server = new PlainServer();
  url = await server.listen();
  folder = mkdtempSync(join(tmpdir(), 'nodes-file-'));
});

afterEach(async () => {
  statics.onModuleDestroy();
  await server.close();
  rmSync(folder, { recursive: true });
});

function path(): string {
  return join(folder, 'nodes.json');
}

function writeNodes(...nodes: object[]): void {
  writeFileSync(path(), JSON.stringify({ nodes }));
}

/** A tracker with this list, its first probes done. */
async function start(listing: { nodeUrls?: string[]; nodes?: object[] }): Promise<void> {
  if (listing.nodes !== undefined) writeNodes(...listing.nodes);
  rooms = new Rooms({
    nodes: { nodesFile: listing.nodes === undefined ? null : path(), nodeUrls: listing.nodeUrls ?? [] },
  });
  statics = new StaticNodesService(
    rooms.settings.nodes,
    (name) => ({ GPU_KEY: 'canary' })[name],
    rooms.clock,
    rooms.logger,
    rooms.registry,
    rooms.bus,
    rooms.networks,
  );
  await statics.start();
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((turn) => setImmediate(turn));
}

/** Moves the clock and waits until the probes and looks which that set off have ended, and wait for their next time. */
async function advance(ms: number): Promise<void> {
  const timers = rooms.clock.liveTimers;
  rooms.clock.advance(ms);
  await until(() => rooms.clock.liveTimers >= timers);
}

/** Long enough for a lease to run out, probe by probe. */
async function advanceALease(): Promise<void> {
  for (let probe = 0; probe < 3; probe += 1) await advance(PROBE_MS);
}

function nodes(): readonly MeshNode[] {
  return rooms.registry.nodes();
}

function models(): string[] {
  return nodes().map(({ model }) => model);
}

describe('a --node', () => {
  it('joins with all models that it names, as whole-model nodes of its own name', async () => {
    server.models = ['qwen/a', 'llama3:8b', 'qwen/a', '', 7, null];
    await start({ nodeUrls: [url] });
    expect(models()).toEqual(['qwen/a', 'llama3:8b']);
    const name = url.replace('http://', '').replace(':', '-');
    expect(nodes()[0]).toMatchObject({
      nodeId: `local.${name}:all`,
      endpoint: url,
      source: 'flag',
      shard: null,
      upstreamModel: null,
    });
    expect(rooms.routing.routableModels()).toEqual(['qwen/a', 'llama3:8b']);
  });

  it('counts as probed even when nobody is there, and joins once somebody is', async () => {
    server.isDead = true;
    await start({ nodeUrls: [url] });
    expect(statics.firstProbeDone).toBe(true);
    expect(nodes()).toEqual([]);
    expect(rooms.logger.of('static_node.unavailable')).toHaveLength(1);
    await advance(PROBE_MS);
    expect(rooms.logger.of('static_node.unavailable')).toHaveLength(1);
    server.isDead = false;
    await advance(PROBE_MS);
    expect(models()).toEqual(['m']);
  });

  it.each([
    ['no list of models', () => (server.models = '{"data":{}}'), '/v1/models is no list of models'],
    ['no JSON', () => (server.models = 'hello'), '/v1/models is no list of models'],
    ['nothing', () => (server.models = 'null'), '/v1/models is no list of models'],
    ['401', () => (server.statusOf = { '/v1/models': 401 }), '/v1/models answered 401'],
    ['404', () => (server.statusOf = { '/v1/models': 404 }), '/v1/models answered 404'],
    ['a redirect', () => (server.statusOf = { '/v1/models': 302 }), '/v1/models answered 302'],
    ['500', () => (server.statusOf = { '/v1/models': 500 }), '/v1/models answered 500'],
  ])('that answers %s does not join, and why is told', async (_, answer, reason) => {
    answer();
    await start({ nodeUrls: [url] });
    expect(nodes()).toEqual([]);
    expect(rooms.logger.of('static_node.unavailable')[0]?.fields).toMatchObject({ reason });
  });

  it('given twice is one node, and what the file lists is taken from there', async () => {
    await start({ nodeUrls: [url, url], nodes: [{ url, name: 'listed' }] });
    expect(nodes().map(({ name, source }) => [name, source])).toEqual([['listed', 'nodes_file']]);
  });

  it('whose name another server has already is refused', async () => {
    await expect(start({ nodeUrls: [url, url.replace('http:', 'https:')] })).rejects.toThrow(
      '--node.name: must not be that of --node',
    );
    expect(nodes()).toEqual([]);
  });
});

describe('a listed server', () => {
  it('is probed three times a lease, and stays by that under one lease and one epoch', async () => {
    await start({ nodes: [{ url }] });
    const [node] = nodes();
    for (let lease = 0; lease < 4; lease += 1) await advanceALease();
    expect(server.asked).toHaveLength(1 + 4 * 3);
    expect(nodes()).toEqual([node]);
    expect(node).toMatchObject({ present: true, incarnation: 1 });
    expect(rooms.topology.epoch('m')).toBe(1);
  });

  it('is gone a lease after it died, and back when it answers again', async () => {
    await start({ nodes: [{ url }] });
    server.isDead = true;
    await advance(PROBE_MS);
    await advance(PROBE_MS);
    expect(models()).toEqual(['m']);
    await advance(PROBE_MS);
    expect(models()).toEqual([]);
    expect(rooms.topology.epoch('m')).toBe(2);
    server.isDead = false;
    await advance(PROBE_MS);
    expect(models()).toEqual(['m']);
    expect(rooms.topology.epoch('m')).toBe(3);
  });

  it('shows how its last probe ended, whatever chats it serves meanwhile', async () => {
    server.models = ['a', 'b'];
    await start({ nodes: [{ url }] });
    const probes = (): unknown[] => nodes().map(({ lastProbe }) => lastProbe);
    expect(probes()).toEqual(['ok', 'ok']);
    server.isDead = true;
    await advance(PROBE_MS);
    for (const node of nodes()) rooms.registry.touch(node);
    expect(probes()).toEqual(['failed', 'failed']);
    server.isDead = false;
    await advance(PROBE_MS);
    expect(probes()).toEqual(['ok', 'ok']);
  });

  it('survives two failed probes', async () => {
    await start({ nodes: [{ url }] });
    server.isDead = true;
    await advance(PROBE_MS);
    await advance(PROBE_MS - 1);
    server.isDead = false;
    await advance(1);
    await advanceALease();
    expect(models()).toEqual(['m']);
    expect(rooms.topology.epoch('m')).toBe(1);
  });

  it('gains and loses models as its list does', async () => {
    server.models = ['a', 'b'];
    await start({ nodes: [{ url, models: ['*'] }] });
    server.models = ['b', 'c'];
    await advance(PROBE_MS);
    expect(models()).toEqual(['b', 'c']);
    expect(['a', 'b', 'c'].map((model) => rooms.topology.epoch(model))).toEqual([2, 1, 1]);
  });

  it('serves the models that it is listed with, by the names it has for them', async () => {
    await start({
      nodes: [
        {
          url,
          wallet: 'lab',
          name: 'gpu',
          models: ['a', { id: 'b', upstream_model: 'b:latest' }],
          num_layers: 40,
          throughput_tps: 12,
          max_concurrent: 3,
          first_byte_timeout_seconds: 7,
        },
      ],
    });
    expect(nodes()).toMatchObject([
      { nodeId: 'lab.gpu:all', model: 'a', upstreamModel: null, throughputTps: 12, maxConcurrent: 3 },
      { model: 'b', upstreamModel: 'b:latest', firstByteTimeoutSeconds: 7 },
    ]);
    expect(rooms.registry.numLayers('a')).toBe(40);
  });

  it('whose models are listed needs no list of its own', async () => {
    server.statusOf = { '/v1/models': 404 };
    await start({ nodes: [{ url, models: ['a'] }] });
    expect(models()).toEqual(['a']);
    server.statusOf = { '/v1/models': 500 };
    await advanceALease();
    expect(models()).toEqual([]);
  });

  it('may be one shard of a model', async () => {
    await start({ nodes: [{ url, models: ['a'], shard: '0-21', num_layers: 40 }] });
    expect(nodes()).toMatchObject([{ model: 'a', shard: { start: 0, end: 21 } }]);
    expect(rooms.topology.gaps('a')).toMatchObject([{ start: 22, end: 39 }]);
  });

  it('is asked at its health path alone, where it has one and its models are listed', async () => {
    await start({ nodes: [{ url: `${url}/vllm/v1`, models: ['a'], health_path: '/health' }] });
    expect(server.asked.map((request) => request.path)).toEqual(['/vllm/health']);
    server.statusOf = { '/vllm/health': 503 };
    await advanceALease();
    expect(models()).toEqual([]);
  });

  it('is asked for its models too, where they are not listed', async () => {
    await start({ nodes: [{ url: `${url}/vllm`, health_path: '/health' }] });
    expect(server.asked.map((request) => request.path)).toEqual(['/vllm/health', '/vllm/v1/models']);
    expect(models()).toEqual(['m']);
  });

  it('is shown its own key and headers, which are in no log and no node', async () => {
    await start({ nodes: [{ url, api_key_env: 'GPU_KEY', headers: { 'X-Team': 'lab' } }] });
    expect(server.asked[0]?.headers).toMatchObject({ authorization: 'Bearer canary', 'x-team': 'lab' });
    const [node] = nodes();
    expect(node && rooms.registry.accessOf(node).headers).toEqual({
      authorization: 'Bearer canary',
      'x-team': 'lab',
    });
    expect(JSON.stringify([nodes(), rooms.logger.lines, rooms.events])).not.toContain('canary');
  });

  it('serves its other models although one contradicts what is known', async () => {
    server.models = ['known', 'fine'];
    await start({ nodes: [] });
    rooms.join({ wallet: 'w', model: 'known', numLayers: 41 });
    writeNodes({ url, num_layers: 40 });
    await statics.reload();
    expect(nodes().map(({ wallet, model }) => `${wallet} ${model}`)).toEqual(['w known', 'local fine']);
    expect(rooms.logger.of('static_node.refused')[0]?.fields).toMatchObject({
      refusals: [{ model: 'known', reason: 'num_layers of this model is 41 already.' }],
    });
  });

  it('leaves its identity to a node that registered itself elsewhere, until that is gone', async () => {
    await start({ nodes: [{ url, wallet: 'own', name: 'listed' }] });
    const elsewhere = 'http://127.0.0.1:9';
    const { leaseId } = rooms.join({ wallet: 'own', name: 'listed', model: 'm', endpoint: elsewhere });
    await advance(PROBE_MS);
    expect(nodes().map(({ endpoint }) => endpoint)).toEqual([elsewhere]);
    rooms.registry.deregister(leaseId);
    await advance(PROBE_MS);
    expect(nodes().map(({ endpoint }) => endpoint)).toEqual([url]);
  });

  it('leaves the endpoint to a node that registered itself there, until that is gone', async () => {
    await start({ nodes: [{ url, name: 'listed' }] });
    const { node, leaseId } = rooms.join({ wallet: 'own', model: 'm', endpoint: url });
    await advance(PROBE_MS);
    expect(nodes()).toEqual([node]);
    server.isDead = true;
    await advance(PROBE_MS);
    expect(node.lastProbe).toBeNull();
    server.isDead = false;
    expect(rooms.topology.epoch('m')).toBe(3);
    rooms.registry.heartbeat(leaseId, {});
    await advance(PROBE_MS);
    expect(nodes()).toEqual([node]);
    rooms.registry.deregister(leaseId);
    await advance(PROBE_MS);
    expect(nodes().map(({ name }) => name)).toEqual(['listed']);
  });

  it('that an operator deleted stays away until the list is read again', async () => {
    await start({ nodes: [{ url, name: 'gpu' }] });
    rooms.registry.delete('local.gpu:all', null);
    await advanceALease();
    expect(nodes()).toEqual([]);
    await statics.reload();
    await advance(PROBE_MS);
    expect(models()).toEqual(['m']);
  });

  it('that an operator drained stays drained through probes and reloads', async () => {
    await start({ nodes: [{ url, name: 'gpu' }] });
    rooms.registry.drain('local.gpu:all', null);
    await advanceALease();
    writeNodes({ url, name: 'gpu', throughput_tps: 5 });
    await statics.reload();
    expect(nodes()).toMatchObject([{ drainedByOperator: true, throughputTps: 5 }]);
    expect(rooms.topology.epoch('m')).toBe(2);
  });
});

describe('a probe that is asked for', () => {
  const node = (): MeshNode => nodes()[0]!;

  it('is made at once, and tells whether the model is served there', async () => {
    await start({ nodes: [{ url, models: ['*'] }] });
    await expect(statics.probeSoon(node())).resolves.toBe(true);
    expect(server.asked).toHaveLength(2);
    const before = node();
    server.models = ['other'];
    const asked = statics.probeSoon(before);
    await advance(1000);
    await expect(asked).resolves.toBe(false);
    expect(models()).toEqual(['other']);
    expect(before.present).toBe(false);
  });

  it('finds no model when the server does not answer, and leaves the lease alone', async () => {
    await start({ nodeUrls: [url] });
    server.isDead = true;
    await expect(statics.probeSoon(node())).resolves.toBe(false);
    expect(node()).toMatchObject({ present: true, lastProbe: 'failed' });
  });

  it('is not made for a node that registered itself, be it under the name of a listed one', async () => {
    await start({ nodes: [{ url, name: 'gpu' }] });
    const { node: own } = rooms.join({
      wallet: 'local',
      name: 'gpu',
      model: 'own',
      endpoint: 'http://own:1',
    });
    await expect(statics.probeSoon(own)).resolves.toBe(false);
    expect(server.asked).toHaveLength(1);
  });

  it('is not made for a server that the file names no more', async () => {
    await start({ nodes: [{ url, name: 'gpu' }] });
    const gone = node();
    writeNodes();
    await statics.reload();
    await expect(statics.probeSoon(gone)).resolves.toBe(false);
    expect(server.asked).toHaveLength(1);
  });
});

describe('a model that the nodes file lists', () => {
  it('leaves when the server names it no more, and comes back with it', async () => {
    await start({ nodes: [{ url, models: [{ id: 'alias', upstream_model: 'm' }, 'never-named'] }] });
    expect(models()).toEqual(['alias', 'never-named']);
    server.models = ['other'];
    await advance(PROBE_MS);
    expect(models()).toEqual(['never-named']);
    server.models = ['m'];
    await advance(PROBE_MS);
    expect(models()).toEqual(['never-named', 'alias']);
  });

  it('stays where the server has no list any more', async () => {
    await start({ nodes: [{ url, models: ['m'] }] });
    server.statusOf = { '/v1/models': 404 };
    await advanceALease();
    expect(models()).toEqual(['m']);
  });
});

describe('the nodes file', () => {
  it('is read again when it changes, by the clock', async () => {
    await start({ nodes: [{ url, models: ['a'] }] });
    writeNodes({ url, models: ['a', 'b'] });
    await advance(LOOK_MS - 1);
    expect(models()).toEqual(['a']);
    await advance(1);
    expect(models()).toEqual(['a', 'b']);
    await advance(LOOK_MS);
    expect(rooms.logger.of('nodes_file.read')).toHaveLength(1);
  });

  it('read again on demand is not read once more by the clock', async () => {
    await start({ nodes: [{ url, name: 'gpu' }] });
    writeNodes({ url, name: 'gpu', throughput_tps: 5 });
    await statics.reload();
    rooms.registry.delete('local.gpu:all', null);
    await advance(LOOK_MS);
    await advance(PROBE_MS);
    expect(nodes()).toEqual([]);
    expect(rooms.logger.of('nodes_file.read')).toHaveLength(1);
  });

  it('that is faulty changes nothing and is told, without a value', async () => {
    await start({ nodes: [{ url }] });
    const [node] = nodes();
    writeFileSync(path(), '{"nodes":[{"url":"http://u:canary@h"}]}');
    await advance(LOOK_MS);
    await advance(PROBE_MS);
    expect(nodes()).toEqual([node]);
    expect(rooms.logger.of('nodes_file.refused')).toEqual([
      {
        level: 'error',
        event: 'nodes_file.refused',
        fields: { faults: ['nodes[0].url: must not contain user:password@'] },
      },
    ]);
  });

  it('with thousands of faults is told by the first of them and how many more there are', async () => {
    await start({ nodes: [] });
    writeFileSync(path(), JSON.stringify({ nodes: Array.from({ length: 5_000 }, () => 7) }));
    await advance(LOOK_MS);
    const { faults } = rooms.logger.of('nodes_file.refused')[0]?.fields as { faults: string[] };
    expect([faults.length, faults.at(-1)]).toEqual([51, 'and 4950 more']);
  });

  it('that is removed changes nothing and is told', async () => {
    await start({ nodes: [{ url }] });
    rmSync(path());
    await advance(LOOK_MS);
    expect(models()).toEqual(['m']);
    expect(rooms.logger.of('nodes_file.refused')[0]?.fields).toEqual({
      faults: [`${path()}: must be a readable file, no pipe or device, of at most 16 MiB`],
    });
    writeNodes({ url, models: ['back'] });
    await advance(LOOK_MS);
    expect(models()).toEqual(['back']);
  });

  it('is told of each time it is read again, whether it could be used or not', async () => {
    const told = (): unknown => rooms.events.filter(({ type }) => type.startsWith('nodes_file.'));
    await start({ nodes: [{ url }] });
    expect(told()).toEqual([]);
    writeNodes({ url, name: 'a', models: ['x'] }, { url: 'http://127.0.0.1:1', models: ['y'] });
    await statics.reload();
    const at = rooms.clock.wallMs();
    const read = { type: 'nodes_file.read', fact: { entries: 2, at } };
    expect(told()).toEqual([read]);
    writeFileSync(path(), '[7, 8, 9]');
    await advance(LOOK_MS);
    const refused = { type: 'nodes_file.refused', fact: { faults: 3, at: rooms.clock.wallMs() } };
    expect(told()).toEqual([read, refused]);
    await advance(LOOK_MS);
    expect(told()).toEqual([read, refused]);
  });

  it('that cannot be used at start stops the start', async () => {
    writeFileSync(path(), '[7]');
    rooms = new Rooms({ nodes: { nodesFile: path() } });
    const of = (nodesFile: string): StaticNodesService =>
      new StaticNodesService(
        Object.assign(new NodesSettings(), { nodesFile }),
        () => undefined,
        rooms.clock,
        rooms.logger,
        rooms.registry,
        rooms.bus,
        rooms.networks,
      );
    statics = of(path());
    await expect(statics.start()).rejects.toThrow('nodes[0]: must be an object');
    expect(statics.firstProbeDone).toBe(false);
    writeFileSync(path(), '{');
    await expect(of(path()).start()).rejects.toThrow(`${path()}: must be JSON`);
    const none = join(folder, 'none.json');
    await expect(of(none).start()).rejects.toThrow(
      `${none}: must be a readable file, no pipe or device, of at most 16 MiB`,
    );
  });

  it('leaves unchanged entries alone: lease, arms and epoch', async () => {
    const gpu = { url, name: 'gpu', models: ['a'] };
    await start({ nodes: [gpu] });
    const [node] = nodes();
    rooms.prove('a', { 'local.gpu:all': 20 });
    writeNodes({ url: 'http://127.0.0.1:1', name: 'other', models: ['b'] }, gpu);
    await statics.reload();
    expect(nodes()).toEqual([node]);
    expect(node?.incarnation).toBe(1);
    expect(rooms.topology.epoch('a')).toBe(1);
    expect(rooms.table.tables('a')[0]?.candidates).toMatchObject([{ status: 'proven', tps: 20 }]);
  });

  it('keeps epoch and arms of an entry whose speed, key or limits change', async () => {
    await start({ nodes: [{ url, name: 'gpu', models: ['a'] }] });
    rooms.prove('a', { 'local.gpu:all': 20 });
    writeNodes({ url, name: 'gpu', models: ['a'], throughput_tps: 33, api_key_env: 'GPU_KEY' });
    await statics.reload();
    const [node] = nodes();
    expect(node).toMatchObject({ throughputTps: 33, present: true });
    expect(node && rooms.registry.accessOf(node).headers).toEqual({ authorization: 'Bearer canary' });
    expect(rooms.topology.epoch('a')).toBe(1);
    expect(rooms.table.tables('a')[0]?.candidates).toMatchObject([{ status: 'proven', tps: 20 }]);
    await advanceALease();
    expect(node?.present).toBe(true);
  });

  it('takes out what no longer stands in it, at once', async () => {
    await start({ nodes: [{ url, models: ['a', 'b'] }] });
    writeNodes({ url, models: ['b'] });
    await statics.reload();
    expect(models()).toEqual(['b']);
    writeNodes();
    await statics.reload();
    expect(models()).toEqual([]);
    const asked = server.asked.length;
    await advanceALease();
    expect(server.asked).toHaveLength(asked);
  });

  it('moves a server that stands under another url now', async () => {
    const other = new PlainServer();
    const otherUrl = await other.listen();
    await start({ nodes: [{ url, name: 'gpu' }] });
    writeNodes({ url: otherUrl, name: 'gpu' });
    await statics.reload();
    expect(nodes()).toMatchObject([{ endpoint: otherUrl }]);
    expect(rooms.topology.epoch('m')).toBe(1);
    await other.close();
  });
});

describe('once it is going down, the list', () => {
  it('is neither probed nor read again, and no timer is left', async () => {
    await start({ nodes: [{ url }] });
    const asked = server.asked.length;
    statics.onModuleDestroy();
    rooms.registry.onModuleDestroy();
    rooms.stats.onModuleDestroy();
    expect(rooms.clock.liveTimers).toBe(0);
    rooms.clock.advance(LEASE_MS);
    writeNodes({ url, models: ['late'] });
    await statics.reload();
    expect(server.asked).toHaveLength(asked);
    expect(models()).toEqual(['m']);
  });

  it('takes no notice of an answer that is still on its way', async () => {
    let answer: () => void = () => undefined;
    server.held = new Promise((release) => (answer = release));
    const started = start({ nodeUrls: [url] });
    await until(() => server.asked.length === 1);
    statics.onModuleDestroy();
    answer();
    await started;
    expect(nodes()).toEqual([]);
    expect(rooms.logger.lines).toEqual([]);
    rooms.stats.onModuleDestroy();
    expect(rooms.clock.liveTimers).toBe(0);
  });
});
