import { describe, expect, it } from '@jest/globals';
import { InvalidRequestError, normaliseEndpoint, type FoundAddress } from '../kernel/index.js';
import { NodeNetworkSettings, readSettings } from '../settings/index.js';
import { EndpointRefused, NodeNetworksService, type EndpointOwner } from './index.js';

function networksOf(
  env: Record<string, string> = {},
  resolve: (hostname: string) => string[] | Error = () => [],
): NodeNetworksService {
  const reading = readSettings({ argv: [], env });
  const settings = reading.kind === 'run' ? reading.settings.nodeNetworks : new NodeNetworkSettings();
  return new NodeNetworksService(settings, (hostname, _options, found) => {
    const answer = resolve(hostname);
    if (answer instanceof Error) found(answer, []);
    else
      found(
        null,
        answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  });
}

function faultOf(networks: NodeNetworksService, endpoint: string): string | null {
  try {
    networks.checkRegistered(normaliseEndpoint(endpoint));
    return null;
  } catch (fault) {
    if (fault instanceof InvalidRequestError) return fault.message;
    throw fault;
  }
}

/** What a socket would be told that asks for all addresses, as those of Node do, or for one. */
function lookedUp(networks: NodeNetworksService, owner: EndpointOwner, all: boolean): Promise<unknown> {
  return new Promise((resolve) => {
    networks.lookup(() => owner)('h', { all }, (fault, found: string | readonly FoundAddress[]) => {
      resolve(fault ?? found);
    });
  });
}

describe('an endpoint that a node registers', () => {
  it.each([
    ['http://127.0.0.1:9', ''],
    ['http://10.0.0.7', ''],
    ['http://[fd12::7]:9', ''],
    ['http://100.64.1.1', ''],
    ['http://gpu.example:9', ''],
    ['http://8.8.8.8', 'public'],
    ['http://[2606:4700::1]', 'public'],
    ['http://[::ffff:8.8.8.8]', 'public'],
  ])('by default: %s', (endpoint, refused) => {
    expect(faultOf(networksOf(), endpoint)).toEqual(refused === '' ? null : expect.stringContaining(refused));
  });

  it('may be public where nodes have tokens', () => {
    expect(
      faultOf(networksOf({ MESHNET_NODE_TOKENS: 'lab=a-token-for-the-lab' }), 'http://8.8.8.8'),
    ).toBeNull();
  });

  it('is where the setting says, and nowhere else', () => {
    const networks = networksOf({
      MESHNET_NODE_NETWORKS: '10.1.0.0/16,2606:4700::/32',
      MESHNET_NODE_TOKENS: 'lab=a-token-for-the-lab',
    });
    for (const allowed of ['http://10.1.2.3', 'http://[::ffff:10.1.2.3]', 'http://[2606:4700::9]']) {
      expect(faultOf(networks, allowed)).toBeNull();
    }
    for (const other of [
      'http://10.2.0.1',
      'http://127.0.0.1',
      'http://localhost:9',
      'http://a.localhost',
      'http://8.8.8.8',
      'http://[::1]',
    ]) {
      expect(faultOf(networks, other)).toContain('MESHNET_NODE_NETWORKS');
    }
  });

  it('is nowhere that is forbidden, whatever the setting says', () => {
    const networks = networksOf({ MESHNET_NODE_NETWORKS: '0.0.0.0/0,::/0,public,private,loopback' });
    for (const address of ['169.254.169.254', '[fe80::1]', '[::ffff:169.254.169.254]', '[fd00:ec2::254]']) {
      expect(networks.mayConnect(address, 'node')).toBe(false);
      expect(networks.mayConnect(address, 'operator')).toBe(false);
    }
  });
});

describe('a name that is connected to', () => {
  const MIXED = ['169.254.169.254', '8.8.8.8', '10.0.0.7', '::1'];

  it('is given the addresses that are allowed, in their order', async () => {
    const networks = networksOf({}, () => MIXED);
    expect(await lookedUp(networks, 'node', true)).toEqual([
      { address: '10.0.0.7', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(await lookedUp(networks, 'node', false)).toBe('10.0.0.7');
    expect(await lookedUp(networks, 'operator', false)).toBe('8.8.8.8');
  });

  it('is refused when there are none, without naming them', async () => {
    for (const found of [['169.254.169.254'], ['8.8.8.8'], ['fe80::1%eth0'], []]) {
      const fault = await lookedUp(
        networksOf({}, () => found),
        'node',
        true,
      );
      expect(fault).toBeInstanceOf(EndpointRefused);
      expect(String(fault)).not.toMatch(/\d/);
    }
  });

  it('is not found where it is not found', async () => {
    const fault = Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    expect(
      await lookedUp(
        networksOf({}, () => fault),
        'node',
        true,
      ),
    ).toBe(fault);
  });

  it('is judged by itself where clouds gave it', () => {
    expect(networksOf().mayConnect('Metadata.Google.Internal', 'operator')).toBe(false);
    expect(networksOf().mayConnect('gpu.example', 'node')).toBe(true);
  });
});
