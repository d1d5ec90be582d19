import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Asked, toHttpFault, withLanes, type Refusal, type RefusalWatch } from '../http/index.js';
import { CLOCK, MeshnetError, RateLimitedError, type Clock } from '../kernel/index.js';
import { Latest } from './latest.js';
import { RequestBucket } from './request-bucket.js';
import { sourceNetworkOf } from './source-network.js';

const REFUSALS_PER_MINUTE = 60;
const MOST_NETWORKS = 10_000;
const REGISTERING: ReadonlySet<string> = new Set(['/v1/nodes', '/v1/nodes/']);

/**
 * Wrong keys and refused registrations, counted by address. Whoever has had too many is told to wait in place of why;
 * what is right is never held up by it, since behind one address there may be many.
 */
@Injectable()
export class RefusalLimitService implements RefusalWatch, OnModuleInit {
  private readonly byNetwork = new Latest(MOST_NETWORKS, () => new RequestBucket(REFUSALS_PER_MINUTE));

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    withLanes(this.adapterHost, (adapter) => adapter.watchRefusals(this));
  }

  refused(request: Asked, path: string, refusal: Refusal): Refusal {
    const isRegistering = request.method === 'POST' && REGISTERING.has(path);
    if (!isRegistering && refusal.body?.error.code !== 'invalid_api_key') return refusal;
    const fault = this.count(request);
    return fault === null ? refusal : toHttpFault(fault);
  }

  /** What the sender of a registration is told of this fault. */
  judged(request: Asked, fault: unknown): unknown {
    return fault instanceof MeshnetError ? (this.count(request) ?? fault) : fault;
  }

  private count({ socket }: Asked): RateLimitedError | null {
    const bucket = this.byNetwork.of(sourceNetworkOf(socket.remoteAddress));
    const nowMs = this.clock.now();
    if (bucket.take(nowMs)) return null;
    const seconds = Math.ceil(bucket.msUntilNext(nowMs) / 1000);
    return new RateLimitedError(
      `Too many wrong keys or refused registrations came from this address, more than ${String(REFUSALS_PER_MINUTE)} a minute. Wait ${String(seconds)} s.`,
      seconds,
    );
  }
}
