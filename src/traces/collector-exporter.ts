import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Clock, Logger } from '../kernel/index.js';
import type { TracesSettings } from '../settings/index.js';

type ExporterOptions = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;
type Done = Parameters<SpanExporter['export']>[1];

/** One after the other; all that wait when the tracker ends. */
const BATCHES_AT_ONCE = 32;
/** A collector that stays away is told of this often. */
const WARN_EVERY_MS = 60_000;

/**
 * Sends spans to the collector and says so in the log when it takes none: at once, and then once a minute with what was
 * lost meanwhile, and at the end with whatever else it never took: a queue that is full drops spans that no export tells
 * of. Never what the collector answered: it may repeat what it was sent, a key included.
 */
export class CollectorExporter implements SpanExporter {
  private lostSpans = 0;
  private ended = 0;
  /** Of those that ended: taken by the collector, or told in the log as lost. */
  private accounted = 0;
  private silentUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly inner: SpanExporter,
    private readonly agent: HttpAgent,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  export(spans: ReadableSpan[], done: Done): void {
    this.inner.export(spans, (result) => {
      if (result.error === undefined) this.accounted += spans.length;
      else this.lost(spans.length, result.error);
      done(result);
    });
  }

  /** A span ended, and will be exported or dropped. */
  spanEnded(): void {
    this.ended += 1;
  }

  async shutdown(): Promise<void> {
    await this.inner.shutdown();
  }

  /** Nothing is sent after this, no second try either. */
  close(): void {
    Object.assign(this.agent, { createConnection: refuse });
    this.agent.destroy();
    const rest = this.ended - this.accounted;
    this.accounted = this.ended;
    if (rest > 0) this.logger.warn({ lost_spans: rest, reason: 'stopped' }, 'traces.not_taken');
  }

  private lost(count: number, fault: Error): void {
    this.lostSpans += count;
    const now = this.clock.now();
    if (now < this.silentUntil) return;
    this.silentUntil = now + WARN_EVERY_MS;
    this.logger.warn({ lost_spans: this.lostSpans, reason: reasonOf(fault) }, 'traces.not_taken');
    this.accounted += this.lostSpans;
    this.lostSpans = 0;
  }
}

/** An HTTP status, or the system's code for what went wrong. */
function reasonOf(fault: Error): string {
  const code: unknown = 'code' in fault ? fault.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : 'no answer in time';
}

function refuse(): never {
  throw new Error('the tracker has stopped');
}

/** Everything the library would else read from the environment is given: the settings alone decide. */
export function collectorExporter(
  url: string,
  { headers, tracesHeaders, timeoutMs }: Readonly<TracesSettings>,
  clock: Clock,
  logger: Logger,
): CollectorExporter {
  const agent = url.startsWith('https:')
    ? new HttpsAgent({ keepAlive: true })
    : new HttpAgent({ keepAlive: true });
  const inner = new OTLPTraceExporter({
    url,
    headers: { ...headers, ...tracesHeaders },
    httpAgentOptions: () => agent,
    timeoutMillis: timeoutMs,
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- its enum lies in a package behind this one
    compression: 'none' as NonNullable<ExporterOptions['compression']>,
    concurrencyLimit: BATCHES_AT_ONCE,
  });
  return new CollectorExporter(inner, agent, clock, logger);
}
