import { Inject, Injectable } from '@nestjs/common';
import { EventBus, LOGGER, type Logger } from '../kernel/index.js';
import { ImplausibleSpeeds } from './implausible-speeds.js';

/** Samples of a model between two looks: sorting its routes at each would cost more than it is worth. */
const LOOK_EVERY = 16;

interface Suspicions {
  readonly speeds: ImplausibleSpeeds;
  samples: number;
  nodeIds: ReadonlySet<string>;
}

/** Which nodes were measured to be faster than can well be true. They are told of, and routed to as ever. */
@Injectable()
export class SpeedSuspicionsService {
  private readonly models = new Map<string, Suspicions>();

  constructor(
    bus: EventBus,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    bus.on('sample.recorded', ({ model, signature, learned_tps }) => {
      const known = this.models.get(model) ?? { speeds: new ImplausibleSpeeds(), samples: 0, nodeIds: NONE };
      this.models.set(model, known);
      known.speeds.record(signature, learned_tps);
      if ((known.samples += 1) % LOOK_EVERY === 0) this.look(model, known);
    });
    bus.on('model.forgotten', ({ model }) => this.models.delete(model));
  }

  isSuspect(model: string, nodeId: string): boolean {
    return this.models.get(model)?.nodeIds.has(nodeId) ?? false;
  }

  /** Looks now; whoever lists nodes wants to know of the newest. */
  refresh(): void {
    for (const [model, known] of this.models) this.look(model, known);
  }

  private look(model: string, known: Suspicions): void {
    const found = known.speeds.nodeIds();
    for (const nodeId of found) {
      if (!known.nodeIds.has(nodeId)) this.logger.warn({ model, node_id: nodeId }, 'node.speed_implausible');
    }
    known.nodeIds = found;
  }
}

const NONE: ReadonlySet<string> = new Set();
