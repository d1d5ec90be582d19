import { Module } from '@nestjs/common';
import { NodeSpeedsService } from './node-speeds.service.js';

@Module({ providers: [NodeSpeedsService], exports: [NodeSpeedsService] })
export class NodeSpeedsModule {}
