import type { FinishedCall, MeshEvents } from '../kernel/index.js';
import type { Failure } from './failure-counts.js';

/** A call as far as success and failure go. */
export interface CountedCall {
  /** `neither`: its client left, or asked for what the head refused. */
  readonly result: 'succeeded' | 'failed' | 'neither';
  readonly hadToWait: boolean;
  readonly ttftMs: number | null;
  /** Attempts that failed count, even if another route then served the call. */
  readonly failures: readonly Failure[];
}

/** The client's own doing. */
const NEITHER: ReadonlySet<string> = new Set(['client_left', 'refused']);

const NO_FAILURES: readonly Failure[] = [];

export function countedCall(call: FinishedCall): CountedCall {
  const outcome = call.outcome ?? 'failed';
  const result = outcome === 'completed' ? 'succeeded' : NEITHER.has(outcome) ? 'neither' : 'failed';
  const failures = failuresOf(call, result);
  // Where the queue itself was full, the call was in it for no time worth the name.
  const hadToWait = call.queued_ms > 0 && call.cause !== 'queue_full';
  return { result, hadToWait, ttftMs: call.ttft_ms, failures };
}

function failuresOf(
  { attempts, cause, outcome }: FinishedCall,
  result: CountedCall['result'],
): readonly Failure[] {
  // Nearly all calls have none, and need no list for that.
  let failures = NO_FAILURES;
  for (const { failed_node_id, cause: why } of attempts) {
    if (why !== null) failures = [...failures, { nodeId: failed_node_id, cause: why }];
  }
  if (cause !== null) return [...failures, { nodeId: null, cause }];
  // Each head had too much to do, which is no node's fault; but whoever looks for failures has to find it.
  if (result === 'failed' && failures.length === 0) return [{ nodeId: null, cause: outcome ?? 'failed' }];
  return failures;
}

/** A chat of a known model that got no route, where that was not for what its client sent; else null. */
export function countedTurnAway({ model, status, code }: MeshEvents['chat.turned_away']): CountedCall | null {
  if (model === null || (status < 500 && status !== 429)) return null;
  return { result: 'failed', hadToWait: false, ttftMs: null, failures: [{ nodeId: null, cause: code }] };
}
