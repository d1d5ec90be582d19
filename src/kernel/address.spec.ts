import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { classOf, isMetadataName, literalAddress, plainAddress, type AddressClass } from './index.js';

const CLASSES: Readonly<Record<AddressClass, readonly string[]>> = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  private: [
    ...['10.0.0.7', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '100.127.255.254'],
    ...['198.18.0.1', 'fc00::1', 'fd12:3456::7', '::ffff:10.0.0.7', '::ffff:c0a8:101'],
  ],
  public: [
    ...['8.8.8.8', '172.32.0.1', '100.63.0.1', '100.128.0.1', '192.0.1.1', '223.255.255.255'],
    ...['2606:4700::1', '2a00:1450::7', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'],
  ],
  forbidden: [
    ...['0.0.0.0', '0.1.2.3', '169.254.0.1', '169.254.169.254', '169.254.170.2', '100.100.100.200'],
    ...['168.63.129.16', '192.0.0.192', '192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::ffff:169.254.169.254',
      '::ffff:a9fe:a9fe',
      '::ffff:0.0.0.0',
      '::169.254.169.254',
      '::7f00:1',
    ],
    ...['::ffff:0:169.254.169.254', '64:ff9b::169.254.169.254', '64:ff9b::10.0.0.1', '64:ff9b::127.0.0.1'],
    ...[
      '64:ff9b:1::1',
      '2002:a9fe:a9fe::1',
      '2002:808:808::1',
      '2001::1',
      '2001:db8::1',
      '3fff::1',
      '100::1',
    ],
    ...['fe80::1', 'fe80::a9fe:a9fe', 'febf::1', 'fec0::1', 'ff02::1', 'fd00:ec2::254', 'fd20:ce::254'],
    ...['fd00:c1::a9fe:a9fe', 'fd00:42::42', 'fe80::1%eth0', '::1%lo', '4000::1', '5f00::1'],
    ...['', 'h', '127.1', '0x7f.0.0.1', '2130706433', '[::1]', '127.0.0.1/8'],
  ],
};

describe('the class of an address', () => {
  it.each(Object.entries(CLASSES).flatMap(([kind, list]) => list.map((address) => [address, kind])))(
    '%s is %s',
    (address, kind) => {
      expect(classOf(address)).toBe(kind);
    },
  );

  it('does not depend on how an IPv4 address is written', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const kind = classOf(address);
        expect(classOf(`::ffff:${address}`)).toBe(kind);
        expect(plainAddress(`::ffff:${address}`)).toBe(address);
        expect(classOf(`64:ff9b::${address}`)).toBe(kind === 'public' ? 'public' : 'forbidden');
      }),
    );
  });

  it('is known of whatever the URL parser makes of IPv6', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const { hostname } = new URL(`http://[${address}]`);
        expect(classOf(literalAddress(hostname) ?? 'none')).toBe(classOf(address));
      }),
    );
  });
});

describe('names of metadata', () => {
  it.each([
    'metadata.google.internal',
    'metadata',
    'metadata.',
    'metadata.goog',
    'instance-data',
    'a.metadata.goog.',
  ])('%s is one', (name) => {
    expect(isMetadataName(name)).toBe(true);
  });

  it.each(['metadata.example.com', 'gpu.internal', 'mymetadata', 'google.internal', ''])(
    '%j is none',
    (name) => {
      expect(isMetadataName(name)).toBe(false);
    },
  );
});
