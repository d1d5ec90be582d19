import { specOfRegistration, type Registration, type RegistryService } from '../registry/index.js';
import type { TopologyService } from '../topology/index.js';

/** Answer of `POST /v1/nodes`. */
export interface RegistrationReceipt {
  readonly node_id: string;
  /** The node's own secret: whoever has it can end the registration. */
  readonly lease_id: string;
  readonly epoch: number;
  readonly heartbeat_seconds: number;
  readonly expires_in_seconds: number;
}

/**
 * Takes a registration in, whichever way it came.
 *
 * @throws InvalidRequestError | ConflictError
 */
export function takeRegistration(
  registry: RegistryService,
  topology: TopologyService,
  body: Registration,
): { readonly isNew: boolean; readonly receipt: RegistrationReceipt } {
  const { node, leaseId, isNew } = registry.register(specOfRegistration(body));
  const receipt = {
    node_id: node.nodeId,
    lease_id: leaseId,
    epoch: topology.epoch(node.model),
    heartbeat_seconds: registry.heartbeatSeconds,
    expires_in_seconds: registry.leaseSeconds,
  };
  return { isNew, receipt };
}
