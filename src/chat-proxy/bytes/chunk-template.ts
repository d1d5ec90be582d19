import { BACKSLASH, QUOTE } from './ascii.js';

const CONTENT_KEY = Buffer.from('"content":"');
/** Control characters may not stand in a JSON string. */
const FIRST_PRINTABLE = 0x20;

/**
 * The shape of a stream's content chunks: the bytes before the text and those after it, which are the same from one
 * token to the next. A chunk of this shape with some other text in it says just what the first one said, so it need not
 * be parsed to be understood. Whatever differs anywhere else (usage, a finish reason, an error) doesn't match.
 */
export class ChunkTemplate {
  private constructor(
    private readonly before: Buffer,
    private readonly after: Buffer,
  ) {}

  /** Of a chunk that was parsed and carries nothing but content; null where its text is in some other place. */
  static of(payload: Buffer): ChunkTemplate | null {
    const key = payload.indexOf(CONTENT_KEY);
    if (key < 0) return null;
    const textAt = key + CONTENT_KEY.length;
    const textEnd = plainTextEnd(payload, textAt);
    if (textEnd === textAt || payload[textEnd] !== QUOTE) return null;
    // Copies: a view would keep the whole packet alive.
    return new ChunkTemplate(
      Buffer.from(payload.subarray(0, textAt)),
      Buffer.from(payload.subarray(textEnd)),
    );
  }

  matches(payload: Buffer): boolean {
    const { before, after } = this;
    const textEnd = payload.length - after.length;
    if (textEnd <= before.length) return false;
    return (
      payload.compare(before, 0, before.length, 0, before.length) === 0 &&
      payload.compare(after, 0, after.length, textEnd) === 0 &&
      plainTextEnd(payload, before.length) === textEnd
    );
  }
}

/** Where text ends that is nothing but itself: at a quote, an escape, a control character, or the end. */
function plainTextEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === undefined || byte === QUOTE || byte === BACKSLASH || byte < FIRST_PRINTABLE) return at;
  }
  return bytes.length;
}
