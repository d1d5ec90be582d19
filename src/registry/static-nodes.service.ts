import { stat } from 'node:fs/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  CLOCK,
  EventBus,
  LOGGER,
  readSmallFile,
  type Cancel,
  type Clock,
  type Logger,
} from '../kernel/index.js';
import { NodeNetworksService } from '../node-networks/index.js';
import { ENV_LOOKUP, NODES_SETTINGS, type EnvLookup, type NodesSettings } from '../settings/index.js';
import type { MeshNode } from './node.js';
import { entryOfUrl, NodesFileFault, parseNodesFile, twinFaults, type StaticEntry } from './nodes-file.js';
import { Probe } from './probe.js';
import { RegistryService } from './registry.service.js';
import { StaticNode } from './static-node.js';

/** Watching by look: file events don't cross bind mounts and replaced files. */
const LOOK_EVERY_MS = 2000;
const LONGEST_PROBE_MS = 10_000;
/** Faults of a file that are named in the log. */
const MOST_LOGGED = 50;
/** A thousand nodes take about a quarter of a MiB. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Keeps the servers of the nodes file and of `--node` flags in the registry. */
@Injectable()
export class StaticNodesService implements OnModuleDestroy {
  private readonly nodes = new Map<string, StaticNode>();
  private readonly probe: Probe;
  private cancelLook: Cancel | null = null;
  private seen = '';
  private probed = false;
  private stopped = false;

  constructor(
    @Inject(NODES_SETTINGS) private readonly settings: NodesSettings,
    @Inject(ENV_LOOKUP) private readonly env: EnvLookup,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: RegistryService,
    private readonly bus: EventBus,
    networks: NodeNetworksService,
  ) {
    this.probe = new Probe(networks, Math.min(LONGEST_PROBE_MS, (registry.leaseSeconds * 1000) / 3));
  }

  /** Whether every server that was listed at start has been asked once. */
  get firstProbeDone(): boolean {
    return this.probed;
  }

  /**
   * Whether the file can be used, to be asked before anything is started.
   *
   * @throws NodesFileFault
   */
  check(): void {
    this.read();
  }

  /** Asks every listed server once; resolves when all have answered or failed to. Throws as {@link check} does. */
  async start(): Promise<void> {
    this.seen = await this.look();
    await this.apply(this.read());
    this.probed = true;
    this.lookAgain();
  }

  /** Reads the file again; a faulty one changes nothing and is told. Resolves once new entries were asked. */
  async reload(): Promise<void> {
    this.seen = await this.look();
    if (this.stopped) return;
    try {
      const entries = this.read();
      this.registry.forgetDismissals();
      this.logger.info({ entries: entries.length }, 'nodes_file.read');
      this.bus.publish('nodes_file.read', { entries: entries.length, at: this.clock.wallMs() });
      await this.apply(entries);
    } catch (fault) {
      if (!(fault instanceof NodesFileFault)) throw fault;
      this.logger.error({ faults: loggable(fault.faults) }, 'nodes_file.refused');
      this.bus.publish('nodes_file.refused', { faults: fault.faults.length, at: this.clock.wallMs() });
    }
  }

  /**
   * Probes the server of a listed node now, or as soon as it may be probed again: at most one extra probe a second, and
   * none while one is under way.
   *
   * @returns whether the probe found the node's model served there; false for a node that registered itself. Never rejects
   */
  async probeSoon(node: MeshNode): Promise<boolean> {
    const server = node.source === 'registered' ? undefined : this.nodes.get(ownerOf(node));
    const isProbed = (await server?.probeSoon()) ?? false;
    return isProbed && node.present && node.lastProbe === 'ok';
  }

  onModuleDestroy(): void {
    this.stopped = true;
    this.cancelLook?.();
    for (const node of this.nodes.values()) node.stop();
  }

  private read(): StaticEntry[] {
    const listed = this.settings.nodesFile === null ? [] : this.readFile(this.settings.nodesFile);
    const endpoints = new Set(listed.map(({ endpoint }) => endpoint));
    const urls = [...new Set(this.settings.nodeUrls)].filter((endpoint) => !endpoints.has(endpoint));
    const flags = urls.map(entryOfUrl);
    const faults = twinFaults([
      ...listed.map((entry, at) => ({ place: `nodes[${String(at)}]`, entry })),
      ...flags.map((entry) => ({ place: '--node', entry })),
    ]);
    if (faults.length > 0) throw new NodesFileFault(faults);
    return [...listed, ...flags];
  }

  private readFile(path: string): StaticEntry[] {
    const text = readText(path);
    if (text === undefined)
      throw new NodesFileFault([`${path}: must be a readable file, no pipe or device, of at most 16 MiB`]);
    return parseNodesFile(text, { variable: this.env, file: readText }, path);
  }

  /** Unchanged entries are left alone; changed ones keep their leases, so that arms and epoch stay. */
  private async apply(entries: readonly StaticEntry[]): Promise<void> {
    const started: StaticNode[] = [];
    const wanted = new Map(entries.map((entry) => [ownerOf(entry), entry]));
    for (const [owner, node] of this.nodes) {
      if (wanted.has(owner)) continue;
      node.stop();
      node.leave();
      this.nodes.delete(owner);
    }
    for (const [owner, entry] of wanted) {
      const before = this.nodes.get(owner);
      if (before !== undefined && JSON.stringify(before.entry) === JSON.stringify(entry)) continue;
      const node =
        before?.succeededBy(entry) ??
        new StaticNode(entry, this.registry, this.probe, this.clock, this.logger);
      this.nodes.set(owner, node);
      started.push(node);
    }
    await Promise.all(started.map((node) => node.start()));
  }

  private lookAgain(): void {
    if (this.settings.nodesFile === null || this.stopped) return;
    this.cancelLook = this.clock.after(LOOK_EVERY_MS, () => void this.reloadIfChanged());
  }

  private async reloadIfChanged(): Promise<void> {
    if ((await this.look()) !== this.seen) await this.reload();
    this.lookAgain();
  }

  /** What changes when the file does. */
  private async look(): Promise<string> {
    if (this.settings.nodesFile === null) return '';
    try {
      const { mtimeMs, size, ino } = await stat(this.settings.nodesFile);
      return [mtimeMs, size, ino].join();
    } catch {
      return 'absent';
    }
  }
}

/** Names one listed server. */
function ownerOf({ wallet, name }: Pick<MeshNode, 'wallet' | 'name'>): string {
  return `${wallet}.${name ?? ''}`;
}

function loggable(faults: readonly string[]): readonly string[] {
  const more = faults.length - MOST_LOGGED;
  return more <= 0 ? faults : [...faults.slice(0, MOST_LOGGED), `and ${String(more)} more`];
}

function readText(path: string): string | undefined {
  return readSmallFile(path, MOST_BYTES);
}
