import type { IncomingHttpHeaders } from 'node:http';
import { HEADER_NAME, remembered, UNFIT_FOR_A_HEADER, withoutBlanks } from '../../kernel/index.js';

/** The head of a request that everybody reads in the same way. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  /** Names in lower case, without `content-length`. Shared by requests with the same head: not to be changed. */
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** A head that was read, and what has to stand around the length of another request's body for its head to be the same. */
interface KnownHead extends RequestHead {
  readonly before: string;
  readonly after: string;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const REQUEST_LINE = /^(POST|PUT) (\/[!-~]*) HTTP\/1\.1$/;
/** Half of what Node takes; nobody who chats sends as much. */
const MOST_HEAD_BYTES = 8 * 1024;
const MOST_HEADERS = 64;
/** A length of more digits is too long for any chat. */
const MOST_DIGITS = 9;
const LENGTH = 'content-length';

/** What changes how a request is to be read, or what Node would treat in a way of its own. */
const NOT_PLAIN: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'proxy-connection',
  'set-cookie',
  '__proto__',
]);

/** In lower case; empty where a request with such a header is not plain. */
const nameOf = remembered((given) => {
  const name = given.toLowerCase();
  return HEADER_NAME.test(given) && !NOT_PLAIN.has(name) ? name : '';
});

/** The newest head of whatever connection: most clients send all of theirs alike. */
let newest: KnownHead | null = null;

/**
 * Reads the heads of one connection's requests, if they are plain: one piece, HTTP/1.1, a body whose length is told once,
 * no header twice, nothing about the connection but that it stays. Whatever else there is may be sound too, but is not
 * for this reader to judge.
 */
export class HeadReader {
  /** Of what was read last: where the body begins, and its bytes. */
  bodyStart = 0;
  bodyLength = 0;
  private known: KnownHead | null = null;

  /** @returns null where it isn't plain, or not whole */
  read(bytes: Buffer): RequestHead | null {
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0 || end > MOST_HEAD_BYTES) return null;
    const text = bytes.toString('latin1', 0, end);
    this.bodyStart = end + END_OF_HEAD.length;
    if (this.isLike(this.known, text)) return this.known;
    if (!this.isLike(newest, text)) {
      const read = readHead(text);
      if (read === null) return null;
      newest = read;
      this.bodyLength = numberOf(text, read.before.length, text.length - read.after.length);
    }
    this.known = newest;
    return newest;
  }

  private isLike(known: KnownHead | null, text: string): boolean {
    if (known === null) return false;
    const { before, after } = known;
    const length = numberOf(text, before.length, text.length - after.length);
    if (length < 0 || !text.startsWith(before) || !text.endsWith(after)) return false;
    this.bodyLength = length;
    return true;
  }
}

/** @returns null where it isn't plain */
function readHead(text: string): KnownHead | null {
  const firstEnd = endOfLine(text, 0);
  const [, method, url] = REQUEST_LINE.exec(text.slice(0, firstEnd)) ?? [];
  if (method === undefined || url === undefined) return null;
  const headers: IncomingHttpHeaders = {};
  const rawHeaders: string[] = [];
  let lengthStart = 0;
  let lengthEnd = 0;
  for (let at = firstEnd + 2; at < text.length;) {
    const end = endOfLine(text, at);
    const colon = text.indexOf(':', at);
    if (colon < 0 || colon > end || rawHeaders.length >= 2 * MOST_HEADERS) return null;
    const given = text.slice(at, colon);
    const name = nameOf(given);
    const value = withoutBlanks(text, colon + 1, end);
    if (name === '' || headers[name] !== undefined || UNFIT_FOR_A_HEADER.test(value)) return null;
    if (name === LENGTH) {
      if (lengthStart > 0) return null;
      // Of the blanks that may stand around a value, others take fewer here.
      lengthStart = text.charAt(colon + 1) === ' ' ? colon + 2 : colon + 1;
      lengthEnd = end;
    } else {
      headers[name] = value;
      rawHeaders.push(given, value);
    }
    at = end + 2;
  }
  if (numberOf(text, lengthStart, lengthEnd) < 0 || !staysOpen(headers.connection)) return null;
  return {
    method,
    url,
    headers,
    rawHeaders,
    before: text.slice(0, lengthStart),
    after: text.slice(lengthEnd),
  };
}

function staysOpen(connection: string | undefined): boolean {
  return connection === undefined || connection.toLowerCase() === 'keep-alive';
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\r\n', from);
  return end < 0 ? text.length : end;
}

/** -1 where it isn't digits and nothing else, or too many of them. */
function numberOf(text: string, start: number, end: number): number {
  if (end <= start || end > start + MOST_DIGITS) return -1;
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = 10 * number + digit;
  }
  return number;
}
