import type { Cancel, Clock } from '../kernel/index.js';

/** Two signs of life may get lost before a node is gone. */
const HEARTBEATS_PER_LEASE = 3;
/** While nodes are here they are looked after this often at least; a look that comes later tells of a stall. */
const LONGEST_BEAT_MS = 1000;
/** Less than this is a busy machine, not a stalled process. */
const LEAST_STALL_MS = 250;

/**
 * Says when leases are over, by one timer for all of them. After this process itself stood still the signs of life
 * are there, but unread: nobody is taken for gone before one heartbeat's time to be heard has passed.
 */
export class LeaseClock {
  readonly heartbeatMs: number;
  private readonly beatMs: number;
  private lookAt = Infinity;
  private graceUntil = -Infinity;
  private cancel: Cancel | null = null;

  /** @param onLook looks after whatever may be over, and says when to look next */
  constructor(
    private readonly clock: Clock,
    readonly leaseMs: number,
    private readonly onLook: () => number,
  ) {
    this.heartbeatMs = leaseMs / HEARTBEATS_PER_LEASE;
    this.beatMs = Math.min(LONGEST_BEAT_MS, this.heartbeatMs);
  }

  isOver(lastSignAt: number): boolean {
    this.noticeStall();
    return this.clock.now() >= this.endOf(lastSignAt);
  }

  /** When to look again, given the oldest sign of life of those who are here (Infinity: nobody is). */
  nextLook(oldestSignAt: number): number {
    return oldestSignAt === Infinity
      ? Infinity
      : Math.min(this.endOf(oldestSignAt), this.clock.now() + this.beatMs);
  }

  /** Looks at `due` at the latest, in monotonic ms. */
  lookBy(due: number): void {
    if (due >= this.lookAt) return;
    this.cancel?.();
    this.lookAt = due;
    this.cancel = this.clock.after(Math.max(1, due - this.clock.now()), () => {
      this.noticeStall();
      this.lookAt = Infinity;
      this.lookBy(this.onLook());
    });
  }

  stop(): void {
    this.cancel?.();
  }

  private endOf(lastSignAt: number): number {
    return Math.max(lastSignAt + this.leaseMs, this.graceUntil);
  }

  /** Whoever asks first after a stall may come before the late look does. */
  private noticeStall(): void {
    const now = this.clock.now();
    const isLate = now - this.lookAt > Math.max(LEAST_STALL_MS, this.beatMs);
    if (isLate) this.graceUntil = now + this.heartbeatMs;
  }
}
