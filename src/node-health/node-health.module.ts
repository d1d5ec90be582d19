import { Module } from '@nestjs/common';
import { RegistryModule } from '../registry/index.js';
import { NodeHealthService } from './node-health.service.js';

@Module({ imports: [RegistryModule], providers: [NodeHealthService], exports: [NodeHealthService] })
export class NodeHealthModule {}
