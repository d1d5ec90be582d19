import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, EventBus, ModelNotFoundError, type Clock } from '../kernel/index.js';
import { TopologyService } from '../topology/index.js';
import { HOUR_MS, ModelEarnings, type EarningsRow } from './earnings.js';
import { SteadyTime } from './steady-time.js';

/** Sums per model and hour what choosing well saved, and what scouts cost, over the last week. */
@Injectable()
export class EarningsService {
  private readonly models = new Map<string, ModelEarnings>();
  private readonly time: SteadyTime;

  constructor(
    @Inject(CLOCK) clock: Clock,
    private readonly topology: TopologyService,
    bus: EventBus,
  ) {
    this.time = new SteadyTime(clock, HOUR_MS);
    bus.on('call.finished', ({ model, call }) => this.of(model)?.add(this.time.slice, call));
    bus.on('call.measured', ({ model, scout_seconds }) => {
      if (scout_seconds !== null) this.of(model)?.addScout(this.time.slice, scout_seconds);
    });
    bus.on('model.forgotten', ({ model }) => this.models.delete(model));
  }

  /**
   * Every known model, or the one asked for.
   *
   * @throws ModelNotFoundError
   */
  rows(model: string | null): EarningsRow[] {
    if (model !== null && !this.topology.isKnown(model)) throw new ModelNotFoundError(model);
    const { slice } = this.time;
    const models = model === null ? this.topology.knownModels() : [model];
    return models.map((each) => ({ model: each, ...(this.models.get(each) ?? NOTHING).row(slice) }));
  }

  private of(model: string): ModelEarnings | undefined {
    const known = this.models.get(model);
    if (known !== undefined || !this.topology.isKnown(model)) return known;
    const made = new ModelEarnings();
    this.models.set(model, made);
    return made;
  }
}

const NOTHING = new ModelEarnings();
