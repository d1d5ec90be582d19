import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Deadlines, EventBus } from '../../kernel/index.js';
import { NodeNetworksService } from '../../node-networks/index.js';
import { RegistryService } from '../../registry/index.js';
import {
  CALL_SETTINGS,
  SERVING_SETTINGS,
  type CallSettings,
  type ServingSettings,
} from '../../settings/index.js';
import { guardedConnector } from './guarded-connector.js';
import { HeadPool } from './head-pool.js';

/** One pool of keep-alive connections per endpoint; it goes when no node is at the endpoint any more. */
@Injectable()
export class HeadPoolsService implements OnApplicationShutdown {
  private readonly pools = new Map<string, HeadPool>();

  constructor(
    @Inject(SERVING_SETTINGS) private readonly serving: ServingSettings,
    @Inject(CALL_SETTINGS) private readonly calls: CallSettings,
    private readonly registry: RegistryService,
    private readonly networks: NodeNetworksService,
    private readonly deadlines: Deadlines,
    bus: EventBus,
  ) {
    bus.on('node.left', () => this.dropUnused());
  }

  of(endpoint: string): HeadPool {
    const known = this.pools.get(endpoint);
    if (known !== undefined) return known;
    this.dropUnused();
    const made = new HeadPool(endpoint, {
      connect: guardedConnector(
        this.networks,
        () => (this.registry.isListed(endpoint) ? 'operator' : 'node'),
        this.calls.connectTimeoutSeconds * 1000,
      ),
      mostConnections: this.serving.nodeMaxConnections,
      deadlines: this.deadlines,
    });
    this.pools.set(endpoint, made);
    return made;
  }

  get size(): number {
    return this.pools.size;
  }

  onApplicationShutdown(): void {
    const pools = [...this.pools.values()];
    this.pools.clear();
    for (const pool of pools) pool.destroy();
  }

  private dropUnused(): void {
    for (const [endpoint, pool] of this.pools) {
      if (this.registry.isInUse(endpoint)) continue;
      this.pools.delete(endpoint);
      pool.close();
    }
  }
}
