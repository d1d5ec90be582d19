import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/index.js';
import { NodeHealthModule } from '../node-health/index.js';
import { NodeNetworksModule } from '../node-networks/index.js';
import { RegistryModule } from '../registry/index.js';
import { RoutingModule } from '../routing/index.js';
import { RoutingStatsModule } from '../routing-stats/index.js';
import { AttemptCareService } from './attempt-care.service.js';
import { AttemptFeedbackService } from './attempt-feedback.service.js';
import { AttemptsService } from './attempts.service.js';
import { ChatCallsService } from './chat-calls.service.js';
import { ChatLane } from './chat.lane.js';
import { FailoverService } from './failover.service.js';
import { LearningService } from './learning.service.js';
import { ModelsController } from './models.controller.js';
import { LoopsService } from './loops.service.js';
import { NodeLessonsService } from './node-lessons.service.js';
import { NodeLimitsService } from './node-limits.service.js';
import { RequestFaultsService } from './request-faults.service.js';
import { SilenceService } from './silence.service.js';
import { RestRequestsService } from './rest-requests.service.js';
import { SpeedWatchService } from './speeds/speed-watch.service.js';
import { TrialsService } from './trials.service.js';
import { TurnedAwayService } from './turned-away.service.js';
import { TurnsService } from './turns.service.js';
import { HeadPoolsService } from './upstream/head-pools.service.js';

@Module({
  imports: [
    RegistryModule,
    NodeNetworksModule,
    NodeHealthModule,
    RoutingStatsModule,
    RoutingModule,
    CallsModule,
  ],
  controllers: [ModelsController],
  providers: [
    ChatLane,
    ChatCallsService,
    TurnedAwayService,
    FailoverService,
    AttemptsService,
    AttemptCareService,
    AttemptFeedbackService,
    NodeLessonsService,
    NodeLimitsService,
    RequestFaultsService,
    SilenceService,
    LoopsService,
    RestRequestsService,
    TrialsService,
    LearningService,
    SpeedWatchService,
    TurnsService,
    HeadPoolsService,
  ],
  exports: [ChatLane],
})
export class ChatProxyModule {}
