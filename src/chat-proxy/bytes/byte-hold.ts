const NOTHING = Buffer.alloc(0);
const FIRST_ROOM_BYTES = 512;

/**
 * Bytes that wait for the rest of their event. Room doubles, so that a stream of one byte a packet costs linear
 * time and no object per packet. Parts are copied: a few held bytes don't keep a whole network buffer alive.
 */
export class ByteHold {
  private room = NOTHING;
  private used = 0;

  get length(): number {
    return this.used;
  }

  add(part: Buffer): void {
    const needed = this.used + part.length;
    if (needed > this.room.length) {
      const wider = Buffer.allocUnsafe(Math.max(needed, 2 * this.room.length, FIRST_ROOM_BYTES));
      this.room.copy(wider, 0, 0, this.used);
      this.room = wider;
    }
    part.copy(this.room, this.used);
    this.used = needed;
  }

  /** Everything held and then `part`, as the caller's own; nothing is held afterwards. Nothing held: `part` itself. */
  takeWith(part: Buffer): Buffer {
    if (this.used === 0) return part;
    this.add(part);
    const whole = this.room.subarray(0, this.used);
    this.room = NOTHING;
    this.used = 0;
    return whole;
  }
}
