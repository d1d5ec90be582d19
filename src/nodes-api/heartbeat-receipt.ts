import type { Heartbeat, RegistryService } from '../registry/index.js';
import type { TopologyService } from '../topology/index.js';

/** Answer of `PUT /v1/leases/{lease_id}`. */
export interface HeartbeatReceipt {
  readonly node_id: string;
  readonly epoch: number;
  readonly expires_in_seconds: number;
}

/**
 * Takes a heartbeat in, whichever way it came.
 *
 * @throws LeaseUnknownError
 */
export function takeHeartbeat(
  registry: RegistryService,
  topology: TopologyService,
  leaseId: string,
  said: Heartbeat,
): HeartbeatReceipt {
  const node = registry.heartbeat(leaseId, {
    queueDepth: said.queue_depth,
    throughputTps: said.throughput_tps,
    status: said.status,
  });
  return {
    node_id: node.nodeId,
    epoch: topology.epoch(node.model),
    expires_in_seconds: registry.leaseSeconds,
  };
}
