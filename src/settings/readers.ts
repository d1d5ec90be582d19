import { EndpointFault, HEADER_NAME, normaliseEndpoint } from '../kernel/index.js';

export { readDecimal as readNumber } from '../kernel/index.js';

export function readText(text: string): string {
  return text;
}

/** A name or address to listen on; an IPv6 one may stand in brackets, as in URLs. */
export function readHost(text: string): string {
  return text.replace(/^\[(.*)\]$/, '$1');
}

/** A list of endpoints, normalised; `undefined` when any of them is none. */
export function readEndpoint(text: string): string | undefined {
  try {
    return normaliseEndpoint(text);
  } catch (fault) {
    if (fault instanceof EndpointFault) return undefined;
    throw fault;
  }
}

/** Whitespace and control characters would be dropped silently by the URL parser. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSEEN = /[\u0000-\u0020\u007f]/;

/** The URL of a collector, as it was written; `undefined` when it is none, or would carry a secret in plain sight. */
export function readCollectorUrl(text: string): string | undefined {
  if (UNSEEN.test(text) || !URL.canParse(text) || text.includes('#')) return undefined;
  const { protocol, username, password } = new URL(text);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  return isHttp && username === '' && password === '' ? text : undefined;
}

/** The same where a path is appended. */
export function readCollectorBase(text: string): string | undefined {
  return text.includes('?') ? undefined : readCollectorUrl(text);
}

const HEADER_VALUE = /^[\x20-\x7e]*$/;

/**
 * Headers as OpenTelemetry spells them, in the format of W3C Baggage without properties: `api-key=a%2Cb,x-team=mesh`.
 * `undefined` when one of them can't be read.
 */
export function readHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    if (pair.trim() === '') continue;
    const [, name = '', encoded = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const value = decoded(encoded.trim());
    if (!HEADER_NAME.test(name.trim()) || value === null || !HEADER_VALUE.test(value)) return undefined;
    headers[name.trim().toLowerCase()] = value;
  }
  return headers;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
