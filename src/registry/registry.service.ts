import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  CLOCK,
  ConflictError,
  EventBus,
  LeaseUnknownError,
  NodeNotFoundError,
  type Clock,
  type MembershipCause,
} from '../kernel/index.js';
import { CALL_SETTINGS, NODES_SETTINGS, type CallSettings, type NodesSettings } from '../settings/index.js';
import { LeaseClock } from './lease-clock.js';
import { ModelCatalog } from './model-catalog.js';
import { NodeIndex } from './node-index.js';
import { NodeRecord } from './node-record.js';
import { isServing, type MeshNode, type NodeAccess, type NodeSpec } from './node.js';
import { isAtWork, lastHeard, NO_ATTEMPTS, type AttemptsUnderWay, type PortState } from './work-under-way.js';

/** What a registration got: the node, its new lease, and whether its identity was unknown before. */
export interface Registered {
  readonly node: MeshNode;
  readonly leaseId: string;
  readonly isNew: boolean;
}

/** What a heartbeat may say; what it leaves out stays as it was. */
export interface NodeReport {
  readonly queueDepth?: number | null | undefined;
  readonly throughputTps?: number | null | undefined;
  readonly status?: 'ready' | 'draining' | null | undefined;
}

const NO_ACCESS: NodeAccess = { headers: {} };

/**
 * Which nodes are here. Announces `node.joined` and `node.left` whenever a node starts or stops being one that
 * chats may go to; the topology counts its epochs by that.
 */
@Injectable()
export class RegistryService implements OnModuleDestroy {
  private readonly index = new NodeIndex();
  private readonly access = new WeakMap<MeshNode, NodeAccess>();
  private readonly catalog = new ModelCatalog();
  /** Listed nodes that an operator ended, by identity: their probes must not bring them back. */
  private readonly dismissed = new Set<string>();
  private readonly leases: LeaseClock;
  private attempts = NO_ATTEMPTS;

  constructor(
    @Inject(NODES_SETTINGS) settings: NodesSettings,
    @Inject(CALL_SETTINGS) private readonly calls: CallSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly bus: EventBus,
  ) {
    this.leases = new LeaseClock(clock, settings.leaseSeconds * 1000, () => this.lookAfterAll());
  }

  onModuleDestroy(): void {
    this.leases.stop();
  }

  /** A node is told to heartbeat this often; listed servers are probed as often. */
  get heartbeatSeconds(): number {
    return this.leases.heartbeatMs / 1000;
  }

  get leaseSeconds(): number {
    return this.leases.leaseMs / 1000;
  }

  /**
   * Takes a node in, or replaces what its identity was before; the old lease dies either way.
   *
   * @param takesOver whose nodes it may take an endpoint from
   * @throws InvalidRequestError | ConflictError when it contradicts the model's layers, or takes what it may not;
   *   nothing is changed then
   */
  register(spec: NodeSpec, takesOver: 'any' | 'own wallet' = 'any'): Registered {
    this.catalog.check(spec.model, spec.numLayers, spec.shard);
    if (takesOver === 'own wallet') this.checkEndpoint(spec);
    const fresh = new NodeRecord(spec, this.clock.now());
    const before = this.index.withKey(fresh.key);
    this.takeEndpoint(fresh);
    const node = before === undefined ? this.welcome(fresh, spec) : this.replace(before, fresh, spec);
    this.access.set(node, spec.access);
    this.leases.lookBy(this.leases.nextLook(this.clock.now()));
    return { node, leaseId: node.leaseId, isNew: before === undefined };
  }

  /** @throws LeaseUnknownError when the lease is unknown, was replaced or has run out */
  heartbeat(leaseId: string, report: NodeReport): MeshNode {
    const node = this.index.withLease(leaseId);
    if (node === undefined || this.leases.isOver(node.lastSignAt)) throw new LeaseUnknownError();
    node.renew(this.clock.now());
    node.queueDepth = report.queueDepth ?? node.queueDepth;
    node.throughputTps = report.throughputTps ?? node.throughputTps;
    const status = report.status ?? null;
    if (status !== null) {
      const draining = status === 'draining';
      this.changeServing(node, draining ? 'drained' : 'resumed', () => (node.drainedByNode = draining));
    }
    return node;
  }

  /** Takes the counter of attempts under way; its owner calls this once, when constructed. */
  countAttemptsBy(attempts: AttemptsUnderWay): void {
    this.attempts = attempts;
  }

