import type { IncomingHttpHeaders } from 'node:http';

/** May stand once only: of several the first counts, as it does in node:http. */
const SINGLE: ReadonlySet<string> = new Set([
  'age',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'server',
]);

/** As undici gives them. */
export type HeadHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A head's headers as node:http would give them. undici makes a list of whatever was sent more than once. */
export function asIncoming(headers: HeadHeaders): IncomingHttpHeaders {
  for (const name in headers) if (Array.isArray(headers[name])) return withoutLists(headers);
  return headers;
}

function withoutLists(headers: HeadHeaders): IncomingHttpHeaders {
  const read: IncomingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!Array.isArray(value) || name === 'set-cookie') read[name] = value;
    else read[name] = SINGLE.has(name) ? value[0] : value.join(', ');
  }
  return read;
}
