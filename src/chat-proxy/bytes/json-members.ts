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
  const members: JsonMember[] = [];
  const isWhole = eachMember(buf.toString('latin1'), (start, keyEnd, valueStart, end) => {
    const key = keyText(buf.toString('utf8', start, keyEnd));
    if (key === null) return false;
    members.push({ key, start, end, valueStart, valueEnd: end });
    return true;
  });
  return isWhole ? members : null;
}

/**
 * The first of `names` that two top-level members have; null if none. No object is made for a member.
 *
 * @param bytes JSON that holds an object, each byte as one character
 * @param names in ASCII
 */
export function repeatedMember<T extends string>(bytes: string, names: readonly T[]): T | null {
  let seen = 0;
  let repeated = 0;
  eachMember(bytes, (start, keyEnd) => {
    const key = keyText(bytes.slice(start, keyEnd));
    for (let at = 0; at < names.length; at += 1) {
      if (key !== names[at]) continue;
      repeated |= seen & (1 << at);
      seen |= 1 << at;
    }
    return true;
  });
  return repeated === 0 ? null : (names.find((_, at) => (repeated & (1 << at)) !== 0) ?? null);
}

/** @returns whether to go on */
type OnMember = (start: number, keyEnd: number, valueStart: number, end: number) => boolean;

/**
 * Bytes as characters: to look at them costs the same, and to search in them no way out of the engine.
 *
 * @returns whether all of it is one complete object
 */
function eachMember(bytes: string, onMember: OnMember): boolean {
  const open = skipBlanks(bytes, 0);
  if (bytes.charCodeAt(open) !== OPEN_BRACE) return false;
  let at = skipBlanks(bytes, open + 1);
  if (bytes.charCodeAt(at) !== CLOSE_BRACE) {
    for (;;) {
      const end = member(bytes, at, onMember);
      if (end === NOWHERE) return false;
      at = skipBlanks(bytes, end);
      if (bytes.charCodeAt(at) !== COMMA) break;
      at = skipBlanks(bytes, at + 1);
    }
  }
  if (bytes.charCodeAt(at) !== CLOSE_BRACE) return false;
  return skipBlanks(bytes, at + 1) === bytes.length;
}

/** @returns where it ends */
function member(bytes: string, start: number, onMember: OnMember): number {
  if (bytes.charCodeAt(start) !== QUOTE) return NOWHERE;
  const keyEnd = endOfString(bytes, start);
  if (keyEnd === NOWHERE) return NOWHERE;
  const colon = skipBlanks(bytes, keyEnd);
  if (bytes.charCodeAt(colon) !== COLON) return NOWHERE;
  const valueStart = skipBlanks(bytes, colon + 1);
  const end = endOfValue(bytes, valueStart);
  return end !== NOWHERE && onMember(start, keyEnd, valueStart, end) ? end : NOWHERE;
}

function skipBlanks(bytes: string, at: number): number {
  let here = at;
  while (isBlank(bytes.charCodeAt(here))) here++;
  return here;
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
function endOfString(bytes: string, open: number): number {
  let quote = open;
  for (;;) {
    const from = quote + 1;
    quote = bytes.indexOf('"', from);
    if (quote === NOWHERE) return NOWHERE;
    let slash = quote;
    while (slash > from && bytes.charCodeAt(slash - 1) === BACKSLASH) slash--;
    if ((quote - slash) % 2 === 0) return quote + 1;
  }
}

function endOfValue(bytes: string, start: number): number {
  const first = bytes.charCodeAt(start);
  if (first === QUOTE) return endOfString(bytes, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNest(bytes, start);
  let at = start;
  while (at < bytes.length && !endsScalar(bytes.charCodeAt(at))) at++;
  return at > start ? at : NOWHERE;
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isBlank(byte);
}

/** Counts depth instead of recursing: a body may hold a million `[`. */
function endOfNest(bytes: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes.charCodeAt(at);
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
      if (at === NOWHERE) return NOWHERE;
      continue;
    }
    at++;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at;
  }
  return NOWHERE;
}
