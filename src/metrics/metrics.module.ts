import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/index.js';
import { CandidateEnumerationModule } from '../candidate-enumeration/index.js';
import { NodeHealthModule } from '../node-health/index.js';
import { NodeSpeedsModule } from '../node-speeds/index.js';
import { RegistryModule } from '../registry/index.js';
import { RoutingModule } from '../routing/index.js';
import { TopologyModule } from '../topology/index.js';
import { CallMetrics } from './call-metrics.service.js';
import { EventLoopLag } from './event-loop-lag.service.js';
import { MeshMetrics } from './mesh-metrics.service.js';
import { METRIC_SOURCES, type MetricSource } from './metric-source.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsService } from './metrics.service.js';
import { ModelGauges } from './model-gauges.service.js';
import { ModelLabels } from './model-labels.js';
import { NodeGauges } from './node-gauges.service.js';
import { ProcessMetrics } from './process-metrics.service.js';
import { RouteGauges } from './route-gauges.service.js';

/** In the order in which they are shown. */
const SOURCES = [
  CallMetrics,
  ModelGauges,
  RouteGauges,
  NodeGauges,
  MeshMetrics,
  EventLoopLag,
  ProcessMetrics,
];

@Module({
  imports: [
    RegistryModule,
    TopologyModule,
    NodeHealthModule,
    NodeSpeedsModule,
    CandidateEnumerationModule,
    RoutingModule,
    CallsModule,
  ],
  controllers: [MetricsController],
  providers: [
    ...SOURCES,
    ModelLabels,
    MetricsService,
    {
      provide: METRIC_SOURCES,
      inject: SOURCES,
      useFactory: (...sources: MetricSource[]): MetricSource[] => sources,
    },
  ],
})
export class MetricsModule {}
