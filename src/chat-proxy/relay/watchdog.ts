import type { Deadline, Deadlines } from '../../kernel/index.js';

/** Which limit was over; `connect` is the connection pool's to notice, `ending` that of {@link Watchdog.ending}. */
export type TimeoutKind = 'connect' | 'first_byte' | 'idle' | 'total' | 'ending';

/** All in ms; `totalAt` is a moment of the monotonic clock. */
export interface CallLimits {
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalAt: number;
  /** Silence before the first word that is worth a note; it ends nothing. */
  readonly silentMs: number;
}

/** Usage and `[DONE]` follow the last finish reason at once, where they follow. */
export const ENDING_MS = 2_000;

/** Whom a watchdog wakes. */
export interface Watched {
  /** @param afterMs how long it has been waited for */
  timedOut(kind: TimeoutKind, afterMs: number): void;
  /** Nothing has been heard for {@link CallLimits.silentMs}. */
  silent(): void;
  /** What one of these threw. */
  onFault(fault: unknown): void;
}

/** Tells when an attempt has taken too long. A data event only notes the time. */
export class Watchdog implements Deadline {
  place = -1;
  /** -Infinity: never. Always a number, which can be written over and over without an object for each. */
  private heardAt = -Infinity;
  private isSuspended = false;
  /** When the end of a complete answer is late. */
  private endsAt = Infinity;
  private isSilenceTold = false;

  constructor(
    private readonly deadlines: Deadlines,
    private readonly limits: CallLimits,
    private readonly watched: Watched,
    private readonly startedAt = deadlines.now(),
  ) {
    deadlines.add(this);
  }

  /** The head said something that counts: from now on only silence is too long. */
  heard(now = this.deadlines.now()): void {
    const isFirst = !this.hasHeard;
    this.heardAt = now;
    // Silence is too long sooner than a first byte is.
    if (isFirst) this.deadlines.hasten(this);
  }

  /** The answer is complete: its end is waited for a little while only. */
  ending(now: number): void {
    if (this.endsAt !== Infinity) return;
    // What comes within these two seconds, to the millisecond, is in time.
    this.endsAt = now + ENDING_MS + 1;
    this.deadlines.hasten(this);
  }

  /** It is the client that keeps the head waiting. */
  suspend(): void {
    this.isSuspended = true;
  }

  resume(): void {
    this.isSuspended = false;
    if (this.hasHeard) this.heard();
  }

  stop(): void {
    this.deadlines.delete(this);
  }

  get dueAt(): number {
    return Math.min(this.awaitedAt, this.limits.totalAt, this.endsAt, this.silentAt);
  }

  onDue(): void {
    if (this.silentAt <= this.deadlines.now()) {
      this.isSilenceTold = true;
      this.watched.silent();
      if (this.dueAt > this.deadlines.now()) return;
    }
    this.late();
  }

  private late(): void {
    if (this.endsAt <= this.deadlines.now()) {
      this.stop();
      this.watched.timedOut('ending', ENDING_MS);
      return;
    }
    const isTotal = this.awaitedAt > this.limits.totalAt;
    const kind = isTotal ? 'total' : this.hasHeard ? 'idle' : 'first_byte';
    const since = isTotal || !this.hasHeard ? this.startedAt : this.heardAt;
    this.stop();
    this.watched.timedOut(kind, this.deadlines.now() - since);
  }

  onFault(fault: unknown): void {
    this.watched.onFault(fault);
  }

  private get silentAt(): number {
    return this.hasHeard || this.isSilenceTold ? Infinity : this.startedAt + this.limits.silentMs;
  }

  private get hasHeard(): boolean {
    return this.heardAt !== -Infinity;
  }

  /** When the next word of the head is late. */
  private get awaitedAt(): number {
    const { firstByteMs, idleMs } = this.limits;
    if (!this.hasHeard) return this.startedAt + firstByteMs;
    return (this.isSuspended ? this.deadlines.now() : this.heardAt) + idleMs;
  }
}
