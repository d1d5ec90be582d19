import type { Logger } from './logger.js';

/**
 * Work that nobody waits for. What is put off within one turn of the event loop is done together at the turn's end, and
 * in its order: one after the other it finds the processor's caches warm, which between two requests it doesn't. Whoever reads
 * what it writes calls {@link settle} first.
 */
export class Afterwork {
  private waiting: (() => void)[] = [];

  constructor(private readonly logger: Logger) {}

  /** Whatever it throws is logged, and goes no further. */
  putOff(work: () => void): void {
    if (this.waiting.push(work) === 1) setImmediate(this.settle);
  }

  /** Does now what waits. */
  readonly settle = (): void => {
    while (this.waiting.length > 0) {
      const works = this.waiting;
      this.waiting = [];
      for (const work of works) this.attempt(work);
    }
  };

  private attempt(work: () => void): void {
    try {
      work();
    } catch (fault) {
      this.tell(fault);
    }
  }

  /** A log that fails too has nobody left to be told: at the turn's end it would end the process, and the other work with it. */
  private tell(fault: unknown): void {
    try {
      this.logger.error({ err: fault }, 'afterwork.failed');
    } catch {
      // Nothing is left to say it by.
    }
  }
}
