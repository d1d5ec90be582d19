import { SystemClock } from '../../src/kernel/index.js';

/** Its time is the test's, its timers are real. */
export class HeldClock extends SystemClock {
  nowMs = 1e6;

  override now(): number {
    return this.nowMs;
  }
}
