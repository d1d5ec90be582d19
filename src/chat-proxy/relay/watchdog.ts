import type { Cancel, Clock } from '../../kernel/index.js';

/** Which limit was over; `connect` is the connection pool's to notice. */
export type TimeoutKind = 'connect' | 'first_byte' | 'idle' | 'total';

/** All in ms; `totalAt` is a moment of the monotonic clock. */
export interface CallLimits {
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalAt: number;
}

interface Due {
  readonly kind: TimeoutKind;
  /** Since when it has been waited for. */
  readonly since: number;
  readonly at: number;
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

  private next(): Due {
    const { firstByteMs, idleMs, totalAt } = this.limits;
    const { startedAt, heardAt } = this;
    const awaited: Due =
      heardAt === null
        ? { kind: 'first_byte', since: startedAt, at: startedAt + firstByteMs }
        : { kind: 'idle', since: heardAt, at: (this.isSuspended ? this.clock.now() : heardAt) + idleMs };
    return awaited.at <= totalAt ? awaited : { kind: 'total', since: startedAt, at: totalAt };
  }

  private schedule(): void {
    this.cancel?.();
    this.cancel = this.clock.after(Math.max(1, this.next().at - this.clock.now()), () => {
      const { kind, since, at } = this.next();
      if (this.clock.now() < at) {
        this.schedule();
        return;
      }
      this.cancel = null;
      this.onDue(kind, this.clock.now() - since);
    });
  }
}
