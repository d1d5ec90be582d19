import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CLOCK, EventBus, LOGGER, type Cancel, type Clock, type Logger } from '../kernel/index.js';
import { NodeHealthService, type Charge } from '../node-health/index.js';

/** As long as another route has to fail alike before a failure is counted. */
const HELD_MS = 2_000;
/** Ten requests in a row that fail everywhere, and no completion between, are an outage. */
const OUTAGE_CALLS = 10;

/** A failure that counts against its node after two seconds, unless the request turns out to be at fault. */
export class HeldCharge {
  private state: 'held' | 'counted' | 'over' = 'held';
  private readonly cancel: Cancel;

  constructor(
    readonly charge: Charge,
    clock: Clock,
    private readonly health: NodeHealthService,
    private readonly onOver: (held: HeldCharge) => void,
  ) {
    this.cancel = clock.after(HELD_MS, () => this.count());
  }

  /** Counts the failure now; only the first call does anything. */
  count(): void {
    if (this.state !== 'held') return;
    this.state = 'counted';
    this.stop();
    this.health.charge(this.charge);
  }

  /** The request was at fault: the failure is not counted, or no longer. */
  takeBack(): void {
    if (this.state === 'counted') this.health.forgive(this.charge);
    this.state = 'over';
    this.stop();
  }

  stop(): void {
    this.cancel();
    this.onOver(this);
  }
}

interface FaultRow {
  calls: number;
  readonly charges: Charge[];
}

/**
 * Requests that fail on every node alike, such as an image for a text model. Their failures are no node's: they are
 * kept per model, and count after all when ten such calls come without a completion between.
 */
@Injectable()
export class RequestFaultsService implements OnModuleDestroy {
  private readonly held = new Set<HeldCharge>();
  private readonly rows = new Map<string, FaultRow>();
  private readonly over = (held: HeldCharge): void => void this.held.delete(held);

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly health: NodeHealthService,
    bus: EventBus,
  ) {
    bus.on('model.forgotten', ({ model }) => this.rows.delete(model));
  }

  onModuleDestroy(): void {
    for (const held of [...this.held]) held.stop();
  }

  /** Holds a failure back for a moment. */
  hold(charge: Charge): HeldCharge {
    const held = new HeldCharge(charge, this.clock, this.health, this.over);
    this.held.add(held);
    return held;
  }

  /** Takes back what one call was to charge: two nodes of different owners answered it alike. */
  requestFailed(model: string, requestId: string, charges: readonly HeldCharge[]): void {
    const row = this.rows.get(model) ?? { calls: 0, charges: [] };
    this.rows.set(model, row);
    row.calls += 1;
    for (const held of charges) {
      held.takeBack();
      row.charges.push(held.charge);
    }
    this.logger.info({ request_id: requestId, model }, 'request.at_fault');
    if (row.calls >= OUTAGE_CALLS) this.outage(model, row);
  }

  /** A chat of the model was completed: what failed before was no outage. */
  completed(model: string): void {
    if (this.rows.size > 0) this.rows.delete(model);
  }

  private outage(model: string, { calls, charges }: FaultRow): void {
    this.rows.delete(model);
    this.logger.warn({ model, calls }, 'request.faults_are_an_outage');
    for (const charge of charges) this.health.charge(charge);
  }
}
