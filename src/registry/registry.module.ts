import { Module } from '@nestjs/common';
import { NodeNetworksModule } from '../node-networks/index.js';
import { RegistryService } from './registry.service.js';
import { StaticNodesService } from './static-nodes.service.js';

@Module({
  imports: [NodeNetworksModule],
  providers: [RegistryService, StaticNodesService],
  exports: [RegistryService, StaticNodesService],
})
export class RegistryModule {}
