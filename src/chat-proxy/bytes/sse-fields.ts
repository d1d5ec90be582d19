import { COLON, CR, LF, SPACE } from './ascii.js';

/** What one event says. Of the standard's four fields only two concern a relay; `id` and `retry` pass by. */
export interface SseFields {
  /** The data lines joined with LF; null if there is none (an event of comments). Not null but empty for `data:`. */
  readonly data: Buffer | null;
  /** The event's name, null if not given. */
  readonly event: string | null;
  /** The value of a field `error`, which the standard does not have and some engines write; null if not given. */
  readonly error: string | null;
}

export const NO_FIELDS: SseFields = { data: null, event: null, error: null };

const NEWLINE = Buffer.from('\n');
const NO_FIELD = -1;

/**
 * The first CR or LF at or after an offset, or `bytes.length`.
 *
 * @param hasCr whether there is any CR: nearly all servers end their lines in LF alone, and that is looked for many bytes at a time
 */
export function lineEnd(bytes: Buffer, at: number, hasCr: boolean): number {
  return hasCr ? anyLineEnd(bytes, at) : lineFeed(bytes, at);
}

function lineFeed(bytes: Buffer, at: number): number {
  const found = bytes.indexOf(LF, at);
  return found < 0 ? bytes.length : found;
}

function anyLineEnd(bytes: Buffer, at: number): number {
  const length = bytes.length;
  for (let here = at; here < length; here++) {
    const byte = bytes[here];
    if (byte === LF || byte === CR) return here;
  }
  return length;
}

/** Offset behind the line end at `eol`, which is one of LF, CR and CRLF. */
export function afterLineEnd(bytes: Buffer, eol: number): number {
  return bytes[eol] === CR && bytes[eol + 1] === LF ? eol + 2 : eol + 1;
}

/** Offset behind a byte order mark, which the head of a stream may carry. */
export function afterByteOrderMark(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/**
 * Reads the lines of one event from offset `from` on, by the WHATWG rules
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation). One data line,
 * the usual case, is a view of `bytes` and no copy.
 */
export function readFields(bytes: Buffer, from: number): SseFields {
  let data: Buffer | null = null;
  let event: string | null = null;
  let error: string | null = null;
  let more: Buffer[] | null = null;
  const hasCr = bytes.includes(CR);
  for (let at = from; at < bytes.length;) {
    const eol = lineEnd(bytes, at, hasCr);
    const dataStart = valueStart(bytes, at, eol, 'data');
    if (dataStart !== NO_FIELD) {
      const line = bytes.subarray(dataStart, eol);
      if (data === null) data = line;
      else (more ??= [data]).push(NEWLINE, line);
    } else {
      const nameStart = valueStart(bytes, at, eol, 'event');
      if (nameStart !== NO_FIELD) event = bytes.toString('utf8', nameStart, eol);
      const errorStart = valueStart(bytes, at, eol, 'error');
      if (errorStart !== NO_FIELD) error ??= bytes.toString('utf8', errorStart, eol);
    }
    at = afterLineEnd(bytes, eol);
  }
  return { data: more === null ? data : Buffer.concat(more), event, error };
}

/** Where the value of the line `start..eol` begins if the line's field is `name`. One space after the colon is none of it. */
function valueStart(bytes: Buffer, start: number, eol: number, name: string): number {
  const colon = start + name.length;
  if (colon > eol) return NO_FIELD;
  for (let index = 0; index < name.length; index++) {
    if (bytes[start + index] !== name.charCodeAt(index)) return NO_FIELD;
  }
  if (colon === eol) return eol;
  if (bytes[colon] !== COLON) return NO_FIELD;
  return bytes[colon + 1] === SPACE ? colon + 2 : colon + 1;
}
