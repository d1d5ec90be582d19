import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Collector } from '../support/collector.js';
import { eventually } from '../support/eventually.js';
import type { FakeHead } from '../support/fake-head.js';
import { dataOf, jsonOf, open } from '../support/http-client.js';
import { DONE, sendJson, SSE_HEADERS, TEN, textChunk, finishChunk } from '../support/openai-answers.js';
import { Program, type RunningProgram } from '../support/program.js';
import { Stage } from '../support/stage.js';
import { TrackerApi } from '../support/tracker-api.js';

const stage = new Stage();
let program: Program;
let home: string;
beforeAll(() => {
  program = new Program();
  home = mkdtempSync(join(tmpdir(), 'program-'));
});
afterEach(async () => {
  program.killAll();
  await stage.end();
});
afterAll(() => {
  program.remove();
  rmSync(home, { recursive: true });
});

function nodesFile(content: object | string): string {
  const path = join(home, 'nodes.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('the program', () => {
  it('exits 78 with every bad setting on a line of its own, and no value', async () => {
    const run = program.start(['--route-explore-share', 'CANARY1', '--sharp'], {
      MESHNET_PORT: '70000',
      MESHNET_ROUTE_STATS_HALF_LIFE: '0',
      MESHNET_MAX_ATTEMPTS: 'CANARY2',
    });
    expect(await run.ended).toBe(78);
    const lines = run.stderr.trimEnd().split('\n');
    for (const name of [
      '--route-explore-share',
      '--sharp',
      'MESHNET_PORT',
      'MESHNET_ROUTE_STATS_HALF_LIFE',
      'MESHNET_MAX_ATTEMPTS',
    ]) {
      expect(lines.filter((line) => line.startsWith(`${name}:`))).toHaveLength(1);
    }
    expect(lines).toHaveLength(5);
    expect(run.stderr + run.stdout).not.toMatch(/CANARY|70000/);
    expect(run.stderr).toContain('0 to 65535');
  });

  it('exits 78 where others would reach it and nobody has a key, with the lines to add', async () => {
    const run = program.start(['--port', '0', '--host', '0.0.0.0']);
    expect(await run.ended).toBe(78);
    expect(run.stdout).toBe('');
    expect(run.stderr).toMatch(/^ {2}MESHNET_API_KEYS=me=[\w-]{32}$/m);
    expect(run.stderr).not.toContain('at ');
  });

  it('reads files of keys again on SIGHUP, and says nothing of what is in them', async () => {
    const file = join(home, 'keys');
    writeFileSync(file, 'alice=CANARY-the-first-key');
    const run = program.start(['--port', '0'], { MESHNET_API_KEYS_FILE: file });
    const url = await run.url();
    const status = async (key: string): Promise<number> =>
      (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await status('CANARY-the-first-key')).toBe(200);
    writeFileSync(file, 'alice=CANARY-the-second-key');
    run.signal('SIGHUP');
    await eventually(async () => expect(await status('CANARY-the-second-key')).toBe(200));
    expect(await status('CANARY-the-first-key')).toBe(401);
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(run.stdout).toContain('keys.read');
    expect(run.stdout + run.stderr).not.toContain('CANARY');
  });

  it('exits 78 with every fault of the nodes file, and no value', async () => {
    const file = nodesFile([
      { url: 'http://user:CANARY@h/' },
      { url: 'http://h:1', num_layers: -1, api_key_env: 'NOT_SET' },
      { url: 'http://h:2', oops: 'CANARY' },
    ]);
    const run = program.start(['--port', '0'], { MESHNET_NODES_FILE: file });
    expect(await run.ended).toBe(78);
    const lines = run.stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines.every((line) => line.startsWith('MESHNET_NODES_FILE: nodes['))).toBe(true);
    expect(run.stderr + run.stdout).not.toContain('CANARY');
  });

  it('exits 78 when the nodes file is missing or no JSON', async () => {
    for (const file of [join(home, 'missing.json'), nodesFile('{')]) {
      const run = program.start(['--port', '0'], { MESHNET_NODES_FILE: file });
      expect(await run.ended).toBe(78);
      expect(run.stderr).toMatch(/^MESHNET_NODES_FILE: [^\n]+\n$/);
      expect(run.stderr).toContain(`${file}: must be `);
    }
  });

  it('prints its help and its version', async () => {
    const help = program.start(['--help']);
    expect(await help.ended).toBe(0);
    for (const word of ['--node', '--port', 'MESHNET_ROUTE_EXPLORE_SHARE', 'MESHNET_DRAIN_SECONDS']) {
      expect(help.stdout).toContain(word);
    }
    const version = program.start(['--version']);
    expect(await version.ended).toBe(0);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('exits 1 with one plain line when its port is taken', async () => {
    const taken = await stage.head();
    const run = program.start(['--port', String(taken.port)], { MESHNET_LOG_LEVEL: 'warn' });
    expect(await run.ended).toBe(1);
    expect(run.stderr).toBe(`port ${String(taken.port)} is in use; choose another with --port\n`);
    expect(run.stdout).not.toMatch(/\bat .*:\d+:\d+/);
  });

  it('names a variable that has no effect, without its value', async () => {
    const run = program.start(['--port', '0'], { MESHNET_EXPLORE_SHARE: 'CANARY' });
    await run.url();
    expect(run.stderr).toContain('MESHNET_EXPLORE_SHARE');
    expect(run.stderr).not.toContain('CANARY');
  });

  it('reads its nodes file again on SIGHUP', async () => {
    const head = await stage.head((response) =>
      sendJson(response, 200, { object: 'list', data: [{ id: 'listed' }] }),
    );
    const file = nodesFile([]);
    const run = program.start(['--port', '0'], { MESHNET_NODES_FILE: file });
    const api = new TrackerApi(await run.url());
    expect(await api.nodes()).toEqual([]);
    nodesFile([{ url: head.url, name: 'listed' }]);
    run.signal('SIGHUP');
    await eventually(async () => {
      expect((await api.nodes()).map(({ node_id }) => node_id)).toEqual(['local.listed:all']);
    });
  });
});

describe('SIGTERM', () => {
  interface Busy {
    readonly run: RunningProgram;
    readonly api: TrackerApi;
    readonly finish: () => void;
  }

  /** A tracker with a chat that streams until `finish`. */
  async function busyTracker(): Promise<Busy> {
    let finish = (): void => undefined;
    const head: FakeHead = await stage.head((response) => {
      response.writeHead(200, SSE_HEADERS).write(textChunk('first'));
      finish = () => response.end(TEN.map(textChunk).join('') + finishChunk() + DONE);
    });
    const run = program.start(['--port', '0']);
    const api = new TrackerApi(await run.url());
    await api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
    return { run, api, finish: () => finish() };
  }

  it('ends watchers and idle connections at once, lets a stream finish to its [DONE], and exits 0', async () => {
    const { run, api, finish } = await busyTracker();
    const watching = await open(`${api.url}/v1/events`, {});
    await watching.until('watching');
    const [agent, chatAgent] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
    stage.atEnd(() => [agent, chatAgent].forEach((each) => each.destroy()));
    const idle = request(`${api.url}/healthz`, { agent }).end();
    const [answer] = (await once(idle, 'response')) as [NodeJS.ReadableStream];
    answer.resume();
    await once(answer, 'end');
    const idleClosed = once(idle.socket!, 'close');
    const chat = await open(`${api.url}/v1/chat/completions`, {
      method: 'POST',
      agent: chatAgent,
      body: { model: 'm', stream: true },
    });
    await chat.until('first');

    run.signal('SIGTERM');
    expect((await watching.rest()).isWhole).toBe(true);
    await idleClosed;
    await expect(api.get('/healthz')).rejects.toThrow('ECONNREFUSED');
    expect(run.hasEnded).toBe(false);
    finish();
    const reply = await chat.rest();
    expect(reply.isWhole).toBe(true);
    expect(dataOf(reply.text)).toHaveLength(13);
    expect(dataOf(reply.text).at(-1)).toBe('[DONE]');
    expect(await run.ended).toBe(0);
    const logged = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    expect(logged.map(({ msg }) => msg).slice(-3)).toEqual([
      'tracker.draining',
      'call.finished',
      'tracker.stopped',
    ]);
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('exits 0 when the drain time is over, whatever still runs', async () => {
    const head = await stage.head((response) => response.writeHead(200, SSE_HEADERS).write(textChunk('x')));
    const run = program.start(['--port', '0'], { MESHNET_DRAIN_SECONDS: '0.2' });
    const api = new TrackerApi(await run.url());
    await api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
    const chat = await api.openChat({ model: 'm', stream: true });
    await chat.until('x');
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    expect((await chat.rest()).text).not.toContain('[DONE]');
    await eventually(() => expect(head.last.aborted).toBe(true));
  });

  it('given twice ends everything on the spot', async () => {
    const { run, api } = await busyTracker();
    const chat = await api.openChat({ model: 'm', stream: true });
    await chat.until('first');
    run.signal('SIGTERM');
    await eventually(() => expect(run.stdout).toContain('tracker.draining'));
    expect(run.hasEnded).toBe(false);
    run.signal('SIGTERM');
    expect(await run.ended).toBe(1);
    expect((await chat.rest()).isWhole).toBe(false);
  });

  it('given twice loses no line of a chat that was answered', async () => {
    const head = await stage.head();
    const run = program.start(['--port', '0']);
    const api = new TrackerApi(await run.url());
    await api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
    let answered = 0;
    const chats = Array.from({ length: 30 }, async () => {
      const { isWhole } = await api.chat({ model: 'm' });
      if (isWhole && (answered += 1) === 1)
        for (const signal of ['SIGTERM', 'SIGINT'] as const) run.signal(signal);
    });
    await Promise.allSettled(chats);
    await run.ended;
    const lines = run.stdout.split('\n').filter((line) => line.includes('call.finished'));
    expect(answered).toBeGreaterThan(0);
    expect(lines.length).toBeGreaterThanOrEqual(answered);
  });

  it('or SIGINT ends an idle tracker at once', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const run = program.start(['--port', '0']);
      const api = new TrackerApi(await run.url());
      expect(jsonOf(await api.get('/readyz'))).toEqual({ status: 'ready' });
      run.signal(signal);
      expect(await run.ended).toBe(0);
    }
  });
});

describe('the library for traces', () => {
  /** Files that the program had loaded when it ended, by its own engine's account. */
  async function filesLoaded(env: Readonly<Record<string, string>>): Promise<string[]> {
    const account = mkdtempSync(join(home, 'loaded-'));
    const run = program.start(['--port', '0'], { ...env, NODE_V8_COVERAGE: account });
    const api = new TrackerApi(await run.url());
    await api.register({ wallet: 'w', endpoint: (await stage.head()).url, model: 'm' });
    expect((await api.chat({ model: 'm' })).status).toBe(200);
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    return readdirSync(account).flatMap((file) => {
      const { result } = JSON.parse(readFileSync(join(account, file), 'utf8')) as {
        result: { url: string }[];
      };
      return result.map(({ url }) => url);
    });
  }

  it('is not loaded without a collector', async () => {
    const files = await filesLoaded({ OTEL_SERVICE_NAME: 'mesh' });
    expect(files.filter((url) => url.includes('/undici/')).length).toBeGreaterThan(0);
    expect(files.filter((url) => url.includes('/traces/')).length).toBeGreaterThan(0);
    // The API's package has interfaces and no-ops alone; the metrics library brings it.
    const loaded = files.filter((url) => /opentelemetry|otlp-tracer/.test(url));
    expect(loaded.filter((url) => !url.includes('@opentelemetry/api/'))).toEqual([]);
  });

  it('sends with one what the settings say, whatever else the environment has for it', async () => {
    const collector = await new Collector().start();
    stage.atEnd(() => collector.end());
    const files = await filesLoaded({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'mesh',
      ...{ OTEL_TRACES_SAMPLER: 'always_off', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' },
      ...{ OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '1', OTEL_BSP_MAX_QUEUE_SIZE: '1' },
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other',
    });
    expect(
      files.filter((url) => url.includes('@opentelemetry/exporter-trace-otlp-http')).length,
    ).toBeGreaterThan(0);
    expect(collector.spans).toHaveLength(3);
    for (const span of collector.spans) {
      expect(span.resource['service.name']).toBe('mesh');
      expect(Object.keys(span.attributes).length).toBeGreaterThan(1);
    }
  });
});
