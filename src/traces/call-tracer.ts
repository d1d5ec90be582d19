import type { IncomingHttpHeaders } from 'node:http';
import type { TraceHeaders } from './trace-context.js';

/** A call that has come in. */
export interface CallBeginning {
  readonly requestId: string;
  readonly stream: boolean;
  /** Monotonic ms. */
  readonly at: number;
  /** Unix ms. */
  readonly wallMs: number;
}

/** How it came in. */
export interface CallOrigin {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A route that was chosen, as the routing room's decision tells of it. */
export interface RouteChoice {
  readonly model: string;
  readonly signature: string;
  readonly mode: string;
  readonly probability: number;
  readonly route: {
    readonly hops: readonly { readonly node: { readonly nodeId: string; readonly endpoint: string } }[];
  };
  readonly considered: {
    readonly eligible: readonly unknown[];
    readonly leftOut: readonly unknown[];
    readonly moreEligible?: number;
    readonly moreLeftOut?: number;
  };
}

/** What an attempt came to, as the relay tells of it. */
export interface AttemptFacts {
  readonly outcome: string;
  readonly headStatus: number | null;
  /** The node of the route that failed; never a name that only the head knows. */
  readonly failedNodeId: string | null;
  readonly fault: { readonly code: string } | null;
  readonly usage: { readonly promptTokens: number | null; readonly completionTokens: number | null } | null;
}

/** What became of it as a sample. */
export type SampleFacts =
  { readonly kind: 'sample'; readonly tps: number } | { readonly kind: 'rejected'; readonly reason: string };

/** A call that is over, as its record tells of it. */
export interface CallFacts {
  readonly model: string;
  readonly outcome: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly tokens_estimated: boolean;
  readonly tps: number | null;
  readonly queued_ms: number;
  readonly ttft_ms: number | null;
  readonly sample: string | null;
}

/** What the client of a call was told in the end. */
export interface ClientTold {
  /** null: it left before it was told anything. */
  readonly status: number | null;
  /** Code of the fault, if it was one; low in number, like error codes. */
  readonly cause: string | null;
}

/** A call that came to nothing: no route, no waiting. `model` is null unless the mesh knows it. */
export interface TurnedAway {
  readonly model: string | null;
  readonly code: string;
  readonly status: number;
}

/** One call's part of a trace. Whoever serves the call tells it what happens, in this order, and asks nothing but `headers`. */
export interface CallTrace {
  /** For the head of the attempt under way; null: whatever the client sent. */
  readonly headers: TraceHeaders | null;
  /** It waits for a node with room. */
  queued(): void;
  /** A route was chosen, and an attempt over it begins. */
  attempt(choice: RouteChoice): void;
  attemptEnded(facts: AttemptFacts, sample: SampleFacts): void;
  ended(call: CallFacts, told: ClientTold): void;
  turnedAway(fact: TurnedAway): void;
}

export interface CallTracer {
  begin(call: CallBeginning, origin: CallOrigin): CallTrace;
  /** Hands over what is not yet handed over, within a bound. Nothing is traced after it. */
  stop(): Promise<void>;
}

/** Injection token of the {@link CallTracer}. */
export const CALL_TRACER = Symbol('CallTracer');

const nothing = (): void => undefined;

/** What most calls have: one object for all of them. */
export const NO_TRACE: CallTrace = {
  headers: null,
  queued: nothing,
  attempt: nothing,
  attemptEnded: nothing,
  ended: nothing,
  turnedAway: nothing,
};

export const NO_TRACES: CallTracer = {
  begin: () => NO_TRACE,
  stop: () => Promise.resolve(),
};
