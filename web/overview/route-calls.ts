import type { CallOutcome, CallRecord, RouteMode } from '../api/types.js';

/** One call as the route saw it. */
export interface RouteCall {
  readonly requestId: string;
  readonly startedAt: number;
  readonly mode: RouteMode | null;
  /** null while it is under way. */
  readonly outcome: CallOutcome | null;
  /** The route failed or was busy, and another one took the call. */
  readonly wentElsewhere: boolean;
  readonly tokens: number | null;
  readonly tps: number | null;
  readonly ttftMs: number | null;
  readonly totalMs: number | null;
}

const NEWEST = 10;

/** The newest calls that this route had a part in; figures of a call that another route then served are not its own. */
export function callsOf(calls: readonly CallRecord[], signature: string): RouteCall[] {
  const own: RouteCall[] = [];
  for (const call of calls) {
    const tried = call.attempts.findLast((attempt) => attempt.signature === signature);
    if (tried === undefined && call.routing?.signature !== signature) continue;
    const isServer = (call.attempts.at(-1)?.signature ?? call.routing?.signature) === signature;
    own.push({
      requestId: call.request_id,
      startedAt: Date.parse(call.started_at),
      mode: tried?.mode ?? call.routing?.mode ?? null,
      outcome: isServer ? call.outcome : (tried?.outcome ?? null),
      wentElsewhere: !isServer,
      tokens: isServer ? call.completion_tokens : null,
      tps: isServer ? call.tps : null,
      ttftMs: isServer ? call.ttft_ms : null,
      totalMs: isServer ? call.total_ms : (tried?.ms ?? null),
    });
    if (own.length === NEWEST) break;
  }
  return own;
}
