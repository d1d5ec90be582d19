import type { Cancel, Clock } from './clock.js';
import { Roster, type Rostered } from './roster.js';

/** Something that is late at a moment that may move. */
export interface Deadline extends Rostered {
  /** In monotonic ms. It may move away at any time without a word; one that comes nearer is told by `hasten`. */
  readonly dueAt: number;
  /** It is due, and is so until it leaves or its moment has moved on. */
  onDue(): void;
  /** What `onDue` threw: nobody else would catch it. */
  onFault(fault: unknown): void;
}

/**
 * One timer for all that may be late. A deadline costs two array writes: calls come and go by the thousand a second,
 * nearly all of them long before they are late, and their timers would cost more than their bytes.
 */
export class Deadlines {
  private readonly waiting = new Roster<Deadline>();
  private cancel: Cancel | null = null;
  private armedFor = Infinity;

  constructor(private readonly clock: Clock) {}

  add(deadline: Deadline): void {
    this.waiting.add(deadline);
    this.hasten(deadline);
  }

  delete(deadline: Deadline): void {
    if (this.waiting.delete(deadline) && this.waiting.size === 0) this.disarm();
  }

  /** It is due sooner than it was. */
  hasten(deadline: Deadline): void {
    if (deadline.place >= 0 && deadline.dueAt < this.armedFor) this.arm(deadline.dueAt);
  }

  /** The clock's. */
  now(): number {
    return this.clock.now();
  }

  get size(): number {
    return this.waiting.size;
  }

  private arm(dueAt: number): void {
    this.cancel?.();
    this.armedFor = dueAt;
    this.cancel = this.clock.after(Math.max(1, dueAt - this.clock.now()), () => this.look());
  }

  private disarm(): void {
    this.cancel?.();
    this.cancel = null;
    this.armedFor = Infinity;
  }

  private look(): void {
    this.disarm();
    const now = this.clock.now();
    const late = [...this.waiting].filter(({ dueAt }) => dueAt <= now).sort((a, b) => a.dueAt - b.dueAt);
    for (const deadline of late) this.tell(deadline, now);
    let next = Infinity;
    for (const { dueAt } of this.waiting) next = Math.min(next, dueAt);
    if (next < this.armedFor) this.arm(next);
  }

  private tell(deadline: Deadline, now: number): void {
    // The one before may have ended it.
    if (deadline.place < 0 || deadline.dueAt > now) return;
    try {
      deadline.onDue();
    } catch (fault) {
      deadline.onFault(fault);
    }
  }
}
