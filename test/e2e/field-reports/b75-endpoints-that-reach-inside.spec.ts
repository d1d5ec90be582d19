import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { FoundAddress, HostLookup } from '../../../src/kernel/index.js';
import { readSettings } from '../../../src/settings/index.js';
import { eventually } from '../../support/eventually.js';
import { HastyClock } from '../../support/hasty-clock.js';
import { errorOf } from '../../support/http-client.js';
import { sendChat, sendJson } from '../../support/openai-answers.js';
import { Program } from '../../support/program.js';
import { Stage, type StagedTracker } from '../../support/stage.js';
import { TrackerApi } from '../../support/tracker-api.js';

const stage = new Stage();
afterEach(() => stage.end());

const METADATA_IPV4 = [
  ...['169.254.169.254', '169.254.169.254.', '2852039166', '0xa9fea9fe', '0XA9FEA9FE', '0xA9.0xFE.0xA9.0xFE'],
  ...['025177524776', '0251.0376.0251.0376', '169.254.43518', '169.16689662', '0xa9.254.0251.254'],
  ...[
    '%31%36%39.254.169.254',
    '169%2E254%2E169%2E254',
    '１６９.２５４.１６９.２５４',
    '169。254。169。254',
    '①⑥⑨.254.169.254',
  ],
  ...['[::ffff:169.254.169.254]', '[::FFFF:A9FE:A9FE]', '[0:0:0:0:0:ffff:a9fe:a9fe]', '[::169.254.169.254]'],
  ...['[::a9fe:a9fe]', '[64:ff9b::169.254.169.254]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::a9fe:a9fe]'],
  ...['[2002:a9fe:a9fe::]', '[2001:0:a9fe:a9fe::]', '[::ffff:0:169.254.169.254]'],
];
const METADATA_NAMES = [
  ...['metadata.google.internal', 'METADATA.GOOGLE.INTERNAL', 'metadata.google.internal.', 'metadata.goog'],
  ...['ｍetadata.google.internal', 'metadata%2Egoogle%2Einternal', 'a.metadata.google.internal', 'metadata'],
  ...['metadata.', 'instance-data', 'instance-data.ec2.internal', 'metadata.azure.internal'],
];
const OTHERS = [
  ...['169.254.0.1', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192', '[fd00:ec2::254]'],
  ...['[fe80::1]', '[fe80::a9fe:a9fe]', '[fe80::1%25eth0]', '[febf::1]', '[fec0::1]', '[fd20:ce::254]'],
  ...['0.0.0.0', '0', '0x0', '0.0.0.0.', '00.0.0.0', '[::]', '[::ffff:0.0.0.0]', '0.1.2.3'],
  ...['224.0.0.1', '239.255.255.250', '[ff02::1]', '[ff05::2]', '[::ffff:224.0.0.1]'],
  ...[
    '255.255.255.255',
    '4294967295',
    '0xffffffff',
    '240.0.0.1',
    '037777777777',
    '[2001:db8::1]',
    '203.0.113.9',
  ],
];
const ALWAYS = [...METADATA_IPV4, ...METADATA_NAMES, ...OTHERS];
const NO_HTTP = [
  'file:///etc/passwd',
  'gopher://h',
  'ftp://h',
  'http://user:pw@h/',
  'http://h?a=b',
  '//h',
  'unix:/run/s',
];
const PUBLIC = [
  '8.8.8.8',
  '134744072',
  '0x08080808',
  '010.8.8.8',
  '[::ffff:8.8.8.8]',
  '[2606:4700::1]',
  '[64:ff9b::8.8.8.8]',
];

interface Named {
  readonly tracker: StagedTracker;
  /** What the resolver answers from now on. */
  readonly resolveTo: (...addresses: string[]) => void;
  readonly lookups: () => number;
}

/** A tracker whose resolver a test has in hand. */
async function namedTracker(
  env: Record<string, string> = {},
  argv: readonly string[] = [],
  first: readonly string[] = [],
): Promise<Named> {
  let found = first.map(asFound);
  let count = 0;
  const lookup: HostLookup = (_hostname, _options, done) => {
    count += 1;
    setImmediate(done, null, found);
  };
  const tracker = await stage.tracker({ env, argv, parts: { lookup } });
  return {
    tracker,
    lookups: () => count,
    resolveTo: (...addresses) => (found = addresses.map(asFound)),
  };
}

function asFound(address: string): FoundAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}

