import { Module } from '@nestjs/common';
import { TopologyModule } from '../topology/index.js';
import { RoutingStatsService } from './routing-stats.service.js';

@Module({ imports: [TopologyModule], providers: [RoutingStatsService], exports: [RoutingStatsService] })
export class RoutingStatsModule {}
