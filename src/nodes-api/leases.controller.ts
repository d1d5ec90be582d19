import { Body, Controller, Delete, HttpCode, Param, Put } from '@nestjs/common';
import { BodyPipe } from '../http/index.js';
import { Heartbeat, RegistryService } from '../registry/index.js';
import { TopologyService } from '../topology/index.js';

/** Answer of `PUT /v1/leases/{lease_id}`. */
export interface HeartbeatReceipt {
  readonly node_id: string;
  readonly epoch: number;
  readonly expires_in_seconds: number;
}

/** Nodes stay by heartbeat and leave by saying so. */
@Controller('v1/leases')
export class LeasesController {
  constructor(
    private readonly registry: RegistryService,
    private readonly topology: TopologyService,
  ) {}

  @Put(':lease_id')
  heartbeat(
    @Param('lease_id') leaseId: string,
    @Body(new BodyPipe(Heartbeat)) body: Heartbeat,
  ): HeartbeatReceipt {
    const node = this.registry.heartbeat(leaseId, {
      queueDepth: body.queue_depth,
      throughputTps: body.throughput_tps,
      status: body.status,
    });
    return {
      node_id: node.nodeId,
      epoch: this.topology.epoch(node.model),
      expires_in_seconds: this.registry.leaseSeconds,
    };
  }

  @Delete(':lease_id')
  @HttpCode(204)
  deregister(@Param('lease_id') leaseId: string): void {
    this.registry.deregister(leaseId);
  }
}
