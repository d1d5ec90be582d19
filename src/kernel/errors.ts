import { isModelKey } from './ids.js';
import type { LayerSpan } from './span.js';

/**
 * A fault with a stable `code`. The domain throws these and knows no HTTP; the http room maps each to a
 * status and OpenAI's shape. `param` names the field at fault, or is null.
 */
export abstract class MeshnetError extends Error {
  abstract readonly code: string;
  readonly param: string | null = null;
  /** Seconds after which trying again makes sense, or null where it doesn't. */
  readonly retryAfterSeconds: number | null = null;
}

/** What the caller sent can't be understood; nothing was done with it. */
export class InvalidRequestError extends MeshnetError {
  override readonly param: string | null;

  constructor(
    message: string,
    param: string | null,
    readonly code = 'invalid_request',
  ) {
    super(message);
    this.param = param;
  }
}

export class PayloadTooLargeError extends MeshnetError {
  readonly code = 'request_too_large';
}

export class MethodNotAllowedError extends MeshnetError {
  readonly code = 'method_not_allowed';
}

export class UnsupportedMediaError extends MeshnetError {
  readonly code = 'unsupported_media_type';
}

/** A chat came back to the tracker that had sent it on: a node leads here. */
export class LoopError extends MeshnetError {
  readonly code = 'loop_detected';

  constructor() {
    super(
      'This chat came back to the tracker that sent it on: the endpoint of a node leads to the tracker itself.',
    );
  }
}

/** A node can't show that it is its wallet's, where it has to or says it can. */
export class WalletProofError extends MeshnetError {
  override readonly param = 'proof';

  constructor(
    message: string,
    readonly code: 'wallet_proof_required' | 'wallet_proof_invalid',
  ) {
    super(message);
  }
}

/** It contradicts what is already known (another num_layers for a model, an ambiguous node id). */
export class ConflictError extends MeshnetError {
  readonly code = 'conflict';

  constructor(
    message: string,
    override readonly param: string | null,
  ) {
    super(message);
  }
}

export class NotFoundError extends MeshnetError {
  readonly code: string = 'not_found';
}

export class ModelNotFoundError extends NotFoundError {
  override readonly code = 'model_not_found';
  override readonly param = 'model';

  constructor(model: string) {
    // What can't be a model's name, a page full of letters say, is not repeated.
    const named = isModelKey(model) ? `The model ${JSON.stringify(model)}` : 'A model of this name';
    super(`${named} does not exist on this mesh.`);
  }
}

/** The lease is unknown or over: the node has to register again. */
export class LeaseUnknownError extends NotFoundError {
  override readonly code = 'lease_unknown';

  constructor() {
    super('This lease is not known or has ended: register again with POST /v1/nodes.');
  }
}

export class NodeNotFoundError extends NotFoundError {
  override readonly code = 'node_not_found';
  override readonly param = 'node_id';
}

/** The model is known, but no chain of live nodes covers its layers. */
export class NoRouteError extends MeshnetError {
  readonly code = 'no_route';
  override readonly retryAfterSeconds: number;

  constructor(
    message: string,
    readonly gaps: readonly LayerSpan[],
    retryAfterSeconds: number,
  ) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** What is remembered is too little to answer from. */
export class TooFewCallsError extends MeshnetError {
  readonly code = 'too_few_calls';
  override readonly param = 'window';

  constructor(found: number, least: number) {
    super(`A replay needs at least ${String(least)} calls; this window has ${String(found)}.`);
  }
}

/**
 * Every route that could serve the call is full, and it has waited, or the queue is, as long as allowed; or the nodes of
 * all routes rest for longer than that.
 */
export class QueueError extends MeshnetError {
  constructor(
    message: string,
    readonly code: 'queue_full' | 'queue_timeout' | 'nodes_resting',
    override readonly retryAfterSeconds = 5,
  ) {
    super(message);
  }
}

/** This caller asks more than one caller may. */
export class RateLimitedError extends MeshnetError {
  readonly code = 'rate_limit_exceeded';

  constructor(
    message: string,
    override readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

/** More is under way than this tracker may hold. */
export class OverloadedError extends MeshnetError {
  readonly code = 'overloaded';
  override readonly retryAfterSeconds = 1;
}

/** A node, or the way to it, failed; `code` says how. */
export class NodeFailedError extends MeshnetError {
  constructor(
    message: string,
    readonly code:
      | 'node_unreachable'
      | 'node_failed'
      | 'node_misconfigured'
      | 'no_completion'
      | 'answer_aborted'
      | 'answer_cut_off'
      | 'endpoint_refused',
  ) {
    super(message);
  }
}

/** A node took longer than a setting allows; the message names both. */
export class NodeTimeoutError extends MeshnetError {
  readonly code = 'node_timeout';
}

/** The tracker is going down and takes nothing new. */
export class ShuttingDownError extends MeshnetError {
  readonly code = 'shutting_down';
  override readonly retryAfterSeconds = 1;

  constructor() {
    super('This tracker is shutting down.');
  }
}
