import { Module } from '@nestjs/common';
import { RegistryModule } from '../registry/index.js';
import { TopologyService } from './topology.service.js';

@Module({ imports: [RegistryModule], providers: [TopologyService], exports: [TopologyService] })
export class TopologyModule {}