describe('B75: an endpoint that reaches inside', () => {
  it('is refused when it is registered, in every spelling, whatever networks are allowed', async () => {
    const { api } = await stage.tracker({
      env: { MESHNET_NODE_NETWORKS: '0.0.0.0/0,::/0,loopback,private,public' },
      parts: { clock: new HastyClock() },
    });
    expect(ALWAYS.length).toBeGreaterThan(60);
    for (const endpoint of [...ALWAYS.map((host) => `http://${host}:80/x`), ...NO_HTTP]) {
      const reply = await api.ask('POST', '/v1/nodes', { wallet: 'w', endpoint, model: 'm' });
      expect([endpoint, reply.status, errorOf(reply).param]).toEqual([endpoint, 400, 'endpoint']);
      expect(errorOf(reply).message).not.toMatch(/169|254|passwd|pw@/);
    }
    expect(await api.nodes()).toEqual([]);
  });

  it('is refused where it is public and no node needs a token, in every spelling', async () => {
    const { api } = await stage.tracker();
    for (const host of PUBLIC) {
      const reply = await api.ask('POST', '/v1/nodes', {
        wallet: 'w',
        endpoint: `http://${host}`,
        model: 'm',
      });
      expect([host, reply.status, errorOf(reply).param]).toEqual([host, 400, 'endpoint']);
      expect(errorOf(reply).message).toContain('MESHNET_NODE_NETWORKS');
    }
  });

  it('is refused when the name leads elsewhere than before, and another node serves the call', async () => {
    const { tracker, resolveTo } = await namedTracker({ MESHNET_ROUTE_EXPLORE_SHARE: '0' });
    const { api } = tracker;
    const rebound = await stage.head((response, chat) =>
      sendChat(response.setHeader('connection', 'close'), chat),
    );
    const good = await stage.head();
    await api.register({
      ...{ wallet: 'rebound', endpoint: `http://gpu.example:${String(rebound.port)}`, model: 'm' },
      throughput_tps: 100,
    });
    resolveTo('127.0.0.1');
    expect((await api.chat({ model: 'm' })).status).toBe(200);
    expect(rebound.chats).toHaveLength(1);

    await api.register({ wallet: 'good', endpoint: good.url, model: 'm', throughput_tps: 1 });
    for (const address of ['169.254.169.254', '8.8.8.8', '::ffff:169.254.169.254', 'fe80::1%lo']) {
      resolveTo(address);
      const pinned = await api.chat({ model: 'm', route: ['rebound:all'] });
      expect([pinned.status, errorOf(pinned).code]).toEqual([502, 'endpoint_refused']);
      expect(errorOf(pinned).message).toContain('rebound:all');
      expect(errorOf(pinned).message).not.toMatch(/169|254|8\.8|example|fe80/);
      expect((await api.callOf(pinned)).attempts[0]).toMatchObject({
        outcome: 'failed',
        cause: 'endpoint_refused',
      });
      expect((await api.chat({ model: 'm' })).status).toBe(200);
    }
    expect(rebound.chats).toHaveLength(1);
    expect((await api.node('rebound:all')).reputation).toBeLessThan(1);
  });

  it('is connected to by the very address that was judged: one lookup, no second', async () => {
    const { tracker, resolveTo, lookups } = await namedTracker();
    const head = await stage.head();
    const endpoint = `http://gpu.example:${String(head.port)}`;
    await tracker.api.register({ wallet: 'w', endpoint, model: 'm' });
    expect(lookups()).toBe(0);
    resolveTo('169.254.169.254', '127.0.0.1');
    for (let chat = 0; chat < 3; chat += 1) expect((await tracker.api.chat({ model: 'm' })).status).toBe(200);
    expect(lookups()).toBe(1);
    expect(head.last.headers.host).toBe(`gpu.example:${String(head.port)}`);
  });

  it('has no socket opened to where its name leads', async () => {
    const { tracker, resolveTo } = await namedTracker({ MESHNET_NODE_NETWORKS: '10.0.0.0/8' });
    const inside = await stage.rawHead(() => undefined);
    const endpoint = `http://gpu.example:${String(inside.port)}`;
    await tracker.api.register({ wallet: 'w', endpoint, model: 'm' });
    resolveTo('127.0.0.1', '::1');
    const reply = await tracker.api.chat({ model: 'm' });
    expect([reply.status, errorOf(reply).code]).toEqual([502, 'endpoint_refused']);
    expect(inside.connections).toBe(0);
  });

  it('may be outside of the networks for nodes where an operator listed it, but never forbidden', async () => {
    const head = await stage.head((response) => sendJson(response, 200, { data: [{ id: 'm' }] }));
    const listed = async (...addresses: string[]): Promise<StagedTracker> => {
      const argv = ['--node', `http://gpu.example:${String(head.port)}`];
      const named = await namedTracker({ MESHNET_NODE_NETWORKS: '10.0.0.0/8' }, argv, addresses);
      return named.tracker;
    };
    const { api } = await listed('127.0.0.1');
    expect(await api.nodes()).toMatchObject([{ model: 'm', probe: 'ok' }]);
    head.answer(sendChat);
    expect((await api.chat({ model: 'm' })).status).toBe(200);
    expect(await (await listed('169.254.169.254')).api.nodes()).toEqual([]);
  });

  it.each(['169.254.169.254', '[fe80::1]', 'metadata.google.internal'])('is no --node: %s', (host) => {
    expect(readSettings({ argv: ['--node', `http://${host}`], env: {} }).kind).toBe('faults');
  });
});

describe('B75: a head that points elsewhere', () => {
  it('is not followed', async () => {
    const { api } = await stage.tracker();
    const inside = await stage.head();
    const head = await stage.head((response) =>
      response.writeHead(307, { location: `${inside.url}/v1/chat/completions` }).end(),
    );
    await api.register({ wallet: 'w', endpoint: head.url, model: 'm' });
    expect((await api.chat({ model: 'm' })).status).toBeGreaterThanOrEqual(400);
    expect(inside.chats).toEqual([]);
  });
});

describe('B75: proxies of the environment', () => {
  const program = new Program();
  afterAll(() => program.remove());

  it('are not asked, neither by probes nor by chats', async () => {
    const proxy = await stage.rawHead((socket) => socket.destroy());
    const head = await stage.head((response, chat) =>
      chat.method === 'GET' ? sendJson(response, 200, { data: [{ id: 'm' }] }) : sendChat(response, chat),
    );
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
    const env = Object.fromEntries(names.map((name) => [name, proxy.url]));
    const run = program.start(['--port', '0', '--node', head.url], { ...env, NODE_USE_ENV_PROXY: '1' });
    const api = new TrackerApi(await run.url());
    await eventually(async () => expect(await api.nodes()).toHaveLength(1));
    expect((await api.chat({ model: 'm' })).status).toBe(200);
    expect(proxy.connections).toBe(0);
  });
});
