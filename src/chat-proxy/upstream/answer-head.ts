import type { IncomingHttpHeaders } from 'node:http';
import { HEADER_NAME, remembered, UNFIT_FOR_A_HEADER, withoutBlanks } from '../../kernel/index.js';
import { HeadFault } from './head-fault.js';

/** How the end of an answer's body is known (RFC 9112, 6.3). */
export type BodyFraming =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  /** Whatever comes until the connection ends. */
  | { readonly kind: 'until_close' };

/** Status line and header lines of one answer. */
export interface AnswerHead {
  readonly status: number;
  /** As node:http would give them: names in lower case, one text each. */
  readonly headers: IncomingHttpHeaders;
  readonly framing: BodyFraming;
  /** Whether another request may follow on the connection. */
  readonly keepsAlive: boolean;
  /** How long an idle connection is kept, in s, as the head says (`Keep-Alive: timeout=5`); null where it doesn't. */
  readonly idleSeconds: number | null;
}

/** In lower case; empty where it is none. */
const nameOf = remembered((given) => (HEADER_NAME.test(given) ? given.toLowerCase() : ''));
const DIGITS = /^0*\d{1,15}$/;
const IDLE_SECONDS = /(?:^|[,\s])timeout\s*=\s*(\d{1,9})/i;
const EMPTY: BodyFraming = { kind: 'length', length: 0 };
const CHUNKED: BodyFraming = { kind: 'chunked' };
const UNTIL_CLOSE: BodyFraming = { kind: 'until_close' };

/** May stand once only: of several the first counts, as it does in node:http. */
const SINGLE: ReadonlySet<string> = new Set([
  'age',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'server',
]);

/**
 * Reads the head of an answer to a POST. Stricter than the Internet, as llhttp is: nothing that two readers could take
 * for two different things.
 *
 * @param text latin1, without the empty line that ends it
 * @throws HeadFault `invalid_http`
 */
export function readAnswerHead(text: string): AnswerHead {
  const firstEnd = endOfLine(text, 0);
  const status = statusOf(text, firstEnd);
  const headers: IncomingHttpHeaders = {};
  for (let at = firstEnd + 2; at < text.length;) {
    const end = endOfLine(text, at);
    readLine(text, at, end, headers);
    at = end + 2;
  }
  const framing = framingOf(status, headers);
  const isOld = text.charAt(7) === '0';
  return {
    status,
    headers,
    framing,
    keepsAlive: framing.kind !== 'until_close' && isKeptAlive(headers.connection, isOld),
    idleSeconds: idleSecondsOf(headers['keep-alive']),
  };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\r\n', from);
  return end < 0 ? text.length : end;
}

/** `HTTP/1.1 200 OK`, with or without a reason. */
function statusOf(text: string, end: number): number {
  const version = text.charAt(7);
  const isKnown =
    text.startsWith('HTTP/1.') && (version === '1' || version === '0') && text.charAt(8) === ' ';
  const status = numberAt(text, 9);
  const isWhole = end === 12 || text.charAt(12) === ' ';
  if (!isKnown || !isWhole || !(status >= 100) || UNFIT_FOR_A_HEADER.test(text.slice(12, end))) {
    throw new HeadFault('invalid_http');
  }
  return status;
}

/** Three digits; NaN where there are none. */
function numberAt(text: string, at: number): number {
  return digitAt(text, at) * 100 + digitAt(text, at + 1) * 10 + digitAt(text, at + 2);
}

function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : NaN;
}

function readLine(text: string, start: number, end: number, headers: IncomingHttpHeaders): void {
  const colon = text.indexOf(':', start);
  if (colon <= start || colon >= end) throw new HeadFault('invalid_http');
  const name = nameOf(text.slice(start, colon));
  const value = withoutBlanks(text, colon + 1, end);
  if (name === '' || UNFIT_FOR_A_HEADER.test(value)) throw new HeadFault('invalid_http');
  const known = headers[name];
  if (name === 'set-cookie') (headers['set-cookie'] ??= []).push(value);
  else if (typeof known !== 'string') headers[name] = value;
  // Two lengths are two answers to somebody.
  else if (name === 'content-length') throw new HeadFault('invalid_http');
  else if (!SINGLE.has(name)) headers[name] = `${known}, ${value}`;
}

function framingOf(status: number, headers: IncomingHttpHeaders): BodyFraming {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  const isChunked = coding !== undefined && isInChunks(coding);
  if (length !== undefined && (isChunked || !DIGITS.test(length))) throw new HeadFault('invalid_http');
  if (status < 200 || status === 204 || status === 304) return EMPTY;
  if (isChunked) return CHUNKED;
  return length === undefined ? UNTIL_CLOSE : { kind: 'length', length: Number(length) };
}

/** Proxies in between say it twice, some of them; it is done once all the same. */
function isInChunks(coding: string): boolean {
  if (coding === 'chunked') return true;
  const codings = coding
    .toLowerCase()
    .split(',')
    .map((each) => each.trim());
  const told = codings.filter((each) => each !== '' && each !== 'identity');
  if (told.some((each) => each !== 'chunked')) throw new HeadFault('invalid_http');
  return told.length > 0;
}

function isKeptAlive(connection: string | undefined, isOld: boolean): boolean {
  if (connection === undefined) return !isOld;
  const options = connection.toLowerCase().split(',');
  const has = (option: string): boolean => options.some((each) => each.trim() === option);
  return !has('close') && (!isOld || has('keep-alive'));
}

function idleSecondsOf(keepAlive: unknown): number | null {
  if (typeof keepAlive !== 'string') return null;
  const told = IDLE_SECONDS.exec(keepAlive)?.[1];
  return told === undefined ? null : Number(told);
}
