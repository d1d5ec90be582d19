import { isIP } from 'node:net';

/**
 * A page in a browser can make its own name lead to 127.0.0.1 and then read what a tracker there answers; the name still
 * stands in `Host`. Addresses are no names, and nobody owns a name without a dot, or one below localhost.
 *
 * @param allowed names, or `*.example` for all below example
 */
export function isHostAllowed(host: string, allowed: readonly string[]): boolean {
  const name = nameOf(host);
  if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')) return true;
  // With a dot behind it a single word is a top-level domain, which somebody does own.
  if (/^[\w-]*$/.test(name) && !isAbsolute(host)) return true;
  return allowed.some((rule) => (rule.startsWith('*.') ? name.endsWith(rule.slice(1)) : name === rule));
}

function isAbsolute(host: string): boolean {
  return /\.(:\d*)?$/.test(host);
}

function nameOf(host: string): string {
  const lower = host.toLowerCase();
  const [, ipv6] = /^\[([^\]]*)\](?::\d*)?$/.exec(lower) ?? [];
  if (ipv6 !== undefined) return ipv6;
  return lower.replace(/:\d*$/, '').replace(/\.$/, '');
}
