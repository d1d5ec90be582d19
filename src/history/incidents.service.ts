import { Inject, Injectable } from '@nestjs/common';
import { CallsService } from '../calls/index.js';
import { CLOCK, EventBus, ModelNotFoundError, type Clock } from '../kernel/index.js';
import { TopologyService } from '../topology/index.js';
import { countedCall, countedTurnAway, type CountedCall } from './counted-call.js';
import { ModelIncidents, SLICE_MS, type IncidentRow } from './model-incidents.js';
import { SteadyTime } from './steady-time.js';

/** Counts per model what became of its calls, so that now can be held against an hour ago. */
@Injectable()
export class IncidentsService {
  private readonly models = new Map<string, ModelIncidents>();
  private readonly time: SteadyTime;
  private prunedAt = 0;

  constructor(
    @Inject(CLOCK) clock: Clock,
    private readonly topology: TopologyService,
    private readonly calls: CallsService,
    bus: EventBus,
  ) {
    this.time = new SteadyTime(clock, SLICE_MS);
    bus.on('call.finished', ({ model, call }) => this.count(model, countedCall(call)));
    bus.on('chat.turned_away', (fact) => {
      const counted = countedTurnAway(fact);
      if (fact.model !== null && counted !== null) this.count(fact.model, counted);
    });
    bus.on('model.forgotten', ({ model }) => this.models.delete(model));
  }

  /**
   * Every known model, or the one asked for.
   *
   * @throws ModelNotFoundError
   */
  rows(model: string | null): IncidentRow[] {
    if (model !== null && !this.topology.isKnown(model)) throw new ModelNotFoundError(model);
    const open = this.calls.openByModel();
    const { slice } = this.time;
    const models = model === null ? this.topology.knownModels() : [model];
    return models.map((each) => ({
      ...{ model: each, waiting: open.get(each)?.queued ?? 0 },
      ...(this.models.get(each) ?? NOTHING).row(slice),
    }));
  }

  private count(model: string, call: CountedCall): void {
    if (!this.topology.isKnown(model)) return;
    const { slice } = this.time;
    this.prune(slice);
    const incidents = this.models.get(model) ?? new ModelIncidents();
    this.models.set(model, incidents);
    incidents.add(slice, call);
  }

  /** Once a slice: models without calls keep nothing. */
  private prune(slice: number): void {
    if (slice === this.prunedAt) return;
    this.prunedAt = slice;
    for (const [model, incidents] of this.models) if (!incidents.prune(slice)) this.models.delete(model);
  }
}

const NOTHING = new ModelIncidents();
