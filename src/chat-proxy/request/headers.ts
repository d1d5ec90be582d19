import type { IncomingHttpHeaders } from 'node:http';
import type { Route } from '../../candidate-enumeration/index.js';
import { HEADER_NAME, remembered } from '../../kernel/index.js';
import { passedOn, type TraceHeaders } from '../../traces/index.js';
import { tellsOfClient } from './client-headers.js';

/** Headers as node:http takes them; names in lower case. */
export type HeaderMap = Record<string, string | string[]>;

/** What a tracker that finds out a loop calls itself in its answer, so that whoever sent the chat there knows who it was. */
export const TRACKER_HEADER = 'x-meshnet-tracker';

/** Belong to one connection, whoever sends them (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** The relay writes its own, or the head has no business with them: who the client is stays here. */
const NOT_FOR_HEADS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'accept-encoding',
  'expect',
  'cookie',
  'x-request-id',
  'x-meshnet-route',
  TRACKER_HEADER,
  // Where a page in a browser came from: some servers refuse what isn't their own.
  'origin',
  'referer',
  // Passed on by themselves, if at all.
  'traceparent',
  'tracestate',
  'via',
]);
const isForHeads = remembered((name) => !NOT_FOR_HEADS.has(name) && !tellsOfClient(name));

/** Framing and identity of the answer are the tracker's own, and what it passes on is plain, whatever the head says. */
const NOT_FOR_CLIENTS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'content-encoding',
  'content-length',
  'date',
  'server',
  'set-cookie',
  'x-request-id',
  'x-meshnet-route',
  'x-meshnet-route-mode',
  TRACKER_HEADER,
  'x-meshnet-attempts',
  // What browsers may do with the answer, and how much its client may still ask, is the tracker's to say: many servers
  // allow every origin, and llama.cpp gives back the Origin that it was not sent.
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-private-network',
  'access-control-expose-headers',
  'access-control-max-age',
  'vary',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'content-security-policy',
  'content-security-policy-report-only',
  'strict-transport-security',
  'x-content-type-options',
  'clear-site-data',
  'alt-svc',
  'refresh',
  'nel',
  'report-to',
  'reporting-endpoints',
]);
/** Any parser sees to it that a name is a token; but the answer's head is made of them without being asked again. */
const isForClients = remembered((name) => !NOT_FOR_CLIENTS.has(name) && HEADER_NAME.test(name));
/** Of a client's own headers no more are passed on; more than a hundred is no use that anybody knows of. */
const MOST_PASSED_ON = 512;
/** Nor more characters than this, one that is too long for the rest left out: many servers take 8 or 16 KiB in all. */
const MOST_CHARACTERS = 6 * 1024;
/** A colon, a blank and the end of the line. */
const SEPARATORS = 4;

/** What a head is told beside the client's own headers. */
export interface OwnHeaders {
  readonly requestId: string;
  readonly route: Route;
  readonly via: string;
  /** What the node asks of whoever calls it. */
  readonly access: Readonly<Record<string, string>>;
  /** Which span of ours calls the head; null where none does: then the client's own, if it is sound. */
  readonly trace: TraceHeaders | null;
  /** The client's own Authorization, where settings say that it goes on; a node's own key stands over it. */
  readonly forwarded: string | null;
}

/** What a head is sent: the client's end-to-end headers, the request's id, its route, and the node's own key. */
export function headersForHead(
  client: IncomingHttpHeaders,
  { requestId, route, via, access, trace, forwarded }: OwnHeaders,
): HeaderMap {
  const named = connectionNamed(client.connection);
  const headers: HeaderMap = {
    'content-type': 'application/json',
    // A compressed answer could be neither relayed event by event nor read.
    'accept-encoding': 'identity',
    'x-request-id': requestId,
    'x-meshnet-route': routeHeader(route),
    via,
  };
  if (forwarded !== null && named?.has('authorization') !== true) headers.authorization = forwarded;
  let hasAccess = false;
  for (const name in access) {
    headers[name] = access[name] ?? '';
    hasAccess = true;
  }
  if (trace !== null) Object.assign(headers, trace);
  else if (client.traceparent !== undefined) Object.assign(headers, clientTrace(client, named));
  // Servers take so many headers and pass over the rest: ours come first, and the client's can't push them out.
  let room = MOST_PASSED_ON;
  let characters = MOST_CHARACTERS;
  for (const name in client) {
    const value = client[name];
    if (value === undefined || !isForHeads(name) || named?.has(name) === true) continue;
    // None of the others is for heads when a client says it.
    if (hasAccess && Object.hasOwn(headers, name)) continue;
    const length = name.length + value.length + SEPARATORS;
    if (length > characters) continue;
    characters -= length;
    headers[name] = value;
    room -= 1;
    if (room === 0) break;
  }
  return headers;
}

/**
 * What the client's answer begins with: ours, and what of the head's headers reaches the client.
 *
 * @param ours none of them a head's to say
 */
export function headersForClient(head: IncomingHttpHeaders, ours: HeaderMap = {}): HeaderMap {
  const named = connectionNamed(head.connection);
  for (const name in head) {
    const value = head[name];
    if (value === undefined || !isForClients(name) || named?.has(name) === true) continue;
    ours[name] = value;
  }
  return ours;
}

interface RouteLine {
  readonly endpoints: readonly string[];
  readonly line: string;
}

/** A route is used again and again. */
const routeLines = new WeakMap<Route, RouteLine>();

/** One line of JSON in ASCII: the hops, the first being the head itself. */
export function routeHeader(route: Route): string {
  const known = routeLines.get(route);
  if (known !== undefined && isCurrent(known, route)) return known.line;
  const hops = route.hops.map(({ node, startLayer, endLayer }) => ({
    node_id: node.nodeId,
    endpoint: node.endpoint,
    start_layer: startLayer,
    end_layer: endLayer,
  }));
  const line = JSON.stringify({ hops }).replace(/[^\x20-\x7e]/g, escaped);
  routeLines.set(route, { endpoints: hops.map(({ endpoint }) => endpoint), line });
  return line;
}

/** A node may have moved since. */
function isCurrent({ endpoints }: RouteLine, { hops }: Route): boolean {
  for (let at = 0; at < hops.length; at += 1) if (hops[at]?.node.endpoint !== endpoints[at]) return false;
  return true;
}

/** A signature as a header value: UTF-8 bytes outside 0x20–0x7E percent-encoded. */
export function signatureHeader(signature: string): string {
  if (!/[^\x20-\x7e]/.test(signature)) return signature;
  return signature.replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part));
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Headers that a `Connection` header declares to be its connection's own; null where it names none. */
function connectionNamed(connection: string | undefined): ReadonlySet<string> | null {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return null;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

/** The client's own headers of a trace, as far as they are sound. */
function clientTrace(client: IncomingHttpHeaders, named: ReadonlySet<string> | null): TraceHeaders {
  const given = (name: string): unknown => (named?.has(name) === true ? undefined : client[name]);
  return passedOn(given('traceparent'), given('tracestate'));
}
