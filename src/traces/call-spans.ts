import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { Clock } from '../kernel/index.js';
import type {
  AttemptFacts,
  CallBeginning,
  CallFacts,
  CallTrace,
  ClientTold,
  RouteChoice,
  SampleFacts,
  TurnedAway,
} from './call-tracer.js';
import {
  attemptAttributes,
  attemptEndAttributes,
  attemptError,
  callEndAttributes,
  callError,
  decisionAttributes,
  isOurFault,
  routeAttributes,
  turnedAwayAttributes,
  type GenAiOperation,
} from './span-attributes.js';
import { traceHeaders, type TraceContext, type TraceHeaders } from './trace-context.js';
import { flagsOf } from './span-context.js';

/** The tracker broke off an attempt by a fault of its own. */
const OWN_FAULT = 'internal_error';

/**
 * The spans of one call that is kept: the call's own, and below it one for each choice of a route and one for each
 * attempt. Only times of the monotonic clock are compared: the wall clock is asked once, when the call comes in.
 */
export class CallSpans implements CallTrace {
  headers: TraceHeaders | null = null;
  private readonly within: Context;
  private attempts = 0;
  private open: Span | null = null;
  /** Since when a route has been looked for. */
  private lookingSince: number;
  private queuedSince: number | null = null;

  constructor(
    private readonly tracer: Tracer,
    private readonly clock: Clock,
    private readonly span: Span,
    private readonly call: CallBeginning & { readonly operation: GenAiOperation },
    private readonly parent: TraceContext | null,
  ) {
    this.within = trace.setSpan(ROOT_CONTEXT, span);
    this.lookingSince = call.at;
  }

  queued(): void {
    this.queuedSince ??= this.clock.now();
  }

  attempt(choice: RouteChoice): void {
    const now = this.clock.now();
    const queuedMs = this.queuedSince === null ? 0 : now - this.queuedSince;
    this.queuedSince = null;
    this.attempts += 1;
    this.named(choice.model).setAttributes(routeAttributes(choice));
    this.begin('choose route', SpanKind.INTERNAL, this.lookingSince)
      .setAttributes(decisionAttributes(choice, queuedMs))
      .end(this.timeOf(now));
    const { operation, requestId } = this.call;
    this.open = this.begin(nameOf(operation, choice.model), SpanKind.CLIENT, now);
    this.open.setAttributes(attemptAttributes(choice, operation, requestId, this.attempts));
    this.headers = this.headersOf(this.open);
  }

  attemptEnded(facts: AttemptFacts, sample: SampleFacts): void {
    this.open?.setAttributes(attemptEndAttributes(facts, sample));
    this.endAttempt(attemptError(facts));
  }

  ended(call: CallFacts, told: ClientTold): void {
    if (this.open !== null) this.endAttempt(OWN_FAULT);
    this.named(call.model).setAttributes(callEndAttributes(call, told, this.attempts));
    if (callError(call, told) !== null) fail(this.span);
    this.span.end(this.timeOf(this.clock.now()));
  }

  turnedAway(fact: TurnedAway): void {
    if (fact.model !== null) this.named(fact.model);
    this.span.setAttributes(turnedAwayAttributes(fact));
    if (isOurFault(fact.status)) fail(this.span);
    this.span.end(this.timeOf(this.clock.now()));
  }

  private endAttempt(error: string | null): void {
    if (this.open === null) return;
    if (error !== null) fail(this.open.setAttribute('error.type', error));
    const now = this.clock.now();
    this.open.end(this.timeOf(now));
    this.open = null;
    this.lookingSince = now;
  }

  private named(model: string): Span {
    return this.span
      .updateName(nameOf(this.call.operation, model))
      .setAttribute('gen_ai.request.model', model);
  }

  private begin(name: string, kind: SpanKind, at: number): Span {
    return this.tracer.startSpan(name, { kind, startTime: this.timeOf(at) }, this.within);
  }

  private headersOf(span: Span): TraceHeaders {
    const { traceId, spanId, traceFlags } = span.spanContext();
    return traceHeaders(traceId, spanId, flagsOf(traceFlags, this.parent), this.parent?.state ?? null);
  }

  private timeOf(now: number): number {
    return this.call.wallMs + (now - this.call.at);
  }
}

/** GenAI's: operation and model. */
function nameOf(operation: GenAiOperation, model: string): string {
  return `${operation} ${model}`;
}

function fail(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
}
