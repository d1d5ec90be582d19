import { describe, expect, it } from '@jest/globals';
import { sourceNetworkOf } from './source-network.js';

describe('whom an address is counted for', () => {
  it.each([
    ['10.0.0.7', '10.0.0.7'],
    ['::ffff:10.0.0.7', '10.0.0.7'],
    ['2001:4860:1:2:3:4:5:6', '2001:4860:1:2::/64'],
    ['2001:4860:1:2::6', '2001:4860:1:2::/64'],
    ['2001:4860::6', '2001:4860:0:0::/64'],
    ['2001:4860::7:0:0:0:6', '2001:4860:0:7::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    [undefined, ''],
  ])('%s: %s', (address, network) => {
    expect(sourceNetworkOf(address)).toBe(network);
  });
});
