/**
 * traces: what a call was, told to an OpenTelemetry collector.
 *
 * A call that comes in with a sound `traceparent` (W3C Trace Context) belongs to its client's trace, and the head is told so.
 * Without a collector that is all: the client's two headers go on as they came, and OpenTelemetry's library isn't even
 * loaded. With one (`OTEL_EXPORTER_OTLP_ENDPOINT`) a call is a span, each choice of a route and each attempt one below it,
 * and the head's parent is the attempt. Which traces are kept is the client's decision, else a share of them (parent-based
 * by ratio). Spans follow the semantic conventions for GenAI; they never hold a prompt, an answer or a key. A collector that
 * doesn't answer costs spans, never a chat.
 */
export {
  CALL_TRACER,
  NO_TRACE,
  NO_TRACES,
  type CallOrigin,
  type CallTrace,
  type CallTracer,
  type ClientTold,
} from './call-tracer.js';
export { attemptError } from './span-attributes.js';
export { passedOn, type TraceHeaders } from './trace-context.js';
export { TracesModule } from './traces.module.js';
