import { Module } from '@nestjs/common';
import { CandidateEnumerationModule } from '../candidate-enumeration/index.js';
import { NodeHealthModule } from '../node-health/index.js';
import { NodeSpeedsModule } from '../node-speeds/index.js';
import { RoutingStatsModule } from '../routing-stats/index.js';
import { TopologyModule } from '../topology/index.js';
import { ExpectationsService } from './expectations.service.js';
import { RoutingTableService } from './routing-table.service.js';
import { RoutingController } from './routing.controller.js';
import { RoutingService } from './routing.service.js';

@Module({
  imports: [
    TopologyModule,
    NodeHealthModule,
    CandidateEnumerationModule,
    RoutingStatsModule,
    NodeSpeedsModule,
  ],
  controllers: [RoutingController],
  providers: [RoutingService, RoutingTableService, ExpectationsService],
  exports: [RoutingService, RoutingTableService, ExpectationsService],
})
export class RoutingModule {}
