/** IPv4 as a dual-stack socket spells it. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;

/**
 * Whom an address is counted for: itself if it is IPv4, its /64 if it is IPv6, of which one host has all addresses.
 *
 * @param address as a socket spells it; a socket that is gone has none
 */
export function sourceNetworkOf(address: string | undefined): string {
  if (address?.includes(':') !== true) return address ?? '';
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [first = '', last = ''] = address.replace(/%.*$/, '').split('::');
  const groups = groupsIn(first);
  const zeros = Math.max(0, GROUPS - groups.length - groupsIn(last).length);
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...groupsIn(last)];
  return `${all.slice(0, 4).join(':')}::/64`;
}

function groupsIn(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
