import { Injectable } from '@nestjs/common';
import type { Asked } from '../http/index.js';
import { RefusalLimitService } from '../limits/index.js';
import { NodeNetworksService } from '../node-networks/index.js';
import { RegistryService, specOfRegistration, type Registration } from '../registry/index.js';
import { TopologyService } from '../topology/index.js';
import { WalletProofService } from '../wallet-proof/index.js';

/** Answer of `POST /v1/nodes`. */
export interface RegistrationReceipt {
  readonly node_id: string;
  /** The node's own secret: whoever has it can end the registration. */
  readonly lease_id: string;
  readonly epoch: number;
  readonly heartbeat_seconds: number;
  readonly expires_in_seconds: number;
}

interface TakenIn {
  readonly isNew: boolean;
  readonly receipt: RegistrationReceipt;
}

/** Takes registrations in, whichever way they came: past Nest or through it. */
@Injectable()
export class RegistrationDesk {
  constructor(
    private readonly registry: RegistryService,
    private readonly topology: TopologyService,
    private readonly networks: NodeNetworksService,
    private readonly proofs: WalletProofService,
    private readonly refusals: RefusalLimitService,
  ) {}

  /**
   * @param read throws InvalidRequestError where what was sent is no registration
   * @throws InvalidRequestError | WalletProofError | ConflictError | RateLimitedError and nothing has changed
   */
  take(request: Asked, read: () => Registration): TakenIn {
    try {
      return this.takeIn(read());
    } catch (fault) {
      throw this.refusals.judged(request, fault);
    }
  }

  private takeIn(body: Registration): TakenIn {
    const spec = specOfRegistration(body);
    this.networks.checkRegistered(spec.endpoint);
    this.proofs.check(body);
    const takesOver = this.proofs.isRequired ? 'own wallet' : 'any';
    const { node, leaseId, isNew } = this.registry.register(spec, takesOver);
    const receipt = {
      node_id: node.nodeId,
      lease_id: leaseId,
      epoch: this.topology.epoch(node.model),
      heartbeat_seconds: this.registry.heartbeatSeconds,
      expires_in_seconds: this.registry.leaseSeconds,
    };
    return { isNew, receipt };
  }
}
