import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isBlank,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipBlanks,
} from './ascii.js';

/**
 * Where one top-level member of a JSON object lies, as byte offsets with exclusive ends: the member is
 * `start..end` (from its key's opening quote), its value `valueStart..valueEnd`, and `end` is `valueEnd`.
 */
export interface JsonMember {
  /** Unescaped: `"mod\u0065l"` is `model`. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** "Not there": the text ends, or is no JSON, before the thing looked for is complete. */
const NOWHERE = -1;

/**
 * The top-level members of the object in `buf`, in their order, repeated keys included; null if the text isn't
 * one complete object. It places members, it doesn't validate: right for whatever `JSON.parse` accepts, and for
 * any other bytes some answer in linear time, without recursion, that never points out of bounds.
 */
export function scanMembers(buf: Buffer): JsonMember[] | null {
  const open = skipBlanks(buf, 0);
  if (buf[open] !== OPEN_BRACE) return null;
  const members: JsonMember[] = [];
  let at = skipBlanks(buf, open + 1);
  if (buf[at] !== CLOSE_BRACE) {
    for (;;) {
      const member = memberAt(buf, at);
      if (member === null) return null;
      members.push(member);
      at = skipBlanks(buf, member.end);
      if (buf[at] !== COMMA) break;
      at = skipBlanks(buf, at + 1);
    }
  }
  if (buf[at] !== CLOSE_BRACE) return null;
  return skipBlanks(buf, at + 1) === buf.length ? members : null;
}

function memberAt(buf: Buffer, start: number): JsonMember | null {
  if (buf[start] !== QUOTE) return null;
  const keyEnd = endOfString(buf, start);
  if (keyEnd === NOWHERE) return null;
  const colon = skipBlanks(buf, keyEnd);
  if (buf[colon] !== COLON) return null;
  const valueStart = skipBlanks(buf, colon + 1);
  const valueEnd = endOfValue(buf, valueStart);
  if (valueEnd === NOWHERE) return null;
  const key = keyText(buf.toString('utf8', start, keyEnd));
  return key === null ? null : { key, start, end: valueEnd, valueStart, valueEnd };
}

/** @param quoted the key with its quotes */
function keyText(quoted: string): string | null {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null;
  }
}

/**
 * A quote closes the string if an even number of backslashes stands before it. Prompts are long and have few
 * quotes, so jumping from quote to quote beats looking at each byte.
 */
function endOfString(buf: Buffer, open: number): number {
  let quote = open;
  for (;;) {
    const from = quote + 1;
    quote = buf.indexOf(QUOTE, from);
    if (quote === NOWHERE) return NOWHERE;
    let slash = quote;
    while (slash > from && buf[slash - 1] === BACKSLASH) slash--;
    if ((quote - slash) % 2 === 0) return quote + 1;
  }
}

function endOfValue(buf: Buffer, start: number): number {
  const first = buf[start];
  if (first === QUOTE) return endOfString(buf, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNest(buf, start);
  let at = start;
  while (at < buf.length && !endsScalar(buf[at])) at++;
  return at > start ? at : NOWHERE;
}

function endsScalar(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isBlank(byte);
}

/** Counts depth instead of recursing: a body may hold a million `[`. */
function endOfNest(buf: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < buf.length) {
    const byte = buf[at];
    if (byte === QUOTE) {
      at = endOfString(buf, at);
      if (at === NOWHERE) return NOWHERE;
      continue;
    }
    at++;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at;
  }
  return NOWHERE;
}
