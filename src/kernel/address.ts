import { BlockList, isIP } from 'node:net';

/**
 * What an IP address is to those who would connect to it. `forbidden`: never a node's, whatever an operator allows, since
 * what answers there is this very network's own (link-local and cloud metadata), everybody (multicast, broadcast) or
 * nobody (unspecified, reserved, documentation, and ways to write an IPv4 address that hide it).
 */
export type AddressClass = 'loopback' | 'private' | 'public' | 'forbidden';

type Range = readonly [address: string, prefix: number];

/** IANA's special-purpose registries (RFC 6890) and the addresses at which clouds answer what they know of a machine. */
const FORBIDDEN = rangesOf([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  // Teredo and its neighbours, documentation, 6to4, segment routing.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  // Metadata of AWS, Google, Oracle and Scaleway, within what is private otherwise.
  ['fd00:ec2::', 32],
  ['fd20:ce::', 64],
  ['fd00:c1::', 64],
  ['fd00:42::', 64],
]);
const LOOPBACK = rangesOf([
  ['127.0.0.0', 8],
  ['::1', 128],
]);
/** RFC 1918, shared (carriers and overlay networks), benchmarking, unique local. */
const PRIVATE = rangesOf([
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['198.18.0.0', 15],
  ['fc00::', 7],
]);
/** All that is handed out to networks; outside of it nothing of IPv6 is a host that can be called. */
const GLOBAL_IPV6 = rangesOf([['2000::', 3]]);

const MAPPED = rangesOf([['::ffff:0:0', 96]]);
const TRANSLATED = rangesOf([['64:ff9b::', 96]]);

function rangesOf(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, familyOf(address));
  return list;
}

/** @param address of either family, valid */
export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** An IPv4 address written as an IPv6 one (`::ffff:10.0.0.7`) as itself, anything else as it is. */
export function plainAddress(address: string): string {
  return familyOf(address) === 'ipv6' && MAPPED.check(address, 'ipv6') ? lastFourBytes(address) : address;
}

/** @param address as sockets and resolvers spell it: no brackets, IPv4 in four decimal parts */
export function classOf(address: string): AddressClass {
  // A zone stands behind a link-local address only.
  if (isIP(address) === 0 || address.includes('%')) return 'forbidden';
  const plain = plainAddress(address);
  const family = familyOf(plain);
  // A gateway that translates IPv6 to IPv4 leads out of the network, not back into it.
  if (family === 'ipv6' && TRANSLATED.check(plain, family)) {
    return classOf(lastFourBytes(plain)) === 'public' ? 'public' : 'forbidden';
  }
  if (FORBIDDEN.check(plain, family)) return 'forbidden';
  if (LOOPBACK.check(plain, family)) return 'loopback';
  if (PRIVATE.check(plain, family)) return 'private';
  return family === 'ipv4' || GLOBAL_IPV6.check(plain, family) ? 'public' : 'forbidden';
}

/** The IPv4 address in the last two groups of an IPv6 one. */
function lastFourBytes(address: string): string {
  const { hostname } = new URL(`http://[${address}]`);
  const groups = hostname.slice(1, -1).split(':').slice(-2);
  const [high = 0, low = 0] = groups.map((group) => (group === '' ? 0 : Number.parseInt(group, 16)));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** Names that clouds give to what they tell a machine of itself; they and all below them are no nodes'. */
const METADATA_NAMES: readonly string[] = [
  'metadata',
  'metadata.internal',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.azure.com',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
  'instance-data',
  'instance-data.ec2.internal',
  'rancher-metadata',
];

/** @param hostname in lower case, as the URL parser spells it */
export function isMetadataName(hostname: string): boolean {
  const name = hostname.replace(/\.+$/, '');
  return METADATA_NAMES.some((known) => name === known || name.endsWith(`.${known}`));
}

/** The address that a URL's host is, or null where it is a name. */
export function literalAddress(hostname: string): string | null {
  const address = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(address) === 0 ? null : address;
}
