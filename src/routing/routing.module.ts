import { Module } from '@nestjs/common';
import { CandidateEnumerationModule } from '../candidate-enumeration/index.js';
import { NodeHealthModule } from '../node-health/index.js';
import { NodeSpeedsModule } from '../node-speeds/index.js';
import { RoutingStatsModule } from '../routing-stats/index.js';
import { TopologyModule } from '../topology/index.js';
import { AdmissionService } from './admission.service.js';
import { CandidateStatesService } from './candidate-states.service.js';
import { ExpectationsService } from './expectations.service.js';
import { RecentChoicesService } from './recent-choices.service.js';
import { RoutingTableService } from './routing-table.service.js';
import { RouteOutlooksService } from './route-outlooks.service.js';
import { RoutingController } from './routing.controller.js';
import { RoutingService } from './routing.service.js';

@Module({
  imports: [
    TopologyModule,
    NodeHealthModule,
    NodeSpeedsModule,
    CandidateEnumerationModule,
    RoutingStatsModule,
  ],
  controllers: [RoutingController],
  providers: [
    ExpectationsService,
    CandidateStatesService,
    RecentChoicesService,
    RouteOutlooksService,
    RoutingService,
    RoutingTableService,
    AdmissionService,
  ],
  exports: [AdmissionService, ExpectationsService, RoutingService, RoutingTableService],
})
export class RoutingModule {}
