import { Module } from '@nestjs/common';
import { RegistryService } from './registry.service.js';
import { StaticNodesService } from './static-nodes.service.js';

@Module({
  providers: [RegistryService, StaticNodesService],
  exports: [RegistryService, StaticNodesService],
})
export class RegistryModule {}
