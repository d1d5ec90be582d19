import { Afterwork } from '../../src/kernel/index.js';

/** Puts nothing off: what a room writes down is there at once. */
export class AtOnce extends Afterwork {
  override putOff(work: () => void): void {
    super.putOff(work);
    this.settle();
  }
}
