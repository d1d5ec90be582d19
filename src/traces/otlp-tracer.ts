import { SpanKind, type Tracer } from '@opentelemetry/api';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Clock, Logger } from '../kernel/index.js';
import type { TracesSettings } from '../settings/index.js';
import { CallSpans } from './call-spans.js';
import {
  NO_TRACE,
  type CallBeginning,
  type CallOrigin,
  type CallTrace,
  type CallTracer,
} from './call-tracer.js';
import { collectorExporter, type CollectorExporter } from './collector-exporter.js';
import { callAttributes, operationOf } from './span-attributes.js';
import { contextOf, flagsOf } from './span-context.js';
import { readTraceContext, traceHeaders } from './trace-context.js';

/** Spans that may wait for the collector; when it is dead, later ones are dropped. */
const QUEUED_SPANS = 4096;
/** Few enough that writing them down holds no relay up. */
const BATCH_SPANS = 256;
const BATCH_EVERY_MS = 2000;
/** So much longer than the exporter itself tries does the queue wait for it. */
const GRACE_MS = 1000;
/** At the end the collector is given so long. */
const FLUSH_MS = 2000;
/** A route of 256 hops has a signature of 50,000 characters. */
const LONGEST_TEXT = 4096;
const MOST = 128;
/** All of them, or the library would look for the missing ones in the environment. */
const LIMITS = {
  attributeCountLimit: MOST,
  attributeValueLengthLimit: LONGEST_TEXT,
  linkCountLimit: MOST,
  eventCountLimit: MOST,
  attributePerEventCountLimit: MOST,
  attributePerLinkCountLimit: MOST,
};

/** Traces calls by OpenTelemetry's library. Nothing is registered globally: several trackers may share a process. */
export class OtlpTracer implements CallTracer {
  private readonly tracer: Tracer;

  constructor(
    private readonly provider: BasicTracerProvider,
    private readonly exporter: { close(): void },
    private readonly clock: Clock,
  ) {
    this.tracer = provider.getTracer('meshnet-tracker');
  }

  begin(call: CallBeginning, { path, headers }: CallOrigin): CallTrace {
    const parent = readTraceContext(headers.traceparent, headers.tracestate);
    const operation = operationOf(path);
    const span = this.tracer.startSpan(
      operation,
      { kind: SpanKind.SERVER, startTime: call.wallMs },
      contextOf(parent),
    );
    if (!span.isRecording()) {
      const { traceId, spanId, traceFlags } = span.spanContext();
      const flags = flagsOf(traceFlags, parent);
      return { ...NO_TRACE, headers: traceHeaders(traceId, spanId, flags, parent?.state ?? null) };
    }
    span.setAttributes(callAttributes(call.requestId, path, call.stream));
    return new CallSpans(this.tracer, this.clock, span, { ...call, operation }, parent);
  }

  async stop(): Promise<void> {
    let cancel = (): void => undefined;
    const limit = new Promise<void>((resolve) => (cancel = this.clock.after(FLUSH_MS, resolve)));
    // That the collector didn't take them has been told.
    await Promise.race([this.provider.shutdown().catch(() => undefined), limit]);
    cancel();
    this.exporter.close();
  }
}

/** The queue drops what it has no room for without a word. */
function counterOf(exporter: CollectorExporter): SpanProcessor {
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    onStart: () => undefined,
    onEnd: () => exporter.spanEnded(),
    forceFlush: nothing,
    shutdown: nothing,
  };
}

/** @param url of the collector, with its path */
export function otlpTracer(
  url: string,
  settings: Readonly<TracesSettings>,
  clock: Clock,
  logger: Logger,
): CallTracer {
  const exporter = collectorExporter(url, settings, clock, logger);
  const processor = new BatchSpanProcessor(exporter, {
    maxQueueSize: QUEUED_SPANS,
    maxExportBatchSize: BATCH_SPANS,
    scheduledDelayMillis: BATCH_EVERY_MS,
    exportTimeoutMillis: settings.timeoutMs + GRACE_MS,
  });
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': settings.serviceName })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.sampledShare) }),
    generalLimits: LIMITS,
    spanLimits: LIMITS,
    spanProcessors: [processor, counterOf(exporter)],
  });
  return new OtlpTracer(provider, exporter, clock);
}
