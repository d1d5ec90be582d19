import { identityKey, nodeIdOf, randomId, type LayerSpan } from '../kernel/index.js';
import type { MeshNode, NodeSource, NodeSpec, ProbeResult } from './node.js';

/** The registry's own, changeable side of a {@link MeshNode}. */
export class NodeRecord implements MeshNode {
  readonly key: string;
  readonly nodeId: string;
  readonly wallet: string;
  readonly name: string | null;
  readonly model: string;
  readonly shard: LayerSpan | null;
  source!: NodeSource;
  endpoint!: string;
  throughputTps!: number | null;
  queueDepth!: number;
  maxConcurrent!: number | null;
  upstreamModel!: string | null;
  firstByteTimeoutSeconds!: number | null;
  finishReasons!: NodeSpec['finishReasons'];
  contextTokens: number | null = null;
  lastProbe: ProbeResult | null = null;
  incarnation = 0;
  drainedByOperator = false;
  drainedByNode = false;
  present = true;
  leaseId = '';
  lastSignAt!: number;
  heardAt!: number;
  /** Monotonic ms of the last failed probe whose connection was accepted. */
  acceptedAt = -Infinity;

  constructor(spec: NodeSpec, now: number) {
    this.key = identityKey(spec.wallet, spec.name, spec.model);
    this.nodeId = nodeIdOf(spec.wallet, spec.name, spec.shard);
    this.wallet = spec.wallet;
    this.name = spec.name;
    this.model = spec.model;
    this.shard = spec.shard;
    this.describe(spec, now);
  }

  hasShard(shard: LayerSpan | null): boolean {
    return this.shard?.start === shard?.start && this.shard?.end === shard?.end;
  }

  /** Takes over what a registration says, under a new lease. */
  describe(spec: NodeSpec, now: number): void {
    this.source = spec.source;
    this.endpoint = spec.endpoint;
    this.throughputTps = spec.throughputTps;
    this.queueDepth = spec.queueDepth;
    this.maxConcurrent = spec.maxConcurrent;
    this.upstreamModel = spec.upstreamModel;
    this.firstByteTimeoutSeconds = spec.firstByteTimeoutSeconds;
    this.finishReasons = spec.finishReasons;
    this.leaseId = randomId();
    this.incarnation += 1;
    this.renew(now);
  }

  /** Notes a sign of life that the node gave itself. */
  heard(now: number): void {
    this.lastSignAt = now;
    this.heardAt = now;
  }

  /** It said that it is there, or answered a probe. */
  renew(now: number): void {
    this.heard(now);
    this.lastProbe = this.source === 'registered' ? null : 'ok';
  }
}
