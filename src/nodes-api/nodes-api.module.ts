import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/index.js';
import { NodeHealthModule } from '../node-health/index.js';
import { NodeSpeedsModule } from '../node-speeds/index.js';
import { NodeNetworksModule } from '../node-networks/index.js';
import { RegistryModule } from '../registry/index.js';
import { TopologyModule } from '../topology/index.js';
import { WalletProofModule } from '../wallet-proof/index.js';
import { NodesLane } from './nodes.lane.js';
import { LeasesController } from './leases.controller.js';
import { NodesController } from './nodes.controller.js';
import { SpeedSuspicionsService } from './speed-suspicions.service.js';
import { RegistrationDesk } from './registration-desk.js';

@Module({
  imports: [
    LimitsModule,
    RegistryModule,
    NodeNetworksModule,
    TopologyModule,
    NodeHealthModule,
    NodeSpeedsModule,
    WalletProofModule,
  ],
  controllers: [NodesController, LeasesController],
  providers: [RegistrationDesk, NodesLane, SpeedSuspicionsService],
})
export class NodesApiModule {}
