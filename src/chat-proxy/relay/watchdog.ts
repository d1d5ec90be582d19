import type { Cancel, Clock } from '../../kernel/index.js';

/** Which limit was over; `connect` is the connection pool's to notice. */
export type TimeoutKind = 'connect' | 'first_byte' | 'idle' | 'total';

/** All in ms; `totalAt` is a moment of the monotonic clock. */
export interface CallLimits {
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalAt: number;
}

/**
 * Tells when an attempt has taken too long. One timer: a data event only notes the time, and the timer, when due,
 * looks whether it was put off.
 */
export class Watchdog {
  private readonly startedAt: number;
  private heardAt: number | null = null;
  private isSuspended = false;
  private cancel: Cancel | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly limits: CallLimits,
    private readonly onDue: (kind: TimeoutKind, afterMs: number) => void,
  ) {
    this.startedAt = clock.now();
    this.schedule();
  }

  /** The head said something that counts: from now on only silence is too long. */
  heard(): void {
    const isFirst = this.heardAt === null;
    this.heardAt = this.clock.now();
    // Silence is too long sooner than a first byte is.
    if (isFirst && this.cancel !== null) this.schedule();
  }

  /** It is the client that keeps the head waiting. */
  suspend(): void {
    this.isSuspended = true;
  }

  resume(): void {
    this.isSuspended = false;
    if (this.heardAt !== null) this.heard();
  }

  stop(): void {
    this.cancel?.();
    this.cancel = null;
  }

  private next(): { kind: TimeoutKind; at: number } {
    const { firstByteMs, idleMs, totalAt } = this.limits;
    const awaited: { kind: TimeoutKind; at: number } =
      this.heardAt === null
        ? { kind: 'first_byte', at: this.startedAt + firstByteMs }
        : { kind: 'idle', at: (this.isSuspended ? this.clock.now() : this.heardAt) + idleMs };
    return awaited.at <= totalAt ? awaited : { kind: 'total', at: totalAt };
  }

  private schedule(): void {
    this.cancel?.();
    this.cancel = this.clock.after(Math.max(1, this.next().at - this.clock.now()), () => {
      const { kind, at } = this.next();
      if (this.clock.now() < at) {
        this.schedule();
        return;
      }
      this.cancel = null;
      const since = kind === 'idle' ? (this.heardAt ?? this.startedAt) : this.startedAt;
      this.onDue(kind, this.clock.now() - since);
    });
  }
}
