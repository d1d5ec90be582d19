import { plainAddress } from '../kernel/index.js';

const GROUPS = 8;

/**
 * Whom an address is counted for: itself if it is IPv4, its /64 if it is IPv6, of which one host has all addresses.
 *
 * @param address as a socket spells it; a socket that is gone has none
 */
export function sourceNetworkOf(address: string | undefined): string {
  // A dual-stack socket spells IPv4 as IPv6; a zone tells nothing of who it is.
  const plain = plainAddress((address ?? '').replace(/%.*$/, ''));
  if (!plain.includes(':')) return plain;
  const [first = '', last = ''] = plain.split('::');
  const groups = groupsIn(first);
  const zeros = Math.max(0, GROUPS - groups.length - groupsIn(last).length);
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...groupsIn(last)];
  return `${all.slice(0, 4).join(':')}::/64`;
}

function groupsIn(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
