import { Module } from '@nestjs/common';
import { CandidateEnumerationModule } from '../candidate-enumeration/index.js';
import { NodeHealthModule } from '../node-health/index.js';
import { RoutingStatsModule } from '../routing-stats/index.js';
import { TopologyModule } from '../topology/index.js';
import { RoutingTableService } from './routing-table.service.js';
import { RoutingController } from './routing.controller.js';
import { RoutingService } from './routing.service.js';

@Module({
  imports: [TopologyModule, NodeHealthModule, CandidateEnumerationModule, RoutingStatsModule],
  controllers: [RoutingController],
  providers: [RoutingService, RoutingTableService],
  exports: [RoutingService, RoutingTableService],
})
export class RoutingModule {}
