import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/index.js';
import { TopologyModule } from '../topology/index.js';
import { CallLogService } from './call-log.service.js';
import { ReplayController } from './replay.controller.js';
import { ReplayService } from './replay.service.js';

@Module({
  imports: [TopologyModule, CallsModule],
  controllers: [ReplayController],
  providers: [CallLogService, ReplayService],
})
export class ReplayModule {}
