import { Module } from '@nestjs/common';
import { NodeNetworksModule } from '../node-networks/index.js';
import { RegistryService } from './registry.service.js';
import { SignsOfLifeService } from './signs-of-life.service.js';
import { StaticNodesService } from './static-nodes.service.js';

@Module({
  imports: [NodeNetworksModule],
  providers: [RegistryService, StaticNodesService, SignsOfLifeService],
  exports: [RegistryService, StaticNodesService, SignsOfLifeService],
})
export class RegistryModule {}
