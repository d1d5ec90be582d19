import type { Cancel, Clock, Logger } from '../../src/kernel/index.js';
import { SilentLogger } from './silent-logger.js';

/** Blows when it has been used so many times since it was set: whoever uses it then gets an exception. */
export class Fuse {
  private left = 0;
  private isLasting = false;
  private isSpared = false;
  /** Whether it has blown since it was set. */
  hasBlown = false;

  /**
   * @param uses 1: the next use blows it
   * @param isLasting each use after that gets an exception too
   */
  set(uses: number, isLasting = false): void {
    this.left = uses;
    this.isLasting = isLasting;
    this.hasBlown = false;
  }

  /** It won't blow any more. */
  remove(): void {
    this.left = 0;
  }

  get isSet(): boolean {
    return this.left > 0 && !this.isSpared;
  }

  use(): void {
    if (!this.isSet) return;
    this.left -= 1;
    if (this.left > 0) return;
    this.hasBlown = true;
    if (this.isLasting) this.left = 1;
    throw new Error('the fuse has blown');
  }

  /** Runs what has nothing to do with what the fuse was set for. */
  sparing(act: () => void): void {
    this.isSpared = true;
    try {
      act();
    } finally {
      this.isSpared = false;
    }
  }
}

/** No call of a test waits for longer; a timer that does is a node's or the tracker's own. */
const LONGEST_WAIT_MS = 5_000;

/** A clock that throws when its fuse blows. Only timers of calls use it, and only those started while it is set. */
export class FusedClock implements Clock {
  constructor(
    private readonly inner: Clock,
    private readonly fuse: Fuse,
  ) {}

  now(): number {
    this.fuse.use();
    return this.inner.now();
  }

  wallMs(): number {
    this.fuse.use();
    return this.inner.wallMs();
  }

  after(delayMs: number, act: () => void): Cancel {
    this.fuse.use();
    const isConcerned = this.fuse.isSet && delayMs < LONGEST_WAIT_MS;
    return this.inner.after(delayMs, () => (isConcerned ? act() : this.fuse.sparing(act)));
  }
}

/** A log that throws when one of its fuses blows. */
export class FusedLogger extends SilentLogger {
  constructor(private readonly fuses: readonly Fuse[]) {
    super();
  }

  override info(...line: Parameters<SilentLogger['info']>): void {
    this.use();
    super.info(...line);
  }

  override warn(...line: Parameters<Logger['warn']>): void {
    this.use();
    super.warn(...line);
  }

  override error(...line: Parameters<Logger['error']>): void {
    this.use();
    super.error(...line);
  }

  private use(): void {
    for (const fuse of this.fuses) fuse.use();
  }
}
