import type { LayerSpan } from '../kernel/index.js';

/** Where a node came from: it registered itself, an operator listed it, or a `--node` flag named it. */
export type NodeSource = 'registered' | 'nodes_file' | 'flag';

/** How a listed server's last probe ended. */
export type ProbeResult = 'ok' | 'failed';

/** What is said of a node, by itself or by an operator. */
export interface NodeTraits {
  readonly wallet: string;
  readonly name: string | null;
  readonly model: string;
  /** null: the whole model. */
  readonly shard: LayerSpan | null;
  readonly source: NodeSource;
  readonly endpoint: string;
  /** Tokens/s for its whole shard as declared, or null. */
  readonly throughputTps: number | null;
  /** Requests waiting or running on it, as it said last. */
  readonly queueDepth: number;
  readonly maxConcurrent: number | null;
  /** What the node itself calls the model, where that differs. */
  readonly upstreamModel: string | null;
  readonly firstByteTimeoutSeconds: number | null;
  /** Whether it says why a choice of an answer ended, or never does. */
  readonly finishReasons: 'sent' | 'never';
}

/**
 * One process that serves a shard of one model. The registry alone changes it; everybody else reads the live
 * object, so that a moved endpoint or a new queue depth counts at once. What is secret is not in here
 * (see {@link NodeAccess}).
 */
export interface MeshNode extends NodeTraits {
  /** Identity (wallet, name, model) as one string, the same over re-registrations. */
  readonly key: string;
  /** `<wallet>[.<name>]:<start>-<end>` or `…:all`; unique within a model. */
  readonly nodeId: string;
  /** Counts registrations of this identity; results of an earlier one are not the present one's. */
  readonly incarnation: number;
  readonly drainedByOperator: boolean;
  readonly drainedByNode: boolean;
  /** Monotonic ms of the last sign of life: a heartbeat, a byte of a chat, or a long attempt under way. */
  readonly lastSignAt: number;
  /** The context's length in tokens as its list of models gives it, or null. */
  readonly contextTokens: number | null;
  /** The same without attempts under way: when the node itself was heard last. */
  readonly heardAt: number;
  /** null: it registered itself and is not probed. */
  readonly lastProbe: ProbeResult | null;
  /** False from the moment it left; whoever still holds it must not route to it. */
  readonly present: boolean;
}

/** What a node is shown to be allowed in: sent to that node only, never listed, logged or serialised. */
export interface NodeAccess {
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Everything that a registration, a nodes-file entry or a flag says, checked. */
export interface NodeSpec extends NodeTraits {
  /** Layers of the whole model as declared by this registration, or null. */
  readonly numLayers: number | null;
  readonly access: NodeAccess;
}

/** Whether new chats may go there. */
export function isServing(node: MeshNode): boolean {
  return node.present && !node.drainedByOperator && !node.drainedByNode;
}