  /** Notes that a listed server gave no good answer. Its lease goes on only while the server is at work for us. */
  probeFailed(leaseId: string, port: PortState = 'other'): void {
    const node = this.index.withLease(leaseId);
    if (node === undefined) return;
    node.lastProbe = 'failed';
    const now = this.clock.now();
    if (port === 'accepts') node.acceptedAt = now;
    if (!this.leases.isOver(node.lastSignAt) && this.isAtWork(node, port, now)) node.lastSignAt = now;
  }

  /** A listed server's own list of models tells how long a context it serves. */
  noteContext(leaseId: string, tokens: number | null): void {
    const node = this.index.withLease(leaseId);
    if (node !== undefined) node.contextTokens = tokens;
  }

  /** Any byte of a chat is a sign of life too. */
  touch(node: MeshNode, now = this.clock.now()): void {
    const record = this.index.withKey(node.key);
    if (record === node) record.heard(now);
  }

  /** The node says goodbye; an unknown lease is one that has gone already. */
  deregister(leaseId: string): void {
    const node = this.index.withLease(leaseId);
    if (node !== undefined) this.remove(node, 'deregistered');
  }

  /**
   * An operator takes a node out of new chats; this outlasts its heartbeats and re-registrations.
   *
   * @throws NodeNotFoundError | ConflictError when no or several models have this node id
   */
  drain(nodeId: string, model: string | null): MeshNode {
    const node = this.theOne(nodeId, model);
    this.changeServing(node, 'drained', () => (node.drainedByOperator = true));
    return node;
  }

  /** Takes back an operator's drain, and the node's own. Throws as {@link drain} does. */
  resume(nodeId: string, model: string | null): MeshNode {
    const node = this.theOne(nodeId, model);
    this.changeServing(node, 'resumed', () => {
      node.drainedByOperator = false;
      node.drainedByNode = false;
    });
    return node;
  }

  /** An operator ends a node's registration; one that isn't here has been ended already. */
  delete(nodeId: string, model: string | null): void {
    if (this.index.withId(nodeId, model).length === 0) return;
    const node = this.theOne(nodeId, model);
    if (node.source !== 'registered') this.dismissed.add(node.key);
    this.remove(node, 'deleted');
  }

  /** Whether an operator deleted this listed node since the list was read last. */
  isDismissed(key: string): boolean {
    return this.dismissed.has(key);
  }

  /** The list was read again: what stands in it counts anew. */
  forgetDismissals(): void {
    this.dismissed.clear();
  }

  /** All nodes that are here, drained ones too, in the order of their first registration. */
  nodes(model: string | null = null): MeshNode[] {
    return model === null ? this.index.all() : this.index.ofModel(model);
  }

  /** The nodes of a model to which chats may go. */
  serving(model: string): MeshNode[] {
    return this.nodes(model).filter(isServing);
  }

  /** Who is registered at this endpoint for this model, or null. */
  holder(endpoint: string, model: string): MeshNode | null {
    return this.index.at(endpoint).find((node) => node.model === model) ?? null;
  }

  /** The node of this identity (see `identityKey`), or null. */
  identified(key: string): MeshNode | null {
    return this.index.withKey(key) ?? null;
  }

  /** Whether any node, of whatever model, is at this endpoint. */
  isInUse(endpoint: string): boolean {
    return this.index.at(endpoint).length > 0;
  }

  /** Whether an operator named this endpoint, in the nodes file or by a flag. */
  isListed(endpoint: string): boolean {
    return this.index.at(endpoint).some(({ source }) => source !== 'registered');
  }

  accessOf(node: MeshNode): NodeAccess {
    return this.access.get(node) ?? NO_ACCESS;
  }

  isKnown(model: string): boolean {
    return this.catalog.has(model);
  }

  /** In the order in which they became known. */
  knownModels(): string[] {
    return this.catalog.keys();
  }

  /** Declared layers of a model, or null where nobody declared any. */
  numLayers(model: string): number | null {
    return this.catalog.numLayers(model);
  }

  /** Unix time in ms since when the model is known, or null. */
  knownSinceMs(model: string): number | null {
    return this.catalog.knownSinceMs(model);
  }

  private isAtWork(node: NodeRecord, port: PortState, now: number): boolean {
    const { endpoint, acceptedAt, firstByteTimeoutSeconds } = node;
    const heardAt = lastHeard(this.index.at(endpoint));
    const firstByteMs = (firstByteTimeoutSeconds ?? this.calls.firstByteTimeoutSeconds) * 1000;
    return isAtWork({ heardAt, acceptedAt, firstByteMs }, port, this.attempts.onEndpoint(endpoint), now);
  }

