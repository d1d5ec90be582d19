import { CR, LF } from './ascii.js';
import { ByteHold } from './byte-hold.js';
import {
  afterByteOrderMark,
  afterLineEnd,
  lineEnd,
  NO_FIELDS,
  readFields,
  type SseFields,
} from './sse-fields.js';

/**
 * One stretch of the stream. The `bytes` of all stretches in order are exactly the stream.
 * - `event`: a whole event, from the end of the one before through its blank line.
 * - `tail`: the LF of a CRLF whose CR has already closed the event before, in an earlier chunk. It belongs to that event.
 * - `overflow`: part of an event longer than may be held; unread. The last part ends with the blank line.
 * - `rest`: what the stream ended in, without a blank line. Read as if it had one, since some servers forget it.
 */
export interface SseEvent extends SseFields {
  readonly kind: 'event' | 'tail' | 'overflow' | 'rest';
  readonly bytes: Buffer;
}

export const MAX_EVENT_BYTES = 1024 * 1024;

const NOTHING = Buffer.alloc(0);

/**
 * Cuts a stream of bytes into SSE events, by the WHATWG rules: lines end in LF, CR or CRLF, mixed as they like,
 * and a byte order mark at the very start is no part of a line.
 *
 * A blank line is complete with its CR: the event is handed over at once, since the LF that may follow could be
 * minutes away. Nothing is decoded, so a character cut by a chunk's edge stays whole.
 */
export class SseFramer {
  private readonly held = new ByteHold();
  private atStart = true;
  private lineOpen = false;
  private endedInCr = false;
  private overflows = false;

  /** @param maxEventBytes longest event that is held and read; longer ones pass as `overflow` */
  constructor(private readonly maxEventBytes = MAX_EVENT_BYTES) {}

  /** The stretches that `chunk` completes. They may be views of it: it is the framer's from now on. */
  feed(chunk: Buffer): SseEvent[] {
    if (chunk.length === 0) return [];
    const events: SseEvent[] = [];
    const hasCr = chunk.includes(CR);
    let eventStart = 0;
    let at = 0;
    if (this.endedInCr && chunk[0] === LF) {
      at = 1;
      if (!this.midEvent) {
        events.push({ kind: 'tail', bytes: chunk.subarray(0, 1), ...NO_FIELDS });
        eventStart = 1;
      }
    }
    while (at < chunk.length) {
      const eol = lineEnd(chunk, at, hasCr);
      const isBlankLine = eol === at && !this.lineOpen;
      this.lineOpen = eol === chunk.length;
      if (this.lineOpen) break;
      at = afterLineEnd(chunk, eol);
      if (isBlankLine) {
        events.push(this.close(chunk.subarray(eventStart, at), eol + 1 - eventStart));
        eventStart = at;
      }
    }
    this.endedInCr = chunk[chunk.length - 1] === CR;
    if (eventStart < chunk.length) this.keep(chunk.subarray(eventStart), events);
    return events;
  }

  /** What is left when the stream has ended, or null. */
  end(): SseEvent | null {
    if (this.held.length === 0) return null;
    return this.read('rest', this.held.takeWith(NOTHING));
  }

  /** Bytes that are known to be one whole event, of so many bytes, need not be fed: nothing would be left of them. */
  isBetweenEvents(length: number): boolean {
    const isClean = !this.atStart && !this.lineOpen && !this.endedInCr && !this.midEvent;
    return isClean && length <= this.maxEventBytes;
  }

  /** The bytes fed so far end within an event. */
  get midEvent(): boolean {
    return this.overflows || this.held.length > 0;
  }

  /** The bytes handed over so far end within an event, one too long to hold. */
  get midOverflow(): boolean {
    return this.overflows;
  }

  /** @param counted the length of `part` less the LF of a final CRLF, so that a cut in there changes nothing */
  private close(part: Buffer, counted: number): SseEvent {
    const isTooLong = this.overflows || this.held.length + counted > this.maxEventBytes;
    this.overflows = false;
    const bytes = this.held.takeWith(part);
    return isTooLong ? this.pass(bytes) : this.read('event', bytes);
  }

  private keep(part: Buffer, events: SseEvent[]): void {
    this.overflows ||= this.held.length + part.length > this.maxEventBytes;
    if (this.overflows) events.push(this.pass(this.held.takeWith(part)));
    else this.held.add(part);
  }

  private pass(bytes: Buffer): SseEvent {
    this.atStart = false;
    return { kind: 'overflow', bytes, ...NO_FIELDS };
  }

  private read(kind: 'event' | 'rest', bytes: Buffer): SseEvent {
    const { data, event, error } = readFields(bytes, this.atStart ? afterByteOrderMark(bytes) : 0);
    this.atStart = false;
    return { kind, bytes, data, event, error };
  }
}
