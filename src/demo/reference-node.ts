import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { SystemClock, type Clock } from '../kernel/clock.js';
import { HeldSequences } from './held-sequences.js';
import { HopCaller } from './hop-caller.js';
import { LayerRunner } from './layer-runner.js';
import { declaredTps, type ReferenceNodeOptions } from './node-options.js';
import { keyFromFile, type NodeKey } from './node-key.js';
import { NodeServer } from './node-server.js';
import { sleep } from './pace.js';
import { Registration, type NodeDeclaration, type Signer } from './registration.js';

const MAX_BODY_BYTES = 32 * 1024 * 1024;
const HOP_TIMEOUT_MS = 120_000;
const DRAIN_MS = 10_000;
const DRAIN_LOOK_MS = 10;

/**
 * A node of the mesh as docs/node-protocol.md describes it, with layers that cost time but do nothing except prove
 * that they ran. It joins the tracker, heads routes, runs the spans that other heads send, and leaves in order.
 */
export class ReferenceNode {
  private readonly clock: Clock;
  private readonly runner: LayerRunner;
  private readonly caller: HopCaller;
  private readonly sequences: HeldSequences;
  private readonly server: NodeServer;
  private readonly key: NodeKey | null;
  private readonly token: string | null;
  private registration: Registration | null = null;
  private listening: string | null = null;

  constructor(private readonly options: ReferenceNodeOptions) {
    const hopTimeoutMs = options.hopTimeoutMs ?? HOP_TIMEOUT_MS;
    this.clock = options.clock ?? new SystemClock();
    this.key = options.keyFile === undefined ? null : keyFromFile(options.keyFile);
    this.token = options.tokenFile === undefined ? null : readFileSync(options.tokenFile, 'utf8').trim();
    this.runner = new LayerRunner(options, this.clock);
    this.caller = new HopCaller(hopTimeoutMs);
    this.sequences = new HeldSequences(this.runner, this.caller, this.clock, hopTimeoutMs);
    const { clock, runner, caller, sequences } = this;
    const maxBodyBytes = options.maxBodyBytes ?? MAX_BODY_BYTES;
    this.server = new NodeServer({ clock, runner, caller, sequences, maxBodyBytes });
  }

  /** Listens, and registers in the background; the answer is the URL to call it at. Rejects when the port is taken. */
  async start(): Promise<string> {
    const { host = '127.0.0.1', port = 0, tracker } = this.options;
    this.server.http.listen(port, host);
    await once(this.server.http, 'listening');
    this.listening = `http://${callable(host)}:${String(this.port)}`;
    if (tracker !== undefined) this.join(tracker);
    return this.listening;
  }

  /**
   * Gives the lease back, finishes what is running (at most `drainMs`), then closes. Chats that were already on
   * their way here when the tracker heard of it are served too.
   */
  async stop(): Promise<void> {
    await this.registration?.end();
    const until = this.clock.now() + (this.options.drainMs ?? DRAIN_MS);
    while (this.busy && this.clock.now() < until) {
      await sleep(this.clock, DRAIN_LOOK_MS, new AbortController().signal);
    }
    this.close();
    await this.caller.close();
  }

  /** The end of a machine that lost its power: sockets break, nobody is told. */
  kill(): void {
    this.registration?.abandon();
    this.close();
    this.caller.destroy();
  }

  /** The lease runs out unless `resumeHeartbeats` comes first. */
  pauseHeartbeats(): void {
    this.registration?.pause();
  }

  resumeHeartbeats(): void {
    this.registration?.start();
  }

  /** The node_id the tracker gave, as soon as it gave one; never, without a tracker. */
  registered(): Promise<string> {
    return this.registration?.registered() ?? new Promise(() => undefined);
  }

  get nodeId(): string | null {
    return this.registration?.nodeId ?? null;
  }

  get port(): number {
    return (this.server.http.address() as AddressInfo).port;
  }

  get url(): string {
    if (this.listening === null) throw new Error('the node has not started');
    return this.listening;
  }

  /** What one layer costs a token; a change counts from the next pass on. */
  get msPerLayer(): number {
    return this.runner.msPerLayer;
  }

  set msPerLayer(ms: number) {
    this.runner.msPerLayer = ms;
  }

  /** Sequences here as head or later hop, running and waiting for a slot. */
  get queueDepth(): number {
    return this.runner.queueDepth;
  }

  /** Chats that it heads now. */
  get openChats(): number {
    return this.server.openChats;
  }

  /** Chats that it headed to their end. */
  get chatsServed(): number {
    return this.server.chatsServed;
  }

  /** Tokens that came out of routes it headed. */
  get tokensServed(): number {
    return this.server.tokensServed;
  }

  private get busy(): boolean {
    return this.openChats + this.queueDepth > 0;
  }

  private join(tracker: string): void {
    const queueDepth = () => this.queueDepth;
    const log = this.options.log ?? (() => undefined);
    const base = tracker.replace(/\/+$/, '');
    this.registration = new Registration(
      base,
      this.declaration(),
      queueDepth,
      this.signer(),
      this.token,
      this.clock,
      log,
    );
    this.registration.start();
  }

  private signer(): Signer {
    const { key, clock } = this;
    const { trackerName = 'meshnet' } = this.options;
    if (key === null) return (declared) => declared;
    return (declared) => ({ ...declared, proof: key.proofOf(declared, trackerName, clock.wallMs()) });
  }

  private declaration(): NodeDeclaration {
    const {
      wallet = this.key?.wallet ?? 'demo',
      name,
      model,
      numLayers,
      shard,
      maxConcurrent,
    } = this.options;
    const tps = declaredTps(this.options);
    return {
      wallet,
      ...(name === undefined ? {} : { name }),
      endpoint: this.options.endpoint ?? this.url,
      model,
      ...(numLayers === undefined ? {} : { num_layers: numLayers }),
      ...(shard === undefined ? {} : { shard_start: shard.start, shard_end: shard.end }),
      ...(tps === null ? {} : { throughput_tps: tps }),
      ...(maxConcurrent === undefined ? {} : { max_concurrent: maxConcurrent }),
    };
  }

  private close(): void {
    this.sequences.releaseAll();
    this.server.http.close();
    this.server.http.closeAllConnections();
  }
}

/** The host part of a URL for who listens on `host`; "any address" can't be called, this machine can. */
function callable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
