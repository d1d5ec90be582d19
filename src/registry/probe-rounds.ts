import type { Cancel, Clock } from '../kernel/index.js';

/** Extra probes of one server are at least this far apart, however many chats ask for one. */
const BETWEEN_EXTRA_MS = 1000;

/** A probe that was asked for and has not begun. */
class AskedProbe {
  resolve!: (hasRun: boolean) => void;
  readonly done = new Promise<boolean>((resolve) => (this.resolve = resolve));
}

/** Runs the probes of one server, one at a time: once a period, and sooner when asked. */
export class ProbeRounds {
  private cancelNext: Cancel | null = null;
  private dueAt = Infinity;
  private noExtraBefore = -Infinity;
  private asked: AskedProbe | null = null;
  private isRunning = false;
  private isStopped = false;

  /** @param probe asks the server once; must not reject */
  constructor(
    private readonly clock: Clock,
    private readonly periodMs: number,
    private readonly probe: () => Promise<void>,
  ) {}

  /** Probes once, and from then on by the clock; resolves when the first probe is over. */
  async run(): Promise<void> {
    this.cancelNext?.();
    const asked = this.takeAsked();
    this.isRunning = true;
    await this.probe();
    this.isRunning = false;
    asked?.resolve(!this.isStopped);
    if (!this.isStopped) this.waitFor(this.asked === null ? this.periodMs : this.extraWaitMs());
  }

  /**
   * Brings the next probe forward: to this moment, or to one second after the last extra one. A probe under way began
   * too early to tell what is asked now, so another one follows it.
   *
   * @returns when that probe is over, whether there was one; false once stopped
   */
  soon(): Promise<boolean> {
    if (this.isStopped) return Promise.resolve(false);
    const asked = (this.asked ??= new AskedProbe());
    if (!this.isRunning) this.hasten(this.extraWaitMs());
    return asked.done;
  }

  stop(): void {
    this.isStopped = true;
    this.cancelNext?.();
    this.asked?.resolve(false);
  }

  private takeAsked(): AskedProbe | null {
    const { asked } = this;
    if (asked !== null) this.noExtraBefore = this.clock.now() + BETWEEN_EXTRA_MS;
    this.asked = null;
    return asked;
  }

  private hasten(waitMs: number): void {
    if (waitMs === 0) void this.run();
    else if (this.clock.now() + waitMs < this.dueAt) this.waitFor(waitMs);
  }

  private extraWaitMs(): number {
    return Math.max(0, Math.min(this.periodMs, this.noExtraBefore - this.clock.now()));
  }

  private waitFor(waitMs: number): void {
    this.cancelNext?.();
    this.dueAt = this.clock.now() + waitMs;
    this.cancelNext = this.clock.after(waitMs, () => void this.run());
  }
}
