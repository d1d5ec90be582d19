import { SystemClock } from '../../src/kernel/index.js';

/** A minute is over soon: more wrong keys are sent than one address may in the real one. */
export class HastyClock extends SystemClock {
  override now(): number {
    return 1000 * super.now();
  }
}
