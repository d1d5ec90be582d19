import type { Cancel, Clock, EventBus } from '../kernel/index.js';
import type { MeshNode } from '../registry/index.js';

/** A time in which a node asked to get no chats. */
export interface Rest {
  /** The registration of the node that asked for it. */
  readonly incarnation: number;
  /** Monotonic ms. */
  readonly until: number;
  /** The end that was published last. */
  readonly publishedUntil: number;
  readonly cancel: Cancel;
}

/** Responses to chats that ran at once ask for nearly the same rest: one event tells of it. */
const WORTH_TELLING_MS = 1000;

/** The rests of all nodes, by the node itself. Each has one timer, which ends it. */
export class Rests {
  private readonly rests = new Map<MeshNode, Rest>();
  private readonly versions = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly bus: EventBus,
  ) {}

  get isAny(): boolean {
    return this.rests.size > 0;
  }

  of(node: MeshNode): Rest | null {
    return this.isAny ? (this.rests.get(node) ?? null) : null;
  }

  /** Milliseconds left; 0 while it does not rest. */
  leftMs(node: MeshNode): number {
    const rest = this.of(node);
    return rest === null ? 0 : Math.max(0, rest.until - this.clock.now());
  }

  /** Changes whenever a rest of the model's nodes begins, gets notably longer or ends. */
  version(model: string): number {
    return this.versions.get(model) ?? 0;
  }

  /** Lets a node rest. One that rests already goes on to whichever end is later: both limits have to pass. */
  begin(node: MeshNode, ms: number): void {
    const until = this.clock.now() + ms;
    const before = this.of(node);
    if (before !== null && before.until >= until) return;
    before?.cancel();
    const cancel = this.clock.after(ms, () => this.end(node));
    const isNews = before === null || until - before.publishedUntil >= WORTH_TELLING_MS;
    const publishedUntil = isNews ? until : before.publishedUntil;
    this.rests.set(node, { incarnation: node.incarnation, until, publishedUntil, cancel });
    if (isNews) this.changed(node, ms / 1000);
  }

  end(node: MeshNode): void {
    const rest = this.of(node);
    if (rest === null) return;
    rest.cancel();
    this.rests.delete(node);
    if (node.present) this.changed(node, 0);
  }

  /** Ends the rests that an earlier registration asked for, or a node that has left. */
  endOutdated(): void {
    for (const [node, { incarnation }] of [...this.rests]) {
      if (!node.present || node.incarnation !== incarnation) this.end(node);
    }
  }

  forget(model: string): void {
    this.versions.delete(model);
  }

  stop(): void {
    for (const { cancel } of this.rests.values()) cancel();
    this.rests.clear();
  }

  private changed({ model, nodeId }: MeshNode, seconds: number): void {
    this.versions.set(model, this.version(model) + 1);
    this.bus.publish('node.resting', { model, node_id: nodeId, seconds, at: this.clock.wallMs() });
  }
}
