import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/index.js';
import { TopologyModule } from '../topology/index.js';
import { EarningsService } from './earnings.service.js';
import { HistoryController } from './history.controller.js';
import { IncidentsService } from './incidents.service.js';
import { RouteHistoryService } from './route-history.service.js';
import { TimelineService } from './timeline.service.js';

@Module({
  imports: [TopologyModule, CallsModule],
  controllers: [HistoryController],
  providers: [RouteHistoryService, IncidentsService, TimelineService, EarningsService],
})
export class HistoryModule {}
