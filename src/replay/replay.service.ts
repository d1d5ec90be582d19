import { setImmediate as turn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ModelNotFoundError, TooFewCallsError } from '../kernel/index.js';
import { ROUTING_SETTINGS, type RoutingSettings } from '../settings/index.js';
import { TopologyService } from '../topology/index.js';
import { CallLogService } from './call-log.service.js';
import { replaying, type Replay } from './replay.js';

export const LEAST_CALLS = 100;

/** Judges a setting of routing that is not in force by the calls that there were. */
@Injectable()
export class ReplayService {
  /** Ends when nothing is under way: each takes part of a second of the processor, so they go one by one. */
  private idle: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(ROUTING_SETTINGS) private readonly inForce: RoutingSettings,
    private readonly topology: TopologyService,
    private readonly log: CallLogService,
  ) {}

  /**
   * @param windowSeconds how far back calls count
   * @throws ModelNotFoundError | TooFewCallsError
   */
  replay(model: string, proposed: RoutingSettings, windowSeconds: number): Promise<Replay> {
    const replayed = this.idle.then(() => this.replayNow(model, proposed, windowSeconds));
    this.idle = replayed.catch(() => null);
    return replayed;
  }

  private replayNow(model: string, proposed: RoutingSettings, windowSeconds: number): Promise<Replay> {
    if (!this.topology.isKnown(model)) throw new ModelNotFoundError(model);
    const calls = this.log.within(model, windowSeconds);
    const counted = calls.filter(({ standing }) => standing === 'counted').length;
    const partial = calls.filter(({ standing }) => standing === 'not_all_kept').length;
    // Of mostly partial calls the replay can say why they tell nothing.
    const usable = partial > counted ? partial + counted : counted;
    if (usable < LEAST_CALLS) throw new TooFewCallsError(usable, LEAST_CALLS);
    return inTurns(replaying(calls, this.inForce, proposed));
  }
}

/** Lets everything else have its turn wherever the work pauses. */
async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await turn();
  }
}
