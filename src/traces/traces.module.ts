import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, LOGGER, type Clock, type Logger } from '../kernel/index.js';
import { TRACES_SETTINGS, type TracesSettings } from '../settings/index.js';
import { CALL_TRACER, NO_TRACES, type CallTracer } from './call-tracer.js';
import { collectorUrl } from './collector-url.js';

/** The library costs a fifth of a second at the start, and 15 MB: only whoever has a collector pays. */
async function tracerOf(settings: TracesSettings, clock: Clock, logger: Logger): Promise<CallTracer> {
  const url = collectorUrl(settings);
  if (url === null) return NO_TRACES;
  const { otlpTracer } = await import('./otlp-tracer.js');
  return otlpTracer(url, settings, clock, logger);
}

@Module({
  providers: [{ provide: CALL_TRACER, inject: [TRACES_SETTINGS, CLOCK, LOGGER], useFactory: tracerOf }],
  exports: [CALL_TRACER],
})
export class TracesModule implements OnApplicationShutdown {
  constructor(@Inject(CALL_TRACER) private readonly tracer: CallTracer) {}

  /** By now every chat has ended, those that were cut off included. */
  async onApplicationShutdown(): Promise<void> {
    await this.tracer.stop();
  }
}
