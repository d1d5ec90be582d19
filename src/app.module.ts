import { Module, type DynamicModule } from '@nestjs/common';
import { AccessModule } from './access/index.js';
import { ApiDocsModule } from './api-docs/index.js';
import { CallsModule } from './calls/index.js';
import { CandidateEnumerationModule } from './candidate-enumeration/index.js';
import { ChatProxyModule } from './chat-proxy/index.js';
import { DashboardModule } from './dashboard/index.js';
import { HistoryModule } from './history/index.js';
import { HttpModule } from './http/index.js';
import { KernelModule, type KernelParts } from './kernel/index.js';
import { LimitsModule } from './limits/index.js';
import { MetricsModule } from './metrics/index.js';
import { NodeHealthModule } from './node-health/index.js';
import { NodesApiModule } from './nodes-api/index.js';
import { ProbesModule } from './probes/index.js';
import { RegistryModule } from './registry/index.js';
import { ReplayModule } from './replay/index.js';
import { RoutingModule } from './routing/index.js';
import { RoutingStatsModule } from './routing-stats/index.js';
import { SettingsModule, type EnvLookup, type Settings } from './settings/index.js';
import { TopologyModule } from './topology/index.js';

/** The rooms: what all share, then those a chat meets, in that order, then those that show what happened. */
@Module({})
export class AppModule {
  static forRoot(
    settings: Settings,
    env: EnvLookup,
    parts: KernelParts,
    dashboardFolder: string,
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        KernelModule.forRoot(parts),
        SettingsModule.forRoot(settings, env),
        HttpModule,
        AccessModule,
        LimitsModule,
        ChatProxyModule,
        RoutingModule,
        CandidateEnumerationModule,
        RoutingStatsModule,
        TopologyModule,
        NodeHealthModule,
        RegistryModule,
        CallsModule,
        HistoryModule,
        ReplayModule,
        MetricsModule,
        NodesApiModule,
        ProbesModule,
        ApiDocsModule,
        DashboardModule.forRoot(dashboardFolder),
      ],
    };
  }
}
