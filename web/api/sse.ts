/** One event of a stream. */
export interface SseEvent {
  readonly type: string;
  readonly data: string;
}

/**
 * Reads server-sent events from text that comes in pieces cut anywhere, by the HTML standard: lines end with CRLF, LF
 * or CR, several data lines make one text, comments and unknown fields say nothing, and an event that isn't ended by an
 * empty line never was.
 */
export class SseReader {
  private rest = '';
  private type = '';
  private data: string[] = [];
  private isFirst = true;

  /** @returns the events that this piece completes */
  feed(piece: string): SseEvent[] {
    this.rest += piece;
    if (this.isFirst && this.rest !== '') {
      this.isFirst = false;
      if (this.rest.startsWith('\uFEFF')) this.rest = this.rest.slice(1);
    }
    const events: SseEvent[] = [];
    for (let line = this.nextLine(); line !== null; line = this.nextLine()) {
      const event = this.take(line);
      if (event !== null) events.push(event);
    }
    return events;
  }

  private nextLine(): string | null {
    const end = /\r\n|\n|\r/.exec(this.rest);
    // A CR at the very end may be half of a CRLF.
    if (end === null || (end[0] === '\r' && end.index === this.rest.length - 1)) return null;
    const line = this.rest.slice(0, end.index);
    this.rest = this.rest.slice(end.index + end[0].length);
    return line;
  }

  private take(line: string): SseEvent | null {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.data.push(value);
    if (field === 'event') this.type = value;
    return null;
  }

  private dispatch(): SseEvent | null {
    const event = { type: this.type === '' ? 'message' : this.type, data: this.data.join('\n') };
    const isEvent = this.data.length > 0;
    this.type = '';
    this.data = [];
    return isEvent ? event : null;
  }
}
