import { isIPv4 } from 'node:net';

/** Nobody but this machine reaches it there. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'));
}
