import { identityKey, LeaseUnknownError, MeshnetError, type Clock, type Logger } from '../kernel/index.js';
import type { NodeSpec } from './node.js';
import type { ModelList } from './model-list.js';
import type { ListedModel, StaticEntry } from './nodes-file.js';
import { ProbeRounds } from './probe-rounds.js';
import { ProbeFault, type Probe } from './probe.js';
import type { RegistryService } from './registry.service.js';

/**
 * One listed server. Probed three times a lease: a good answer registers its models or renews their leases,
 * a bad one does nothing, so that a dead server leaves when its lease is over and comes back by itself. A listed model
 * that the server once named, and names no more, leaves at once.
 */
export class StaticNode {
  /** Models whose present lease stands for this very entry, not for a predecessor's. */
  private readonly renewed = new Set<string>();
  /** Listed models that the server's own list has named, by the names it has for them. */
  private readonly named = new Set<string>();
  private readonly abort = new AbortController();
  private readonly rounds: ProbeRounds;
  private told = '';

  constructor(
    readonly entry: StaticEntry,
    private readonly registry: RegistryService,
    private readonly probe: Probe,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Lease ids by model; a successor inherits those of the entry it replaces. */
    private readonly leases = new Map<string, string>(),
  ) {
    this.rounds = new ProbeRounds(clock, registry.heartbeatSeconds * 1000, () => this.probeOnce());
  }

  /** The same server under a changed entry: its leases go over, and the next good probe declares it anew. */
  succeededBy(entry: StaticEntry): StaticNode {
    this.stop();
    return new StaticNode(entry, this.registry, this.probe, this.clock, this.logger, new Map(this.leases));
  }

  /** Probes once, and from then on by the clock; resolves when the first answer is known. */
  start(): Promise<void> {
    return this.rounds.run();
  }

  /** Brings the next probe forward. @returns when it is over, whether there was one */
  probeSoon(): Promise<boolean> {
    return this.rounds.soon();
  }

  /** Stops probing. Its nodes stay until {@link leave} ends them or their leases run out. */
  stop(): void {
    this.abort.abort();
    this.rounds.stop();
  }

  /** Ends the registrations of all its models but those that `keep` names. */
  leave(keep: (model: string) => boolean = () => false): void {
    for (const [model, lease] of this.leases) {
      if (keep(model)) continue;
      this.registry.deregister(lease);
      this.leases.delete(model);
    }
  }

  private async probeOnce(): Promise<void> {
    try {
      const { models } = await this.probe.ask(this.entry, this.abort.signal);
      if (this.abort.signal.aborted) return;
      const listed = this.servedOf(models?.ids ?? null);
      this.leave((model) => listed.some(({ id }) => id === model));
      const refusals = listed.flatMap((model) => this.refusalOf(model) ?? []);
      this.noteContext(listed, models);
      if (refusals.length > 0) this.tell('static_node.refused', { refusals });
      else this.tell('static_node.alive', { models: listed.map(({ id }) => id) });
    } catch (fault) {
      if (this.abort.signal.aborted) return;
      const isKnown = fault instanceof ProbeFault;
      for (const lease of this.leases.values())
        this.registry.probeFailed(lease, isKnown ? fault.port : 'other');
      this.tell('static_node.unavailable', { reason: isKnown ? fault.message : 'unexpected fault' });
      if (!isKnown) this.logger.error({ err: fault }, 'static_node.probe_failed');
    }
  }

  private noteContext(listed: readonly ListedModel[], models: ModelList | null): void {
    for (const { id, upstreamModel } of listed) {
      const lease = this.leases.get(id);
      if (lease === undefined) continue;
      this.registry.noteContext(lease, models?.contextTokens.get(upstreamModel ?? id) ?? null);
    }
  }

  /** The models to register, given the server's own list; null where it gave none. */
  private servedOf(list: readonly string[] | null): readonly ListedModel[] {
    const { models } = this.entry;
    if (models === null) return (list ?? []).map((id) => ({ id, upstreamModel: null }));
    return list === null ? models : models.filter((model) => this.isServed(model, list));
  }

  /** An operator may list names that the server takes but does not name; only one that it gave up is gone. */
  private isServed({ id, upstreamModel }: ListedModel, list: readonly string[]): boolean {
    const name = upstreamModel ?? id;
    if (!list.includes(name)) return !this.named.has(name);
    this.named.add(name);
    return true;
  }

  /** Renews one model; that the registry won't have it must not keep the server's others out. */
  private refusalOf(model: ListedModel): { model: string; reason: string } | null {
    try {
      this.renew(model);
      return null;
    } catch (fault) {
      if (!(fault instanceof MeshnetError)) throw fault;
      return { model: model.id, reason: fault.message };
    }
  }

  private renew(model: ListedModel): void {
    const { wallet, name, endpoint } = this.entry;
    const identity = identityKey(wallet, name, model.id);
    if (this.registry.isDismissed(identity)) return;
    // A node that registered itself knows better; two would take endpoint or identity from each other for ever.
    const holders = [this.registry.holder(endpoint, model.id), this.registry.identified(identity)];
    if (holders.some((holder) => holder?.source === 'registered')) return;
    if (this.renewed.has(model.id) && this.heartbeat(model.id)) return;
    this.leases.set(model.id, this.registry.register(specOf(this.entry, model)).leaseId);
    this.renewed.add(model.id);
  }

  /** Whether the lease could be renewed; it may have run out, or been taken over. */
  private heartbeat(model: string): boolean {
    try {
      this.registry.heartbeat(this.leases.get(model) ?? '', {});
      return true;
    } catch (fault) {
      if (fault instanceof LeaseUnknownError) return false;
      throw fault;
    }
  }

  /** Logs a state once, not with every probe. */
  private tell(event: string, fields: object): void {
    const line = JSON.stringify([event, fields]);
    if (line === this.told) return;
    this.told = line;
    const { wallet, name } = this.entry;
    const level = event === 'static_node.alive' ? 'info' : 'warn';
    this.logger[level]({ node: `${wallet}.${name}`, ...fields }, event);
  }
}

function specOf(entry: StaticEntry, model: ListedModel): NodeSpec {
  return {
    wallet: entry.wallet,
    name: entry.name,
    model: model.id,
    numLayers: entry.numLayers,
    shard: entry.shard,
    source: entry.source,
    endpoint: entry.endpoint,
    throughputTps: entry.throughputTps,
    queueDepth: 0,
    maxConcurrent: entry.maxConcurrent,
    upstreamModel: model.upstreamModel,
    firstByteTimeoutSeconds: entry.firstByteTimeoutSeconds,
    finishReasons: entry.finishReasons,
    access: entry.access,
  };
}
