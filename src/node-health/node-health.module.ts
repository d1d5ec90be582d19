import { Module } from '@nestjs/common';
import { NodeHealthService } from './node-health.service.js';

@Module({ providers: [NodeHealthService], exports: [NodeHealthService] })
export class NodeHealthModule {}
