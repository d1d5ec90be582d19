/** Bytes of a stream that the client may not see yet, event after event. */
export class EventHold {
  private parts: Buffer[] = [];
  private bytes = 0;
  /** Where in `parts` the event begins that isn't whole yet. */
  private wholeUntil = 0;
  /** Where the last whole event began. */
  private lastFrom = 0;

  get isEmpty(): boolean {
    return this.parts.length === 0;
  }

  get length(): number {
    return this.bytes;
  }

  add(part: Buffer): void {
    if (part.length === 0) return;
    this.parts.push(part);
    this.bytes += part.length;
  }

  /**
   * The bytes since the last event are one.
   *
   * @param mostBytes beyond this number of held bytes the event is dropped, which only a comment may be
   */
  eventEnded(mostBytes = Infinity): void {
    if (this.bytes > mostBytes) this.dropUnfinished();
    this.lastFrom = this.wholeUntil;
    this.wholeUntil = this.parts.length;
  }

  /** The event that is being completed, or was last. */
  lastEvent(): Buffer {
    const from = this.wholeUntil < this.parts.length ? this.wholeUntil : this.lastFrom;
    return Buffer.concat(this.parts.slice(from));
  }

  dropUnfinished(): void {
    for (const part of this.parts.splice(this.wholeUntil)) this.bytes -= part.length;
  }

  /** Returns all that was held; nothing is any more. */
  release(): Buffer[] {
    const released = this.parts;
    this.parts = [];
    this.bytes = 0;
    this.wholeUntil = 0;
    this.lastFrom = 0;
    return released;
  }

  /** Returns the whole events that were held; the one that is still coming stays. */
  releaseWhole(): Buffer[] {
    const begun = this.parts.splice(this.wholeUntil);
    const whole = this.release();
    begun.forEach((part) => this.add(part));
    return whole;
  }
}
