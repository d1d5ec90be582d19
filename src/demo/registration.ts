import { Agent, request } from 'undici';
import type { Clock } from '../kernel/clock.js';
import { isRecord } from './hops.js';
import { sleep } from './pace.js';

/** What a node says of itself when it registers: the body of `POST /v1/nodes`, less its queue depth. */
export interface NodeDeclaration {
  readonly wallet: string;
  readonly name?: string;
  readonly endpoint: string;
  readonly model: string;
  readonly num_layers?: number;
  readonly shard_start?: number;
  readonly shard_end?: number;
  readonly throughput_tps?: number;
  readonly max_concurrent?: number;
}

/** Makes of what a node says the body that is sent: with a proof, or as it is. */
export type Signer = (declared: NodeDeclaration & { readonly queue_depth: number }) => object;

interface Lease {
  readonly id: string;
  readonly nodeId: string;
  readonly heartbeatMs: number;
}

interface TrackerAnswer {
  readonly status: number;
  readonly body: unknown;
}

const CALL_TIMEOUT_MS = 3_000;
const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 10_000;

/**
 * Keeps a node known to its tracker: registers, renews the lease, registers again when the lease is gone, and
 * tries for ever, ever more slowly, while the tracker can't be reached or refuses.
 */
export class Registration {
  private readonly agent = new Agent({ headersTimeout: CALL_TIMEOUT_MS, bodyTimeout: CALL_TIMEOUT_MS });
  private readonly waiting: ((nodeId: string) => void)[] = [];
  private lease: Lease | null = null;
  private failures = 0;
  private ends = new AbortController();
  private loop = Promise.resolve();

  constructor(
    private readonly tracker: string,
    private readonly declaration: NodeDeclaration,
    private readonly queueDepth: () => number,
    private readonly signed: Signer,
    /** What the tracker asks of nodes; null: nothing. */
    private readonly token: string | null,
    private readonly clock: Clock,
    private readonly log: (line: string) => void,
  ) {}

  /** The id the tracker gave, once it did. */
  get nodeId(): string | null {
    return this.lease?.nodeId ?? null;
  }

  /** The node's id, as soon as it is registered. */
  registered(): Promise<string> {
    if (this.lease !== null) return Promise.resolve(this.lease.nodeId);
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  start(): void {
    this.ends = new AbortController();
    this.loop = this.run(this.ends.signal);
  }

  /** Sends nothing any more, so that the lease runs out; `start` goes on. */
  pause(): void {
    this.ends.abort();
  }

  /** Gives the lease back. */
  async end(): Promise<void> {
    this.pause();
    await this.loop;
    if (this.lease !== null) await this.call('DELETE', this.leasePath(this.lease)).catch(() => undefined);
    await this.agent.close();
  }

  /** Ends without a word to the tracker. */
  abandon(): void {
    this.pause();
    void this.agent.destroy();
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.step().catch((fault: unknown) => this.retryMs(fault, signal));
      await sleep(this.clock, waitMs, signal).catch(() => undefined);
    }
  }

  /** Registers or renews, and says how long to wait before the next step. */
  private async step(): Promise<number> {
    const waitMs = this.lease === null ? await this.register() : await this.renew(this.lease);
    if (this.failures > 0) this.log('the tracker answers again');
    this.failures = 0;
    return waitMs;
  }

  private async register(): Promise<number> {
    const declared = { ...this.declaration, queue_depth: this.queueDepth() };
    const lease = readLease(await this.call('POST', '/v1/nodes', this.signed(declared)));
    this.lease = lease;
    this.log(`registered as ${lease.nodeId}`);
    for (const tell of this.waiting.splice(0)) tell(lease.nodeId);
    return lease.heartbeatMs;
  }

  private async renew(lease: Lease): Promise<number> {
    const answer = await this.call('PUT', this.leasePath(lease), { queue_depth: this.queueDepth() });
    if (answer.status === 404) {
      this.log('the lease is gone, registering again');
      this.lease = null;
      return 0;
    }
    if (answer.status >= 300) throw new Error(refusalOf(answer));
    return lease.heartbeatMs;
  }

  private retryMs(fault: unknown, signal: AbortSignal): number {
    if (this.failures === 0 && !signal.aborted) this.log(`no tracker: ${String(fault)}; trying again`);
    const waitMs = Math.min(RETRY_FIRST_MS * 2 ** this.failures, RETRY_MAX_MS);
    this.failures = Math.min(this.failures + 1, 16);
    return Math.min(waitMs, this.lease?.heartbeatMs ?? waitMs);
  }

  private async call(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<TrackerAnswer> {
    const answer = await request(this.tracker + path, {
      dispatcher: this.agent,
      method,
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: text === '' ? null : (JSON.parse(text) as unknown) };
  }

  private leasePath(lease: Lease): string {
    return `/v1/leases/${encodeURIComponent(lease.id)}`;
  }
}

function readLease(answer: TrackerAnswer): Lease {
  const body = isRecord(answer.body) ? answer.body : {};
  const { lease_id: id, node_id: nodeId, heartbeat_seconds: seconds } = body;
  const fits = typeof id === 'string' && typeof nodeId === 'string' && typeof seconds === 'number';
  if (answer.status >= 300 || !fits) throw new Error(refusalOf(answer));
  return { id, nodeId, heartbeatMs: seconds * 1000 };
}

function refusalOf({ status, body }: TrackerAnswer): string {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  return `it answered ${String(status)} ${typeof error.message === 'string' ? error.message : ''}`.trimEnd();
}
