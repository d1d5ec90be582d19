import { BlockList } from 'node:net';
import { classOf, familyOf, isMetadataName, literalAddress, plainAddress } from './address.js';

/** Why an address can't be a node's endpoint. Never repeats the address: it may carry a password. */
export class EndpointFault extends Error {}

/** "Any address" is where a server listens, never where one can call it. */
const UNSPECIFIED = new BlockList();
UNSPECIFIED.addAddress('0.0.0.0', 'ipv4');
UNSPECIFIED.addAddress('::', 'ipv6');

const FORBIDDEN_HOST =
  'must not be a link-local, multicast, reserved or cloud metadata address, whatever MESHNET_NODE_NETWORKS allows';

/** Whitespace and control characters would be dropped silently by the URL parser. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSEEN = /[\u0000-\u0020\u007f]/;

/**
 * One spelling for one server: `http://[::1]:9001/`, `http://h:9001/v1/` and `http://h:9001` lose their
 * trailing slash and `/v1`, a path prefix stays (`http://h/vllm/v1` is `http://h/vllm`). IPv6, numeric IPv4 and upper
 * case are spelled as the WHATWG URL parser does, IPv4 addresses within IPv6 as IPv4, so that what is forbidden (see address.ts) is so in every spelling.
 *
 * @returns an absolute http(s) URL without trailing slash, query, fragment or credentials
 * @throws EndpointFault saying what is wrong, without the address
 */
export function normaliseEndpoint(text: string): string {
  if (UNSEEN.test(text)) throw new EndpointFault('must not contain blanks or control characters');
  if (!URL.canParse(text)) throw new EndpointFault('must be an absolute URL such as http://10.0.0.7:8000');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EndpointFault('must start with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw new EndpointFault('must not contain user:password@');
  }
  if (text.includes('?')) throw new EndpointFault('must not contain a query');
  if (text.includes('#')) throw new EndpointFault('must not contain a fragment');
  if (url.port === '0') throw new EndpointFault('must not have port 0');
  if (isUnspecified(url.hostname)) {
    throw new EndpointFault('must be an address that can be called, not 0.0.0.0 or [::]');
  }
  if (isForbidden(url.hostname)) throw new EndpointFault(FORBIDDEN_HOST);
  const plain = plainHost(url.hostname);
  if (plain !== null) url.hostname = plain;
  return url.origin + trimPath(url.pathname);
}

/** One that spells an IPv4 address the IPv6 way, as the address; null: as it is. */
function plainHost(hostname: string): string | null {
  const address = literalAddress(hostname);
  return address === null || familyOf(address) === familyOf(plainAddress(address))
    ? null
    : plainAddress(address);
}

function trimPath(pathname: string): string {
  const trimmed = pathname
    .replace(/%[0-9a-f]{2}/gi, unreserved)
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  return trimmed === '/v1' ? '' : trimmed.replace(/\/v1$/, '');
}

/** Letters and digits need no percent signs; with them the same path would be another one (RFC 3986, 6.2.2.2). */
function unreserved(encoded: string): string {
  const letter = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /[\w.~-]/.test(letter) && letter !== '.' ? letter : encoded.toUpperCase();
}

function isUnspecified(hostname: string): boolean {
  const address = literalAddress(hostname);
  return address !== null && UNSPECIFIED.check(address, familyOf(address));
}

function isForbidden(hostname: string): boolean {
  const address = literalAddress(hostname);
  return address === null ? isMetadataName(hostname) : classOf(address) === 'forbidden';
}
