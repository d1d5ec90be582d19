/**
 * A call that is over, as observers of the bus read it. The calls room keeps more and knows the words of `mode`,
 * `outcome` and `sample`; the kernel knows no rooms, so here they are text.
 */
export interface FinishedCall {
  readonly request_id: string;
  readonly model: string;
  readonly stream: boolean;
  /** Whose chat it was, by the name of the key; null: nobody’s in particular. */
  readonly key_name: string | null;
  readonly routing: {
    readonly mode: string;
    readonly signature: string;
    readonly probability: number;
  } | null;
  readonly attempts: readonly FinishedAttempt[];
  /** null of a call that is still open, which no event tells of. */
  readonly outcome: string | null;
  /** Code of the fault that ended a call no attempt came to serve; null where the attempts tell. */
  readonly cause: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly tps: number | null;
  readonly queued_ms: number;
  readonly ttft_ms: number | null;
  readonly total_ms: number | null;
  /** `recorded`, or why the call was no sample of its route's speed. */
  readonly sample: string | null;
}

/** One route that a call tried. */
export interface FinishedAttempt {
  readonly signature: string;
  readonly mode: string;
  readonly probability: number;
  readonly outcome: string | null;
  /** HTTP status of the head, or null when it gave none. */
  readonly status: number | null;
  readonly ms: number | null;
  /** The node that failed, and the code of its fault; null of a success and of what was no node's doing. */
  readonly failed_node_id: string | null;
  readonly cause: string | null;
}
