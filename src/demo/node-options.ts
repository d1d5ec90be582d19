import type { Clock } from '../kernel/clock.js';
import { spanLength, type LayerSpan } from '../kernel/span.js';

/** What a reference node is; only `model` has no default. Durations are in milliseconds unless named otherwise. */
export interface ReferenceNodeOptions {
  readonly model: string;
  /** Without one, the node is a plain server of the whole model. */
  readonly shard?: LayerSpan | undefined;
  /** Needed with a shard; without either, the model counts as one layer. */
  readonly numLayers?: number | undefined;
  /** Base URL of the tracker to register with; without one, the node only serves. */
  readonly tracker?: string | undefined;
  readonly wallet?: string | undefined;
  /** File of the private key that the wallet is then the public one of; made if it isn't there. */
  readonly keyFile?: string | undefined;
  /** File of the token that the tracker asks of nodes; without one none is sent. */
  readonly tokenFile?: string | undefined;
  /** The tracker's name, as it stands in proofs. */
  readonly trackerName?: string | undefined;
  readonly name?: string | undefined;
  readonly host?: string | undefined;
  /** 0 takes any free port. */
  readonly port?: number | undefined;
  /** The address that the tracker and other nodes shall call, when it isn't the one listened on. */
  readonly endpoint?: string | undefined;
  readonly msPerLayer?: number | undefined;
  readonly prefillMsPerToken?: number | undefined;
  /** Sequences that run at once; more wait in line. */
  readonly slots?: number | undefined;
  /** How long the first chat after the start waits for the model to load. */
  readonly loadSeconds?: number | undefined;
  /** Speed to declare, tokens/s for its whole shard; by default what `msPerLayer` comes to. */
  readonly throughputTps?: number | undefined;
  /** Declared to the tracker as `max_concurrent`; not declared by default. */
  readonly maxConcurrent?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
  /** A later hop that is silent for longer has failed. */
  readonly hopTimeoutMs?: number | undefined;
  /** How long `stop` waits for running chats. */
  readonly drainMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** One line of what happened; nothing is written by default. */
  readonly log?: ((line: string) => void) | undefined;
}

/** Layers this node holds. */
export function shardOf(options: ReferenceNodeOptions): LayerSpan {
  return options.shard ?? { start: 0, end: (options.numLayers ?? 1) - 1 };
}

/** Tokens/s of the whole shard: as declared, else what the layers cost, or null where they cost nothing. */
export function declaredTps(options: ReferenceNodeOptions): number | null {
  if (options.throughputTps !== undefined) return options.throughputTps;
  const msPerToken = (options.msPerLayer ?? 0) * spanLength(shardOf(options));
  return msPerToken > 0 ? 1000 / msPerToken : null;
}
