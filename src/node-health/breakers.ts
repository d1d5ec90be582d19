import type { Cancel, Clock, EventBus } from '../kernel/index.js';
import type { MeshNode, RegistryService } from '../registry/index.js';
import {
  afterDetour,
  afterFailure,
  afterForgiven,
  afterSuccess,
  afterWaiting,
  CLOSED_BREAKER,
  isBlocking,
  withoutProbe,
  withProbe,
  type Breaker,
} from './breaker.js';

/** At most this share of a model's nodes may be shut out; beyond it something else than the nodes is wrong. */
const MOST_OPEN_SHARE = 0.5;

/** The breakers of all nodes, by the node itself, so that they go with it. */
export class Breakers {
  private readonly breakers = new WeakMap<MeshNode, Breaker>();
  private readonly versions = new Map<string, number>();
  /** What ends the waiting of each open one. */
  private readonly waiting = new Map<MeshNode, Cancel>();

  constructor(
    private readonly clock: Clock,
    private readonly bus: EventBus,
    private readonly registry: RegistryService,
  ) {}

  of(node: MeshNode): Breaker {
    return this.breakers.get(node) ?? CLOSED_BREAKER;
  }

  isBlocking(node: MeshNode): boolean {
    return isBlocking(this.of(node));
  }

  /** Changes whenever a node of the model starts or stops being blocked. */
  version(model: string): number {
    return this.versions.get(model) ?? 0;
  }

  forget(model: string): void {
    this.versions.delete(model);
  }

  /** A call goes to the node. @returns whether it is the probe of a half-open breaker */
  enter(node: MeshNode): boolean {
    const breaker = this.of(node);
    if (breaker.state !== 'half_open' || breaker.isProbing) return false;
    this.change(node, withProbe(breaker));
    return true;
  }

  failed(node: MeshNode): void {
    this.change(node, afterFailure(this.of(node), this.canSpare(node)));
  }

  /** Takes one failure back. */
  forgiven(node: MeshNode): void {
    const breaker = this.breakers.get(node);
    if (breaker !== undefined && breaker.failuresInRow > 0) this.change(node, afterForgiven(breaker));
  }

  detoured(node: MeshNode): void {
    this.change(node, afterDetour(this.of(node), this.canSpare(node)));
  }

  succeeded(node: MeshNode): void {
    const breaker = this.breakers.get(node);
    // Nearly always: it was closed, with nothing to forgive.
    if (breaker !== undefined && breaker !== CLOSED_BREAKER) this.change(node, afterSuccess());
  }

  /** What it says of the node, if anything, is told next. */
  probeEnded(node: MeshNode): void {
    this.change(node, withoutProbe(this.of(node)));
  }

  stop(): void {
    for (const cancel of this.waiting.values()) cancel();
    this.waiting.clear();
  }

  private canSpare(node: MeshNode): boolean {
    const nodes = this.registry.serving(node.model);
    const blocked = nodes.filter((other) => other !== node && this.isBlocking(other)).length;
    return blocked + 1 <= nodes.length * MOST_OPEN_SHARE;
  }

  private change(node: MeshNode, after: Breaker): void {
    const before = this.of(node);
    // First of all: without its timer an open one would stay so.
    if (before.state !== after.state) this.waitOut(node, after);
    this.breakers.set(node, after);
    if (isBlocking(before) !== isBlocking(after)) this.versions.set(node.model, this.version(node.model) + 1);
    if (before.state === after.state) return;
    this.bus.publish('breaker.changed', {
      model: node.model,
      node_id: node.nodeId,
      from: before.state,
      to: after.state,
      at: this.clock.wallMs(),
    });
  }

  /** An open one waits, for as long as it stays open. */
  private waitOut(node: MeshNode, { state, openMs }: Breaker): void {
    this.waiting.get(node)?.();
    this.waiting.delete(node);
    if (state !== 'open') return;
    const cancel = this.clock.after(openMs, () => {
      if (node.present) this.change(node, afterWaiting(this.of(node)));
      else this.waiting.delete(node);
    });
    this.waiting.set(node, cancel);
  }
}
