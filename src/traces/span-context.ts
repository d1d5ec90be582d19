import { createTraceState, ROOT_CONTEXT, trace, type Context } from '@opentelemetry/api';
import { RANDOM_ID, type TraceContext } from './trace-context.js';

/** A client's trace as the library wants it: what a call's span is begun within. */
export function contextOf(parent: TraceContext | null): Context {
  if (parent === null) return ROOT_CONTEXT;
  const { traceId, parentId, flags, state } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId: parentId,
    traceFlags: flags,
    isRemote: true,
    ...(state === null ? {} : { traceState: createTraceState(state) }),
  });
}

/** Sampled or not as the library decided; that the trace's id is random stays as the client said. */
export function flagsOf(decided: number, parent: TraceContext | null): number {
  return decided | ((parent?.flags ?? 0) & RANDOM_ID);
}
