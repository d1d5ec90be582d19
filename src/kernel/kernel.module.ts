import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Afterwork } from './afterwork.js';
import { CLOCK, type Clock } from './clock.js';
import { Deadlines } from './deadlines.js';
import { EventBus } from './event-bus.js';
import { HOST_LOOKUP, type HostLookup } from './host-lookup.js';
import { LOGGER, type Logger } from './logger.js';
import { RNG, type Rng } from './rng.js';

/** The clock, dice, log and resolver of one tracker; tests bring their own. */
export interface KernelParts {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly logger: Logger;
  readonly lookup: HostLookup;
}

@Global()
@Module({})
export class KernelModule implements OnApplicationShutdown {
  constructor(
    private readonly bus: EventBus,
    private readonly afterwork: Afterwork,
  ) {}

  static forRoot(parts: KernelParts): DynamicModule {
    return {
      module: KernelModule,
      providers: [
        { provide: CLOCK, useValue: parts.clock },
        { provide: Deadlines, useFactory: () => new Deadlines(parts.clock) },
        { provide: RNG, useValue: parts.rng },
        { provide: LOGGER, useValue: parts.logger },
        { provide: HOST_LOOKUP, useValue: parts.lookup },
        { provide: EventBus, useFactory: () => new EventBus(parts.logger) },
        { provide: Afterwork, useFactory: () => new Afterwork(parts.logger) },
      ],
      exports: [CLOCK, Deadlines, RNG, LOGGER, HOST_LOOKUP, EventBus, Afterwork],
    };
  }

  onApplicationShutdown(): void {
    this.afterwork.settle();
    this.bus.close();
  }
}
