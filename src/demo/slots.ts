/** Gives a slot back; calling it again does nothing. */
export type LeaveSlot = () => void;

/** Places for sequences that run at once; whoever finds none waits in line, first come first served. */
export class Slots {
  private taken = 0;
  private readonly line: (() => void)[] = [];

  constructor(private readonly capacity: number) {}

  /** Sequences here, running and waiting: what the node reports as its queue depth. */
  get depth(): number {
    return this.taken + this.line.length;
  }

  /** Waits for a slot; rejects with the signal's reason, and leaves the line, when that aborts first. */
  take(signal: AbortSignal): Promise<LeaveSlot> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const enter = () => {
        signal.removeEventListener('abort', quit);
        this.taken += 1;
        resolve(this.leaver());
      };
      const quit = () => {
        this.line.splice(this.line.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      if (this.taken < this.capacity) {
        enter();
        return;
      }
      signal.addEventListener('abort', quit, { once: true });
      this.line.push(enter);
    });
  }

  private leaver(): LeaveSlot {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.taken -= 1;
      this.line.shift()?.();
    };
  }
}