  private checkEndpoint({ endpoint, wallet }: NodeSpec): void {
    if (this.index.at(endpoint).some((other) => other.wallet !== wallet)) {
      throw new ConflictError('A node of another wallet is at this endpoint.', 'endpoint');
    }
  }

  private takeEndpoint(fresh: NodeRecord): void {
    for (const other of this.index.at(fresh.endpoint)) {
      if (other.key === fresh.key) continue;
      if (fresh.shard !== null || other.model === fresh.model) this.remove(other, 'endpoint_taken');
    }
  }

  private welcome(node: NodeRecord, spec: NodeSpec): NodeRecord {
    this.insert(node, spec);
    this.announce('node.joined', node, 'registered');
    return node;
  }

  private replace(before: NodeRecord, fresh: NodeRecord, spec: NodeSpec): NodeRecord {
    const layersBecomeKnown = spec.numLayers !== null && this.catalog.numLayers(spec.model) === null;
    if (!before.hasShard(spec.shard) || layersBecomeKnown) return this.reshard(before, fresh, spec);
    this.index.reindex(before, () => before.describe(spec, this.clock.now()));
    this.changeServing(before, 'resumed', () => (before.drainedByNode = false));
    const { model, nodeId: node_id } = before;
    this.bus.publish('node.registered_again', { model, node_id, at: this.clock.wallMs() });
    return before;
  }

  /** Another span is another arm: the old node goes and the new one comes, in one step and one bump. */
  private reshard(before: NodeRecord, fresh: NodeRecord, spec: NodeSpec): NodeRecord {
    const wasServing = isServing(before);
    fresh.incarnation += before.incarnation;
    fresh.drainedByOperator = before.drainedByOperator;
    this.take(before);
    this.insert(fresh, spec);
    if (wasServing) this.announce('node.left', before, 'resharded');
    if (isServing(fresh)) this.announce('node.joined', fresh, wasServing ? 'resharded' : 'resumed');
    return fresh;
  }

  private remove(node: NodeRecord, cause: MembershipCause): void {
    const wasServing = isServing(node);
    this.take(node);
    if (wasServing) this.announce('node.left', node, cause);
  }

  /** Runs a change and announces it when the node thereby joins or leaves those that chats may go to. */
  private changeServing(node: NodeRecord, cause: MembershipCause, change: () => void): void {
    const before = isServing(node);
    change();
    const after = isServing(node);
    if (before !== after) this.announce(after ? 'node.joined' : 'node.left', node, cause);
  }

  private announce(type: 'node.joined' | 'node.left', node: MeshNode, cause: MembershipCause): void {
    this.bus.publish(type, {
      model: node.model,
      node_id: node.nodeId,
      shard_start: node.shard?.start ?? null,
      shard_end: node.shard?.end ?? null,
      cause,
      at: this.clock.wallMs(),
    });
  }

  private insert(node: NodeRecord, spec: NodeSpec): void {
    this.index.insert(node);
    this.catalog.nodeJoined(node.model, spec.numLayers, this.clock.wallMs());
  }

  private take(node: NodeRecord): void {
    node.present = false;
    this.index.take(node);
    this.catalog.nodeLeft(node.model, this.clock.now());
    // Leases may be longer than the day after which an empty model is forgotten.
    this.leases.lookBy(this.catalog.nextDue());
  }

  private theOne(nodeId: string, model: string | null): NodeRecord {
    const [node, other] = this.index.withId(nodeId, model);
    if (node === undefined) throw new NodeNotFoundError('No node with this id is here.');
    if (other !== undefined) {
      throw new ConflictError('Several models have a node with this id: add ?model=.', 'model');
    }
    return node;
  }

  /** @returns when to look again */
  private lookAfterAll(): number {
    for (const node of this.index.all()) {
      if (this.leases.isOver(node.lastSignAt)) this.remove(node, 'lease_expired');
    }
    for (const model of this.catalog.forgetDue(this.clock.now())) {
      this.bus.publish('model.forgotten', { model, at: this.clock.wallMs() });
    }
    const oldestSign = this.index.all().reduce((oldest, node) => Math.min(oldest, node.lastSignAt), Infinity);
    return Math.min(this.leases.nextLook(oldestSign), this.catalog.nextDue());
  }
}
