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

/** Of more than so many, none is told to the millisecond. */
const MANY = 100;
const TOGETHER_MS = 20;

/**
 * One timer for all that may be late. A deadline costs two array writes: calls come and go by the thousand a second,
 * nearly all of them long before they are late, and their timers would cost more than their bytes.
 */
export class Deadlines {
  private readonly waiting = new Roster<Deadline>();
  private cancel: Cancel | null = null;
  private armedFor = Infinity;

  constructor(private readonly clock: Clock) {}

  /** Whatever is thrown, it does not wait then. */
  add(deadline: Deadline): void {
    this.waiting.add(deadline);
    try {
      this.hasten(deadline);
    } catch (fault) {
      this.delete(deadline);
      throw fault;
    }
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
    const cancel = this.clock.after(Math.max(1, dueAt - this.clock.now()), () => this.look());
    // Only now: whoever waits for the timer before must not lose it to a clock that throws.
    this.cancel?.();
    this.cancel = cancel;
    this.armedFor = dueAt;
  }

  private disarm(): void {
    this.cancel?.();
    this.cancel = null;
    this.armedFor = Infinity;
  }

  private look(): void {
    this.disarm();
    try {
      const now = this.clock.now();
      this.tellLate(now);
      this.armForNext(now);
    } catch {
      // The clock itself failed, which is no waiting call's doing.
      this.lookAgain();
    }
  }

  private tellLate(now: number): void {
    const late: { readonly deadline: Deadline; readonly dueAt: number }[] = [];
    for (const deadline of this.waiting) {
      const dueAt = dueOf(deadline);
      if (dueAt <= now) late.push({ deadline, dueAt });
    }
    late.sort((a, b) => a.dueAt - b.dueAt);
    // The one before may have ended it.
    for (const { deadline } of late) if (deadline.place >= 0 && dueOf(deadline) <= now) tell(deadline);
  }

  private armForNext(now: number): void {
    let next = Infinity;
    for (const deadline of this.waiting) next = Math.min(next, dueOf(deadline));
    // Each look is at all of them: of many, those that are due about the same time are told together.
    if (this.waiting.size > MANY) next = Math.max(next, now + TOGETHER_MS);
    if (next < this.armedFor) this.arm(next);
  }

  private lookAgain(): void {
    try {
      this.arm(-Infinity);
    } catch (fault) {
      // Nobody would ever be told that it is late: better to be told of this.
      for (const deadline of this.waiting) deadline.onFault(fault);
    }
  }
}

/** When it is due; one that can't say so is told of its fault, and not waited for. */
function dueOf(deadline: Deadline): number {
  try {
    return deadline.dueAt;
  } catch (fault) {
    deadline.onFault(fault);
    return Infinity;
  }
}

function tell(deadline: Deadline): void {
  try {
    deadline.onDue();
  } catch (fault) {
    deadline.onFault(fault);
  }
}
