import { Body, Controller, Delete, HttpCode, Param, Put } from '@nestjs/common';
import { BodyPipe } from '../http/index.js';
import { Heartbeat, RegistryService } from '../registry/index.js';
import { TopologyService } from '../topology/index.js';
import { takeHeartbeat, type HeartbeatReceipt } from './heartbeat-receipt.js';

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
    return takeHeartbeat(this.registry, this.topology, leaseId, body);
  }

  @Delete(':lease_id')
  @HttpCode(204)
  deregister(@Param('lease_id') leaseId: string): void {
    this.registry.deregister(leaseId);
  }
}
