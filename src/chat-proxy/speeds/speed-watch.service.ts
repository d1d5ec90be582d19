import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Deadlines, LOGGER, Roster, type Deadline, type Logger } from '../../kernel/index.js';
import { ExpectationsService, type Decision } from '../../routing/index.js';
import { AttemptWatch } from './attempt-watch.js';

const TICK_MS = 1000;

/**
 * Watches attempts for the speeds of their nodes, where the policy asks for them; else it does nothing. One deadline for
 * all of them: each second it goes round, and leaves when nobody is left.
 */
@Injectable()
export class SpeedWatchService implements Deadline, OnModuleDestroy {
  place = -1;
  dueAt = Infinity;
  private readonly watches = new Roster<AttemptWatch>();
  private readonly now = (): number => this.deadlines.now();
  private readonly over = (watch: AttemptWatch): void => void this.watches.delete(watch);

  constructor(
    private readonly expectations: ExpectationsService,
    private readonly deadlines: Deadlines,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleDestroy(): void {
    this.deadlines.delete(this);
  }

  /** Counts the attempt in on its nodes, until it is settled or abandoned; null where nobody asks. */
  begin({ route, ask = null }: Decision): AttemptWatch | null {
    const call = ask === null ? null : this.expectations.begin(route, ask);
    if (call === null || ask === null) return null;
    const watch = new AttemptWatch(call, ask, this.now(), this.now, this.over);
    this.watches.add(watch);
    this.goOn();
    return watch;
  }

  get watching(): number {
    return this.watches.size;
  }

  onDue(): void {
    const now = this.now();
    this.dueAt = now + TICK_MS;
    if (this.watches.size === 0) this.deadlines.delete(this);
    for (const watch of this.watches) this.look(watch, now);
  }

  onFault(fault: unknown): void {
    this.logger.error({ err: fault }, 'speeds.unexpected_fault');
  }

  private goOn(): void {
    if (this.place >= 0) return;
    this.dueAt = this.now() + TICK_MS;
    this.deadlines.add(this);
  }

  /** A call goes on, whatever becomes of the lesson. */
  private look(watch: AttemptWatch, now: number): void {
    try {
      watch.look(now);
    } catch (fault) {
      this.watches.delete(watch);
      this.onFault(fault);
    }
  }
}
