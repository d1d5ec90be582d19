import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock, type Cancel } from '../../../src/kernel/index.js';
import { NodesFileFault } from '../../../src/registry/index.js';
import { eventually } from '../../support/eventually.js';
import { errorOf, type OpenReply } from '../../support/http-client.js';
import { sendStream, TEN } from '../../support/openai-answers.js';
import { Stage } from '../../support/stage.js';

const MODEL = 'm';
const stage = new Stage();
afterEach(() => stage.end());

/** A minute in six tenths of a second. */
class FastClock extends SystemClock {
  override now(): number {
    return super.now() * 100;
  }

  override after(delayMs: number, act: () => void): Cancel {
    return super.after(delayMs / 100, act);
  }
}

describe('B47: a node that says zero', () => {
  it('has no queue and starts at the first layer', async () => {
    const { api } = await stage.tracker();
    const endpoint = (await stage.head()).url;
    const { lease_id } = await api.register({
      ...{ wallet: 'a', endpoint, model: MODEL, num_layers: 4 },
      ...{ shard_start: 0, shard_end: 0, queue_depth: 0 },
    });
    expect(await api.node('a:0-0')).toMatchObject({ shard_start: 0, shard_end: 0, queue_depth: 0 });
    for (const queue_depth of [7, 0]) {
      await api.ask('PUT', `/v1/leases/${lease_id}`, { queue_depth });
      expect(await api.node('a:0-0')).toMatchObject({ queue_depth });
    }
  });

  it.each(['throughput_tps', 'max_concurrent', 'num_layers'])(
    'is refused where it would mean nothing: %s',
    async (field) => {
      const { api } = await stage.tracker();
      const body = { wallet: 'a', endpoint: 'http://a.test', model: MODEL };
      const refused = await api.ask('POST', '/v1/nodes', { ...body, [field]: 0 });
      expect(refused.status).toBe(400);
      expect(errorOf(refused)).toMatchObject({ param: field });
      expect(await api.nodes()).toEqual([]);
    },
  );

  it('is refused in a heartbeat too, which then changes nothing', async () => {
    const { api } = await stage.tracker();
    const node = { wallet: 'a', endpoint: 'http://a.test', model: MODEL, throughput_tps: 9 };
    const { lease_id } = await api.register(node);
    const refused = await api.ask('PUT', `/v1/leases/${lease_id}`, { throughput_tps: 0, queue_depth: 3 });
    expect(refused.status).toBe(400);
    expect(await api.node('a:all')).toMatchObject({ throughput_tps: 9, queue_depth: 0 });
  });

  it.each(['throughput_tps', 'max_concurrent', 'first_byte_timeout_seconds'])(
    'stops the start where a nodes file says it: %s',
    async (field) => {
      const folder = mkdtempSync(join(tmpdir(), 'nodes-'));
      stage.atEnd(() => rmSync(folder, { recursive: true }));
      const file = join(folder, 'nodes.json');
      writeFileSync(file, JSON.stringify({ nodes: [{ url: 'http://a.test', [field]: 0 }] }));
      await expect(stage.tracker({ env: { MESHNET_NODES_FILE: file } })).rejects.toThrow(NodesFileFault);
    },
  );
});

describe('B47: a setting of zero', () => {
  it('lets nobody scout', async () => {
    const { api } = await stage.tracker({ env: { MESHNET_ROUTE_EXPLORE_SHARE: '0' } });
    const [a, b] = [await stage.head(), await stage.head()];
    await api.register({ wallet: 'a', endpoint: a.url, model: MODEL });
    await api.register({ wallet: 'b', endpoint: b.url, model: MODEL });
    await api.chat({ model: MODEL, route: ['a:all'] });
    for (let n = 0; n < 40; n += 1) await api.chat({ model: MODEL });
    expect([a.chats.length, b.chats.length]).toEqual([41, 0]);
    const { config } = JSON.parse((await api.get('/v1/routing')).text) as {
      config: { explore_share: number };
    };
    expect(config.explore_share).toBe(0);
  });

  it.each([
    ['0', 0],
    ['', 1],
  ])('writes no pings into a silent stream (MESHNET_STREAM_PING_SECONDS="%s")', async (seconds, least) => {
    const { api } = await stage.tracker({
      env: { MESHNET_STREAM_PING_SECONDS: seconds, MESHNET_NODE_LEASE_SECONDS: '90000' },
      parts: { clock: new FastClock() },
    });
    let answer = (): void => undefined;
    const head = await stage.head((response) => (answer = () => sendStream(response, TEN)));
    await api.register({ wallet: 'a', endpoint: head.url, model: MODEL });
    const begun: OpenReply[] = [];
    const opening = api.openChat({ model: MODEL, stream: true });
    void opening.then((reply) => begun.push(reply));
    const sentAt = performance.now();
    await eventually(() => {
      expect(head.chats).toHaveLength(1);
      // By the tracker's clock over three times the default period.
      expect(performance.now() - sentAt).toBeGreaterThan(500);
    });
    expect(begun).toHaveLength(least);
    answer();
    const { text } = await (await opening).rest();
    const pings = text.match(/^: ping$/gm) ?? [];
    expect(pings.length).toBeGreaterThanOrEqual(least);
    expect(pings.length > 0).toBe(least > 0);
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it.each(['MESHNET_QUEUE_SECONDS', 'MESHNET_QUEUE_LENGTH'])('lets nobody wait (%s)', async (name) => {
    const { api } = await stage.tracker({ env: { [name]: '0' } });
    let answer = (): void => undefined;
    const head = await stage.head((response) => (answer = () => sendStream(response, TEN)));
    await api.register({ wallet: 'a', endpoint: head.url, model: MODEL, max_concurrent: 1 });
    const first = api.chat({ model: MODEL, stream: true });
    await eventually(() => expect(head.chats).toHaveLength(1));
    const second = await api.chat({ model: MODEL, stream: true });
    expect(second.status).toBe(429);
    expect(second.headers['retry-after']).toBeDefined();
    answer();
    expect((await first).status).toBe(200);
  });
});
