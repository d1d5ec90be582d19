import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, type Clock } from './clock.js';
import { Deadlines } from './deadlines.js';
import { EventBus } from './event-bus.js';
import { LOGGER, type Logger } from './logger.js';
import { RNG, type Rng } from './rng.js';

/** The clock, dice and log of one tracker; tests bring their own. */
export interface KernelParts {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly logger: Logger;
}

@Global()
@Module({})
export class KernelModule implements OnApplicationShutdown {
  constructor(private readonly bus: EventBus) {}

  static forRoot(parts: KernelParts): DynamicModule {
    return {
      module: KernelModule,
      providers: [
        { provide: CLOCK, useValue: parts.clock },
        { provide: Deadlines, useFactory: () => new Deadlines(parts.clock) },
        { provide: RNG, useValue: parts.rng },
        { provide: LOGGER, useValue: parts.logger },
        { provide: EventBus, useFactory: () => new EventBus(parts.logger) },
      ],
      exports: [CLOCK, Deadlines, RNG, LOGGER, EventBus],
    };
  }

  onApplicationShutdown(): void {
    this.bus.close();
  }
}
