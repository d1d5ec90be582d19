import { BACKSLASH, LF, QUOTE } from './ascii.js';
import { afterByteOrderMark } from './sse-fields.js';

const CONTENT_KEY = Buffer.from('"content":"');
/** Control characters may not stand in a JSON string. */
const FIRST_PRINTABLE = 0x20;

/**
 * The shape of a stream's content events: the bytes before the text and those after it, line ends included, which are
 * the same from one token to the next. Bytes of this shape with some other text in them are one event that says just
 * what the first one said: they need neither be cut nor parsed to be understood. Whatever differs anywhere else (usage,
 * a finish reason, an error, another event behind) doesn't match.
 */
export class ChunkTemplate {
  private constructor(
    private readonly before: Buffer,
    private readonly after: Buffer,
  ) {}

  /**
   * Of a whole event that was parsed and carries nothing but content; null where its text is in some other place, or
   * where a LF could follow that belongs to it, or where it begins the stream with a byte order mark: that is none later.
   */
  static of(event: Buffer): ChunkTemplate | null {
    const key = event.indexOf(CONTENT_KEY);
    if (key < 0 || event[event.length - 1] !== LF || afterByteOrderMark(event) > 0) return null;
    const textAt = key + CONTENT_KEY.length;
    const textEnd = plainTextEnd(event, textAt);
    if (textEnd === textAt || event[textEnd] !== QUOTE) return null;
    // Copies: a view would keep the whole packet alive.
    return new ChunkTemplate(Buffer.from(event.subarray(0, textAt)), Buffer.from(event.subarray(textEnd)));
  }

  matches(bytes: Buffer): boolean {
    return this.endOf(bytes, 0) === bytes.length;
  }

  /** Of how many such events, one after the other, these bytes are made; 0 where there is anything else among them. */
  eventsIn(bytes: Buffer): number {
    let events = 0;
    for (let at = 0; at < bytes.length; events += 1) {
      at = this.endOf(bytes, at);
      if (at < 0) return 0;
    }
    return events;
  }

  /** Where such an event ends that begins at an offset; -1: there is none. */
  private endOf(bytes: Buffer, at: number): number {
    const { before, after } = this;
    const textAt = at + before.length;
    const textEnd = plainTextEnd(bytes, textAt);
    const end = textEnd + after.length;
    if (textEnd <= textAt || end > bytes.length) return -1;
    return isAt(bytes, textEnd, after) && isAt(bytes, at, before) ? end : -1;
  }
}

/** Whether these bytes stand there. Eight at a time, without asking anybody, in a third of the time that Buffer.compare takes. */
function isAt(bytes: Buffer, from: number, wanted: Buffer): boolean {
  const { length } = wanted;
  let at = 0;
  for (; at + 8 <= length; at += 8) {
    const differing =
      unlike(bytes, from, wanted, at) |
      unlike(bytes, from, wanted, at + 1) |
      unlike(bytes, from, wanted, at + 2) |
      unlike(bytes, from, wanted, at + 3) |
      unlike(bytes, from, wanted, at + 4) |
      unlike(bytes, from, wanted, at + 5) |
      unlike(bytes, from, wanted, at + 6) |
      unlike(bytes, from, wanted, at + 7);
    if (differing !== 0) return false;
  }
  for (; at < length; at += 1) if (bytes[from + at] !== wanted[at]) return false;
  return true;
}

/** 0 where both have the same byte. */
function unlike(bytes: Buffer, from: number, wanted: Buffer, at: number): number {
  return (bytes[from + at] ?? 0) ^ (wanted[at] ?? 0);
}

/** Where text ends that is nothing but itself: at a quote, an escape, a control character, or the end. */
function plainTextEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === undefined || byte === QUOTE || byte === BACKSLASH || byte < FIRST_PRINTABLE) return at;
  }
  return bytes.length;
}
